/**
 * A reading position in the bytes of an event. One object is used for all events; readers move it.
 *
 * Readers of a fixed number of bytes do not look at `end`: the event's owner compares after each image. Readers of a length
 * that the bytes themselves say do, before they touch what it spans: behind `end` stands the next event.
 */
export class RowCursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  /** Where the event ends. */
  end = 0
}

/** Reads the value of one column at the cursor and moves the cursor behind it. Throws RangeError for what cannot be a value. */
export type ColumnReader<T> = (cursor: RowCursor) => T

/** Moves the cursor over a run of bytes and gives its start. */
export function takeRun(cursor: RowCursor, length: number): number {
  const start = cursor.at
  const end = start + length
  if (end > cursor.end) throw new RangeError(`a value of ${length} bytes goes beyond its end`)
  cursor.at = end
  return start
}
