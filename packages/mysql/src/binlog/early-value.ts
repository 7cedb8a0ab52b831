import type { ByteWriter } from '@tributary/support'
import { checkValue } from '../values/check-value.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import type { WireColumn } from './column-type.ts'
import { isCompressed, writeUncompressed } from './compressed-value.ts'
import { checkFixedBinary } from '../values/fixed-binary.ts'
import { writeJsonText } from './json-binary.ts'

/**
 * Handles the value `bytes[start, end)` of a row as soon as the row is located, while the position of its event is known
 * for errors. Throws RangeError for bytes that cannot be a value.
 */
export type EarlyValue =
  /** Appends what takes the place of the value: the text of a JSON document, the value of a COMPRESSED column. */
  | {
      readonly tag: 'replaces'
      readonly write: (bytes: Buffer, start: number, end: number, out: ByteWriter) => void
    }
  | { readonly tag: 'checks'; readonly check: (bytes: Buffer, start: number, end: number) => void }

/** Null: any bytes of the column's width are a value, which can be read later. */
export function earlyValue(column: WireColumn, target: ColumnTarget<unknown> | null): EarlyValue | null {
  if (target === null) return null
  const { kind } = target
  switch (kind) {
    case 'json':
      return { tag: 'replaces', write: writeJsonText }
    case 'text':
    case 'binary':
    case 'raw':
      if (!isCompressed(column.type)) return null
      return {
        tag: 'replaces',
        write: (bytes, start, end, out) => writeUncompressed(bytes, { start, end }, column, out),
      }
    case 'geometry':
    case 'vector':
      return { tag: 'checks', check: (bytes, start, end) => checkValue(kind, bytes, start, end) }
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return { tag: 'checks', check: (_bytes, start, end) => checkFixedBinary(kind, start, end) }
    default:
      return null
  }
}
