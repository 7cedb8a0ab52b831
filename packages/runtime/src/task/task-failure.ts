import { isRetriable, StoppedError } from '@tributary/support'

/**
 * What an error means for a task. The error registry decides, and this function is the only place of the task that
 * asks it: the loop for a poll, the gate for a registration, the thread for its report to the herder, which restarts a task
 * that failed with a retriable error.
 *
 * - `stop`: somebody has asked the task to stop; no failure.
 * - `retry`: waiting may help. Where the loop can, it repeats the call; elsewhere the task fails, and the report says so.
 * - `fail`: somebody has to fix something first.
 */
export type FailureKind = 'stop' | 'retry' | 'fail'

/** `signal`: the one that stops the task. A StoppedError without it is a bug, or a limit that the code forgot to map. */
export function failureKind(error: unknown, signal?: AbortSignal): FailureKind {
  if (error instanceof StoppedError) return signal?.aborted === true ? 'stop' : 'fail'
  return isRetriable(error) ? 'retry' : 'fail'
}
