import { toError } from '@tributary/support'
import type { WorkerMembership } from './worker-membership.ts'

/**
 * Does a part of the start. When another worker takes over meanwhile, the part ends with that error: without a lease it
 * would wait forever for its writes.
 */
export async function untilFailed<T>(
  { failed }: Pick<WorkerMembership, 'failed'>,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await work(AbortSignal.any([signal, failed]))
  } catch (error) {
    throw failed.aborted ? toError(failed.reason) : error
  }
}
