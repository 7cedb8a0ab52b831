/** Reads the rows of a result. */
export interface RowReader<T> {
  /** The row in `bytes[start, end)`. Throws RangeError when the bytes are not such a row. */
  read(bytes: Buffer, start: number, end: number): (T | null)[]
}
