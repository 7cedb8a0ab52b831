import type { OngoingOutage, Problem } from '@tributary/support'
import type { TaskReconcilerState } from './task-states.ts'

/** Failures in a row, and what the worker does about them. */
export interface FailureRow {
  readonly problem: Problem
  /** Of the first failure in the row and of the last one, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastMs: number
  readonly failures: number
  /** When the worker will start the task or connector again; null: it has already done so, or it will not. */
  readonly nextMs: number | null
}

/** The condition of a task that this worker runs. */
export interface TaskCondition {
  readonly task: number
  readonly state: TaskReconcilerState
  /** Null: the last run did not fail, or the present one has recovered. */
  readonly row: FailureRow | null
  /** The activities that the running task retries. */
  readonly outages: readonly OngoingOutage[]
}

/** The condition of a connector that this worker runs. */
export interface ConnectorCondition {
  /** The failures of its start; null: it has started. */
  readonly row: FailureRow | null
  readonly tasks: readonly TaskCondition[]
}

/** How often this worker has restarted a task after a failure. */
export interface TaskRestarts {
  readonly task: number
  readonly restarts: number
  /** How long the task has had a problem; 0: it has none. */
  readonly problemMs: number
}

export interface ConnectorTaskRestarts extends TaskRestarts {
  readonly connector: string
}

/** The condition of a connector that this worker does not run. */
export const NOT_HERE: ConnectorCondition = { row: null, tasks: [] }
