import { toError } from '@tributary/support'

/**
 * Runs a part of the start. If another worker excludes this one meanwhile, it rejects with that error: without a lease
 * the part would wait for its writes forever.
 */
export async function untilFailed<T>(
  { failed }: { readonly failed: AbortSignal },
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await work(AbortSignal.any([signal, failed]))
  } catch (error) {
    throw failed.aborted ? toError(failed.reason) : error
  }
}
