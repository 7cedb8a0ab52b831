import type { ConnectValue } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'

/**
 * Appends one value, compiled for one schema. In JSON it also appends the punctuation and the field name before the
 * value.
 */
export type ValueWriter = (value: ConnectValue, out: ByteWriter) => void

/** Does the same from the bytes `[start, end)` of a raw row's cell, without making a value of them first. */
export type CellWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void
