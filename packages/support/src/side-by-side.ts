import { StoppedError } from './errors.ts'

/** Work that stops when its signal fires. */
export type StoppableWork<T> = (signal: AbortSignal) => Promise<T>

/**
 * Runs both concurrently and waits for both. When one fails, the other is stopped: if it waits for a server, it would
 * delay the error. The error is thrown only when both have ended, so that the caller can close everything that they
 * opened.
 *
 * Of two errors it throws the first in order that is not StoppedError.
 */
export async function sideBySide<A, B>(
  [first, second]: readonly [StoppableWork<A>, StoppableWork<B>],
  signal?: AbortSignal,
): Promise<[A, B]> {
  const stop = new AbortController()
  const limit = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const run = async <T>(work: StoppableWork<T>): Promise<T> => {
    try {
      return await work(limit)
    } catch (error) {
      stop.abort()
      throw error
    }
  }
  const [a, b] = await Promise.allSettled([run(first), run(second)])
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value]
  const errors = [a, b].flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []))
  throw errors.find((error) => !(error instanceof StoppedError)) ?? errors[0]
}
