import { isRecoverable, isRetriable, StoppedError } from '@tributary/support'

/**
 * What an error means for a task. The registry of the error decides, and the task reads that decision only here: the
 * loop for a poll, the gate for a registration, and the thread for its report to the herder.
 *
 * - `stop`: the task was asked to stop; not a failure.
 * - `retry`: waiting may help. The loop and the gate repeat their call, and the task stays RUNNING. Elsewhere the task
 *   fails, and the worker starts it again.
 * - `restart`: the task fails, so that everybody sees it. What is wrong can be corrected elsewhere, so the worker starts
 *   the task again after a growing delay, without end (docs/adr/0064-tasks-that-recover.md).
 * - `fail`: the task cannot continue until somebody acts on the connector.
 */
export type FailureKind = 'stop' | 'retry' | 'restart' | 'fail'

/**
 * `signal`: the one that stops the task. A StoppedError without it is a bug, or a limit that the code forgot to map.
 */
export function failureKind(error: unknown, signal?: AbortSignal): FailureKind {
  if (error instanceof StoppedError) return signal?.aborted === true ? 'stop' : 'fail'
  if (isRetriable(error)) return 'retry'
  return isRecoverable(error) ? 'restart' : 'fail'
}
