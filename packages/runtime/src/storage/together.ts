import { StoppedError } from '@tributary/support'

/**
 * Does some work for each item at the same time, and waits for all of it. When one fails the others are stopped: what waits for a
 * broker would keep an error that nothing mends from being told. Of several errors the first in order is thrown.
 */
export async function together<T>(
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const limit = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const run = async (item: T): Promise<void> => {
    try {
      await work(item, limit)
    } catch (error) {
      stop.abort()
      throw error
    }
  }
  const results = await Promise.allSettled(items.map(run))
  const errors = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) throw errors.find((error) => !(error instanceof StoppedError)) ?? errors[0]
}
