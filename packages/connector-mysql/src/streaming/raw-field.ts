import type { ConnectValue, RawField, RawReader, SchemaType } from '@tributary/connect-api'
import {
  type ColumnTarget,
  columnPrinter,
  isCompressed,
  PackedDecimal,
  requireCharset,
  type WireColumn,
} from '@tributary/mysql'
import { unreachable } from '@tributary/support'

/** A column of rows: its entry in the table map, the target of its values, and their reader. */
export interface RawColumn {
  readonly wire: WireColumn
  /** Bytes of its values, from `RowCodec.widthOf`. */
  readonly width: number
  readonly target: ColumnTarget<ConnectValue> | null
  readonly read: RawReader
}

/** Describes the bytes of a column to converters; `type` is the type of its field. */
export function rawField({ wire, width, target, read }: RawColumn, type: SchemaType): RawField {
  if (target === null) return { kind: 'value', read }
  if (isCompressed(wire.type)) return uncompressedField(target, read)
  const print = columnPrinter(wire, target)
  if (print !== null) return { kind: 'printed', print, read }
  switch (target.kind) {
    case 'integer':
      // A definition older or newer than the rows may have INT where they have BIGINT: then each value is checked.
      if (target.of !== null || !fits(width, target.isUnsigned, type)) break
      return { kind: 'integer', isUnsigned: target.isUnsigned, read }
    case 'text':
      if (target.charset === undefined) break
      return { kind: 'text', charset: target.charset, read }
    case 'json':
      // Its text was made early; these are the bytes of that text.
      return { kind: 'text', charset: UTF8, read: target.of }
    case 'float':
    case 'double':
      if (target.of !== null) break
      return { kind: 'float', read }
    case 'decimal': {
      // With `decimal.handling.mode=double` they are numbers.
      if (type !== 'bytes') break
      const decimal = PackedDecimal.of(wire)
      const putUnscaled = decimal.putUnscaled.bind(decimal)
      return { kind: 'decimal', scale: decimal.scale, putUnscaled, read }
    }
    case 'binary':
      if (target.plainFrom === undefined) break
      return { kind: 'bytes', isReversed: false, lengthMin: target.plainFrom, read }
    case 'bit':
      return type === 'boolean' ? { kind: 'member', read } : { kind: 'bytes', isReversed: true, lengthMin: 0, read }
    case 'enum':
    case 'set':
    case 'year':
      return { kind: 'member', read }
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
    case 'geometry':
    case 'vector':
    case 'uuid':
    case 'inet4':
    case 'inet6':
      break
    case 'raw':
      return { kind: 'bytes', isReversed: false, lengthMin: 0, read }
    default:
      unreachable(target)
  }
  return { kind: 'value', read }
}

/** The value itself was made early, and the bytes are those of it. */
function uncompressedField(target: ColumnTarget<ConnectValue>, read: RawReader): RawField {
  switch (target.kind) {
    case 'text':
      if (target.charset === undefined) return { kind: 'value', read: target.of }
      return { kind: 'text', charset: target.charset, read: target.of }
    case 'binary':
      if (target.plainFrom === undefined) return { kind: 'value', read: target.of }
      return { kind: 'bytes', isReversed: false, lengthMin: target.plainFrom, read: target.of }
    case 'raw':
      return { kind: 'bytes', isReversed: false, lengthMin: 0, read: target.of }
    default:
      return { kind: 'value', read }
  }
}

const UTF8 = requireCharset('utf8mb4', 'JSON')

/** Whether every integer of that many bytes is one of the Connect type. */
function fits(width: number, isUnsigned: boolean, type: SchemaType): boolean {
  const typeWidth = type === 'int16' ? 2 : type === 'int32' ? 4 : type === 'int64' ? 8 : 0
  return isUnsigned ? width < typeWidth : width <= typeWidth
}
