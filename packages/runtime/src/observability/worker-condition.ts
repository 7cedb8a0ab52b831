import type { DistributedHerder } from '../herder/distributed-herder.ts'
import { HerderError } from '../herder/herder-error.ts'
import type { TaskMeasurement } from '../worker/task-measurements.ts'
import { METRICS_WAIT_MS } from './metrics-registry.ts'

/** What a supervisor of the process needs to know of a worker that has started. */
export interface WorkerCondition {
  /** One line: `3 connectors: 2 RUNNING, 1 PAUSED; 2 tasks: 1 RUNNING, 1 FAILED`. */
  readonly summary: string
  /** `connector-number`. */
  readonly blockedTasks: readonly string[]
}

type ObservedHerder = Pick<DistributedHerder, 'connectorNames' | 'connectorStatus' | 'measured' | 'measure'>

/** @param limitMs see `blockedTasks` */
export async function workerCondition(herder: ObservedHerder, limitMs: number): Promise<WorkerCondition> {
  return { summary: summaryOf(herder), blockedTasks: await blockedTasks(herder, limitMs) }
}

/**
 * The running tasks (`connector-number`) whose threads have not answered for the limit. Threads report every two
 * seconds; one that has not is asked again, because after a suspension of the process no report is recent.
 */
export async function blockedTasks(
  herder: Pick<ObservedHerder, 'measured' | 'measure'>,
  limitMs: number,
): Promise<readonly string[]> {
  if (findBlocked(herder.measured(), limitMs).length === 0) return []
  const { tasks } = await herder.measure(METRICS_WAIT_MS)
  return findBlocked(tasks, limitMs)
}

function findBlocked(tasks: readonly TaskMeasurement[], limitMs: number): readonly string[] {
  const blocked = tasks.filter(({ isRunning, ageMs }) => isRunning && ageMs > limitMs)
  return blocked.map(({ connectorName, taskNumber }) => `${connectorName}-${taskNumber}`)
}

function summaryOf(herder: ObservedHerder): string {
  const statuses = herder.connectorNames().flatMap((name) => {
    try {
      return [herder.connectorStatus(name)]
    } catch (error) {
      // It was just created: its status follows.
      if (error instanceof HerderError) return []
      throw error
    }
  })
  const connectors = statuses.map(({ connector }) => connector.state)
  const tasks = statuses.flatMap((status) => status.tasks.map(({ state }) => state))
  return `${counted('connector', connectors)}; ${counted('task', tasks)}`
}

function counted(noun: string, states: readonly string[]): string {
  const total = `${states.length} ${noun}${states.length === 1 ? '' : 's'}`
  const kinds = [...new Set(states)].toSorted()
  const counts = kinds.map((kind) => `${states.filter((state) => state === kind).length} ${kind}`)
  return counts.length === 0 ? total : `${total}: ${counts.join(', ')}`
}
