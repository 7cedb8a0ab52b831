import type { ConfigMap } from '@tributary/connect-api'
import type { DesiredConnector } from '../../storage/desired-state.ts'
import type { ConnectorEvent } from './connector-states.ts'

/** Which part of the desired state this worker is responsible for. */
export interface Assignment {
  /** The leader computes and stores the task configurations of every connector. */
  readonly isLeader: boolean
  hasConnector(connector: string): boolean
  hasTask(connector: string, task: number): boolean
}

/** Of the only worker of a group: everything while it is certain to be the only one, else nothing. */
export class SoleAssignment implements Assignment {
  isHeld = true

  get isLeader(): boolean {
    return this.isHeld
  }

  hasConnector(): boolean {
    return this.isHeld
  }

  hasTask(): boolean {
    return this.isHeld
  }
}

/** What a turn finds about a connector; `desired` is null when it does not exist. */
export function connectorEvent(
  connector: string,
  desired: DesiredConnector | null,
  assignment: Assignment,
): 'run' | 'pause' | 'stop' | 'delete' | 'lose' {
  if (!assignment.hasConnector(connector)) return 'lose'
  return desired === null ? 'delete' : EVENTS[desired.targetState]
}

const EVENTS = { STARTED: 'run', PAUSED: 'pause', STOPPED: 'stop' } as const satisfies Record<string, ConnectorEvent>

export interface DesiredTask {
  readonly connector: string
  readonly task: number
  readonly desired: DesiredConnector | null
  /** The stored set of task configurations that was last applied; null when there is none. */
  readonly applied: readonly ConfigMap[] | null
}

/**
 * Returns the event of a task in a turn. A set of task configurations that was stored since the last turn counts as
 * changed even when it is equal: the connector was stopped and resumed in between, which restarts all its tasks, failed
 * ones included.
 */
export function taskEvent(
  { connector, task, desired, applied }: DesiredTask,
  assignment: Assignment,
): 'run' | 'reconfigure' | 'pause' | 'remove' | 'lose' {
  if (!assignment.hasTask(connector, task)) return 'lose'
  if (desired === null || desired.targetState === 'STOPPED') return 'remove'
  if (desired.targetState === 'PAUSED') return 'pause'
  const taskConfigs = desired.taskConfigs ?? []
  if (task >= taskConfigs.length) return 'remove'
  return taskConfigs === applied ? 'run' : 'reconfigure'
}
