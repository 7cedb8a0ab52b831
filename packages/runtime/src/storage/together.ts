import { StoppedError } from '@tributary/support'

/**
 * Runs some work for each item concurrently and waits for all of it. When one fails it stops the others: one that waits
 * for a broker would delay an error that waiting does not fix. Of several errors it throws the first in the order of
 * the items.
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
