import { isRetriable, StoppedError } from '@tributary/support'

/**
 * What an error means for a task. The registry of the error decides, and the task reads that decision only here: the
 * loop for a poll, the gate for a registration, and the thread for its report to the herder, which restarts a task that
 * failed with a retriable error.
 *
 * - `stop`: the task was asked to stop; not a failure.
 * - `retry`: waiting may help. The loop and the gate repeat their call; elsewhere the task fails, and the report
 *   contains that a restart may help.
 * - `fail`: an operator has to fix the cause first.
 */
export type FailureKind = 'stop' | 'retry' | 'fail'

/**
 * `signal`: the one that stops the task. A StoppedError without it is a bug, or a limit that the code forgot to map.
 */
export function failureKind(error: unknown, signal?: AbortSignal): FailureKind {
  if (error instanceof StoppedError) return signal?.aborted === true ? 'stop' : 'fail'
  return isRetriable(error) ? 'retry' : 'fail'
}
