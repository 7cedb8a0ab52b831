/** A reading position in the bytes of an event. One object is used for all events; readers move it. */
export class RowCursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
}

/** Reads the value of one column at the cursor and moves the cursor behind it. */
export type ColumnReader<T> = (cursor: RowCursor) => T
