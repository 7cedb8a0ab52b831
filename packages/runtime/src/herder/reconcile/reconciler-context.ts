import type { Clock, Logger } from '@tributary/support'
import type { Storage } from '../../storage/storage.ts'
import type { TaskRunner } from '../../worker/task-runner.ts'
import type { Assignment } from './assignment.ts'
import type { StatusReporter } from './status-reporter.ts'
import type { TaskPlanner } from './task-planner.ts'

/** What all reconcilers of a worker share. */
export interface ReconcilerContext {
  readonly storage: Storage
  readonly runner: TaskRunner
  readonly planner: TaskPlanner
  readonly assignment: Assignment
  readonly reporter: StatusReporter
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal
}
