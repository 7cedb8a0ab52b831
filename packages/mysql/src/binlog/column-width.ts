import { ColumnTypeCode, type WireColumn } from './column-type.ts'
import { decimalBytes } from './packed-decimal.ts'

/**
 * Number of bytes of a column's value in a row image. Negative if the value follows its length, which takes that many
 * bytes. Null for a type that this version does not know.
 */
export function columnWidth({ type, meta }: WireColumn): number | null {
  switch (type) {
    case ColumnTypeCode.tiny:
    case ColumnTypeCode.year:
      return 1
    case ColumnTypeCode.short:
      return 2
    case ColumnTypeCode.int24:
    case ColumnTypeCode.date:
    case ColumnTypeCode.time:
      return 3
    case ColumnTypeCode.long:
    case ColumnTypeCode.float:
    case ColumnTypeCode.timestamp:
      return 4
    case ColumnTypeCode.longLong:
    case ColumnTypeCode.double:
    case ColumnTypeCode.datetime:
      return 8
    case ColumnTypeCode.newDecimal:
      return decimalBytes(meta >> 8, meta & 0xff)
    case ColumnTypeCode.bit:
      return (meta + 7) >> 3
    case ColumnTypeCode.timestamp2:
      return 4 + fractionBytes(meta)
    case ColumnTypeCode.datetime2:
      return 5 + fractionBytes(meta)
    case ColumnTypeCode.time2:
      return 3 + fractionBytes(meta)
    case ColumnTypeCode.enum:
    case ColumnTypeCode.set:
      return meta
    case ColumnTypeCode.varchar:
    case ColumnTypeCode.varString:
    case ColumnTypeCode.string:
    case ColumnTypeCode.compressedVarchar:
      return meta > 255 ? -2 : -1
    case ColumnTypeCode.blob:
    case ColumnTypeCode.tinyBlob:
    case ColumnTypeCode.mediumBlob:
    case ColumnTypeCode.longBlob:
    case ColumnTypeCode.geometry:
    case ColumnTypeCode.json:
    case ColumnTypeCode.vector:
    case ColumnTypeCode.compressedBlob:
      return -meta
    default:
      return null
  }
}

/** Fractions of a second have two digits per byte. */
function fractionBytes(digits: number): number {
  return (digits + 1) >> 1
}
