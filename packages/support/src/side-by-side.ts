import { StoppedError } from './errors.ts'

/** Work that ends when its signal fires. */
export type StoppableWork<T> = (signal: AbortSignal) => Promise<T>

/**
 * Does both at the same time and waits for both. When one fails the other is stopped: what waits for a server would keep an error that
 * nothing mends from being told. A failure is told when both have ended: what is still opening then would otherwise be left open by
 * whoever closes the rest.
 *
 * Of two errors the first in order is thrown that is not the stop itself.
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
