import type { ConnectValue, RawField, RawReader, SchemaType } from '@tributary/connect-api'
import { type ColumnTarget, columnPrinter, PackedDecimal, requireCharset, type WireColumn } from '@tributary/mysql'

/** A column of rows: as the table map has it, what its values become, and how one is read. */
export interface RawColumn {
  readonly wire: WireColumn
  /** Bytes of its values, as `RowCodec.widthOf` says it. */
  readonly width: number
  readonly target: ColumnTarget<ConnectValue> | null
  readonly read: RawReader
}

/** What a converter may know of the bytes of a column whose field has that type. */
export function rawField({ wire, width, target, read }: RawColumn, type: SchemaType): RawField {
  if (target === null) return { kind: 'value', read }
  const print = columnPrinter(wire, target)
  if (print !== null) return { kind: 'printed', print, read }
  switch (target.kind) {
    case 'integer':
      // A definition that is older or newer than the rows may say INT where they have BIGINT: then each value is looked
      // at.
      if (target.of !== null || !fits(width, target.isUnsigned, type)) break
      return { kind: 'integer', isUnsigned: target.isUnsigned, read }
    case 'text':
      if (target.charset === undefined) break
      return { kind: 'text', charset: target.charset, read }
    case 'json':
      // Its text was made already, and is what comes here.
      return { kind: 'text', charset: UTF8, read: target.of }
    case 'float':
    case 'double':
      if (target.of !== null) break
      return { kind: 'float', read }
    case 'decimal': {
      // `decimal.handling.mode=double` makes numbers of them.
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
    default:
  }
  return { kind: 'value', read }
}

const UTF8 = requireCharset('utf8mb4', 'JSON')

/** Whether every integer of that many bytes is one of the Connect type. */
function fits(width: number, isUnsigned: boolean, type: SchemaType): boolean {
  const typeWidth = type === 'int16' ? 2 : type === 'int32' ? 4 : type === 'int64' ? 8 : 0
  return isUnsigned ? width < typeWidth : width <= typeWidth
}
