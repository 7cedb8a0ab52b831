import type { ConfigMap } from '@tributary/connect-api'
import type { DesiredConnector } from '../../storage/desired-state.ts'
import type { ConnectorEvent } from './connector-states.ts'

/** Which part of the desired state this worker is responsible for (`GroupAssignment`). */
export interface Assignment {
  /** The generation of the last round of the group. */
  readonly generation: number
  /** Whether this worker leads the group: the leader also corrects the statuses of work that nobody runs. */
  readonly isLeader: boolean
  /** Whether this worker has everything, because it is alone. */
  readonly isAll: boolean
  /** The worker that has a connector also computes and stores the configurations of its tasks. */
  hasConnector(connector: string): boolean
  hasTask(connector: string, task: number): boolean
  /** Whether this worker is handing over the connector: it stops the connector, and still writes its status. */
  isReleasingConnector(connector: string): boolean
  isReleasingTask(connector: string, task: number): boolean
}

/** What a turn finds about a connector; `desired` is null when it does not exist. */
export function connectorEvent(
  connector: string,
  desired: DesiredConnector | null,
  assignment: Assignment,
): 'run' | 'pause' | 'stop' | 'delete' | 'release' | 'lose' {
  if (!assignment.hasConnector(connector)) return assignment.isReleasingConnector(connector) ? 'release' : 'lose'
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
): 'run' | 'reconfigure' | 'pause' | 'remove' | 'release' | 'lose' {
  const isOwn = assignment.hasTask(connector, task)
  if (!isOwn && !assignment.isReleasingTask(connector, task)) return 'lose'
  const taskConfigs = desired?.taskConfigs ?? []
  // Nobody gets a released task that no longer exists, so nobody else would remove its status.
  if (desired === null || desired.targetState === 'STOPPED' || task >= taskConfigs.length) return 'remove'
  if (!isOwn) return 'release'
  if (desired.targetState === 'PAUSED') return 'pause'
  return taskConfigs === applied ? 'run' : 'reconfigure'
}
