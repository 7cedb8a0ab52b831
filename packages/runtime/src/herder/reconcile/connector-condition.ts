import type { OngoingOutage, Problem } from '@tributary/support'
import type { TaskReconcilerState } from './task-states.ts'

/** Failures in a row, and what the worker does about them. */
export interface FailureRow {
  readonly problem: Problem
  /** Of the first failure in the row and of the last one, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastMs: number
  readonly failures: number
  /** When the worker starts the task or connector again; null: it has, or it never does. */
  readonly nextMs: number | null
}

/** What a worker knows about a task that it runs. */
export interface TaskCondition {
  readonly task: number
  readonly state: TaskReconcilerState
  /** Null: the last run has not failed, or the present one has recovered. */
  readonly row: FailureRow | null
  /** What the running task retries by itself. */
  readonly outages: readonly OngoingOutage[]
}

/** What a worker knows about a connector that it runs. */
export interface ConnectorCondition {
  /** Of its start; null: it has started. */
  readonly row: FailureRow | null
  readonly tasks: readonly TaskCondition[]
}

/** How often a worker has started a task again by itself. */
export interface TaskRestarts {
  readonly task: number
  readonly restarts: number
  /** For how long something goes wrong with the task; 0: nothing does. */
  readonly problemMs: number
}

export interface ConnectorTaskRestarts extends TaskRestarts {
  readonly connector: string
}

/** Of a connector that this worker does not run. */
export const NOT_HERE: ConnectorCondition = { row: null, tasks: [] }
