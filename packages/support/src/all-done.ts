/**
 * As Promise.all, but a failure is told when all have ended: what is still opening then would otherwise be left open by whoever closes
 * the rest. The first of the list that has failed is told.
 */
export async function allDone<A, B>(work: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
