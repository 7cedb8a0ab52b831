/**
 * As Promise.all, but a failure is told when all have ended: what is still opening then would otherwise be left open by whoever closes
 * the rest. The first of the list that has failed is told.
 */
export async function allDone<T extends readonly unknown[]>(work: {
  readonly [K in keyof T]: Promise<T[K]>
}): Promise<T> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as T
}
