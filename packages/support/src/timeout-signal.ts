import type { Clock } from './clock.ts'

/** Runs work with a signal that fires after `ms` or with the outer signal. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort()
  const timer = clock.after(ms, onAbort)
  outer?.addEventListener('abort', onAbort, { once: true })
  if (outer?.aborted) controller.abort()
  try {
    return await work(controller.signal)
  } finally {
    timer.cancel()
    outer?.removeEventListener('abort', onAbort)
  }
}
