import type { ByteWriter } from '@tributary/support'

/** Appends the text of the value `[start, end)` of a column; false, and nothing appended, when the target has to be asked for the value. */
export type ColumnPrinter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => boolean
