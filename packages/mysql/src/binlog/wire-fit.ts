import { bytesPerCharacterMax } from '../types/collations.ts'
import type { ColumnType } from '../types/column-type.ts'
import { ColumnTypeCode, type WireColumn } from './column-type.ts'

/**
 * Whether a table map describes columns of that type in this way: number, and whatever part of the definition the
 * metadata contains (lengths, digits). Stricter than the readers of values, which read any integer into an integer: a
 * column that does not fit was defined otherwise when the map was written.
 *
 * @param type in the normal form of the catalogue
 */
export function fitsWire(type: ColumnType, wire: WireColumn): boolean {
  switch (type.name) {
    case 'TINYINT':
      return wire.type === ColumnTypeCode.tiny
    case 'SMALLINT':
      return wire.type === ColumnTypeCode.short
    case 'MEDIUMINT':
      return wire.type === ColumnTypeCode.int24
    case 'INT':
      return wire.type === ColumnTypeCode.long
    case 'BIGINT':
      return wire.type === ColumnTypeCode.longLong
    case 'DECIMAL':
      return wire.type === ColumnTypeCode.newDecimal && wire.meta === (((type.length ?? 10) << 8) | (type.scale ?? 0))
    case 'FLOAT':
      return wire.type === ColumnTypeCode.float
    case 'DOUBLE':
      return wire.type === ColumnTypeCode.double
    case 'BIT':
      return wire.type === ColumnTypeCode.bit && wire.meta === (type.length ?? 1)
    case 'YEAR':
      return wire.type === ColumnTypeCode.year
    case 'DATE':
      return wire.type === ColumnTypeCode.date
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return fitsTime(TEMPORAL[type.name], type.length ?? 0, wire)
    case 'JSON':
      // MariaDB's is LONGTEXT.
      return wire.type === ColumnTypeCode.json || fitsBlob(4, wire)
    default:
      return fitsString(type, wire)
  }
}

function fitsString(type: ColumnType, wire: WireColumn): boolean {
  const { name, length } = type
  switch (name) {
    case 'CHAR':
      return wire.type === ColumnTypeCode.string && fitsLength(type, wire.meta)
    case 'VARCHAR':
      return isVarchar(wire) && fitsLength(type, varcharBytes(wire))
    case 'BINARY':
      return wire.type === ColumnTypeCode.string && wire.meta === (length ?? 1)
    case 'VARBINARY':
      return isVarchar(wire) && (length === null || varcharBytes(wire) === length)
    case 'VECTOR':
      return fitsVector(length, wire)
    case 'TINYTEXT':
    case 'TINYBLOB':
      return fitsBlob(1, wire)
    case 'TEXT':
    case 'BLOB':
      return fitsBlob(2, wire)
    case 'MEDIUMTEXT':
    case 'MEDIUMBLOB':
      return fitsBlob(3, wire)
    case 'LONGTEXT':
    case 'LONGBLOB':
      return fitsBlob(4, wire)
    case 'ENUM':
      return wire.type === ColumnTypeCode.enum && wire.meta === (type.members.length < 256 ? 1 : 2)
    case 'SET':
      return wire.type === ColumnTypeCode.set && wire.meta === setBytes(type.members.length)
    case 'UUID':
    case 'INET6':
      return wire.type === ColumnTypeCode.string && wire.meta === 16
    case 'INET4':
      return wire.type === ColumnTypeCode.string && wire.meta === 4
    case 'UNKNOWN':
      return true
    default:
      // Spatial types.
      return wire.type === ColumnTypeCode.geometry
  }
}

/** MariaDB's is a binary string of four bytes for each dimension. */
function fitsVector(dimensions: number | null, wire: WireColumn): boolean {
  if (wire.type === ColumnTypeCode.vector) return true
  return wire.type === ColumnTypeCode.varchar && (dimensions === null || wire.meta === 4 * dimensions)
}

/** Without a fraction, tables of old releases keep their old types. */
function fitsTime({ now, old }: { now: number; old: number }, digits: number, wire: WireColumn): boolean {
  return wire.type === now ? wire.meta === digits : wire.type === old
}

const TEMPORAL = {
  TIME: { now: ColumnTypeCode.time2, old: ColumnTypeCode.time },
  DATETIME: { now: ColumnTypeCode.datetime2, old: ColumnTypeCode.datetime },
  TIMESTAMP: { now: ColumnTypeCode.timestamp2, old: ColumnTypeCode.timestamp },
} as const

function isVarchar({ type }: WireColumn): boolean {
  return (
    type === ColumnTypeCode.varchar || type === ColumnTypeCode.varString || type === ColumnTypeCode.compressedVarchar
  )
}

/** Bytes of the longest value of a VARCHAR: one with the attribute COMPRESSED has one more for the method. */
export function varcharBytes({ type, meta }: WireColumn): number {
  return type === ColumnTypeCode.compressedVarchar ? meta - 1 : meta
}

function fitsLength({ length, charset }: ColumnType, bytes: number): boolean {
  return length === null || charset === null || bytes === length * bytesPerCharacterMax(charset)
}

function fitsBlob(lengthBytes: 1 | 2 | 3 | 4, { type, meta }: WireColumn): boolean {
  switch (type) {
    case ColumnTypeCode.blob:
    case ColumnTypeCode.compressedBlob:
      return meta === lengthBytes
    case ColumnTypeCode.tinyBlob:
      return lengthBytes === 1
    case ColumnTypeCode.mediumBlob:
      return lengthBytes === 3
    case ColumnTypeCode.longBlob:
      return lengthBytes === 4
    default:
      return false
  }
}

function setBytes(members: number): number {
  const bytes = (members + 7) >> 3
  return bytes > 4 ? 8 : bytes
}
