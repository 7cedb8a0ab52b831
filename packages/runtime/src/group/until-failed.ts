import { toError } from '@tributary/support'

/**
 * Does a part of the start. When another worker excludes this one meanwhile, the part ends with that error: without a
 * lease it would wait forever for its writes.
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
