import type { Clock, Logger } from '@tributary/support'
import type { OffsetAccess } from '../../storage/offset-access.ts'
import type { Storage } from '../../storage/storage.ts'
import type { TaskRunner } from '../../worker/task-runner.ts'
import type { Assignment } from './assignment.ts'
import type { StatusReporter } from './status-reporter.ts'
import type { TaskPlanner } from './task-planner.ts'

/** Fencing before the start of tasks that deliver exactly once. */
export interface Fencing {
  /** Resolves when no producer of an earlier set of the connector's tasks can write any more. */
  fence(connector: string, signal: AbortSignal): Promise<void>
}

/** What all reconcilers of a worker share. */
export interface ReconcilerContext {
  readonly storage: Storage
  readonly offsets: OffsetAccess
  /** Null: tasks deliver at least once. */
  readonly fencing: Fencing | null
  readonly runner: TaskRunner
  readonly planner: TaskPlanner
  readonly assignment: Assignment
  readonly reporter: StatusReporter
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal
  /** For a turn that begins: aborts when the worker stops, or may have lost its work. */
  readonly turnSignal: () => AbortSignal
}
