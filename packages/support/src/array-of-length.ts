/**
 * An array with room for exactly that many values, for a caller that fills all of them at once. An array that grows by
 * `push` takes up to three times the memory, which matters when every row has one.
 */
export function arrayOfLength<T>(length: number): T[] {
  // oxlint-disable-next-line no-new-array -- Array.from calls a function for every value
  return new Array<T>(length)
}
