import type { ByteWriter } from '@tributary/support'

/**
 * Appends the text of the value `bytes[start, end)`. Returns false, and appends nothing, if only the target can convert
 * it.
 */
export type ColumnPrinter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => boolean
