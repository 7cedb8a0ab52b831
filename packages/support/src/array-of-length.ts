/**
 * An array with room for that many values and no more, for whoever fills all of them at once: one that grows by `push` takes up
 * to three times as much, which counts where one is made for every row.
 */
export function arrayOfLength<T>(length: number): T[] {
  // oxlint-disable-next-line no-new-array -- Array.from calls a function for every value
  return new Array<T>(length)
}
