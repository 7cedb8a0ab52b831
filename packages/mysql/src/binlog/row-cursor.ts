/**
 * A read position in the bytes of an event. One object is used for all events; readers advance it.
 *
 * Readers of a fixed number of bytes do not check `end`: the owner of the event compares after each image. Readers of a
 * value whose length is in the bytes check it before they read the value, since the next event follows at `end`.
 */
export class RowCursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  /** Where the event ends. */
  end = 0
}

/**
 * Reads the value of one column at the cursor and advances the cursor. Throws RangeError for bytes that cannot be a
 * value.
 */
export type ColumnReader<T> = (cursor: RowCursor) => T

/** Advances the cursor over a run of bytes and returns its start. */
export function takeRun(cursor: RowCursor, length: number): number {
  const start = cursor.at
  const end = start + length
  if (end > cursor.end) throw new RangeError(`a value of ${length} bytes extends past its end`)
  cursor.at = end
  return start
}
