import { unreachable } from '@tributary/support'
import type { ColumnTarget } from '../values/column-target.ts'
import { ColumnTypeCode, columnTypeName, type WireColumn } from './column-type.ts'
import { columnWidth } from './column-width.ts'
import { isCompressed } from './compressed-value.ts'
import { jsonReader } from './json-reader.ts'
import { decimalReader, doubleReader, floatReader, integerReader } from './number-readers.ts'
import type { ColumnReader } from './row-cursor.ts'
import {
  bitReader,
  bytesReader,
  checkedReader,
  enumReader,
  fixedBinaryReader,
  setReader,
  uncompressedReader,
} from './string-readers.ts'
import {
  dateReader,
  datetimeReader,
  oldDatetimeReader,
  oldTimeReader,
  oldTimestampReader,
  timeReader,
  timestampReader,
  yearReader,
} from './temporal-readers.ts'

/** The wire type does not fit the table definition, or this version cannot read it. */
export interface Misfit {
  readonly tag: 'misfit'
  readonly reason: string
}

export type ColumnReaderResult<T> = { readonly tag: 'reader'; readonly reader: ColumnReader<T> } | Misfit

/** Compiles the reader of a column. */
export function columnReader<T>(column: WireColumn, target: ColumnTarget<T>): ColumnReaderResult<T> {
  const reader = readerOrNull(column, target)
  if (reader !== null) return { tag: 'reader', reader }
  const reason = `the table definition has ${target.kind}, the binlog ${columnTypeName(column.type)}`
  return { tag: 'misfit', reason }
}

function readerOrNull<T>({ type, meta }: WireColumn, target: ColumnTarget<T>): ColumnReader<T> | null {
  switch (target.kind) {
    case 'integer':
      return integerReader(type, target)
    case 'decimal':
      return type === ColumnTypeCode.newDecimal ? decimalReader(target, meta >> 8, meta & 0xff) : null
    case 'float':
    case 'double':
      if (type === ColumnTypeCode.float) return floatReader(target)
      return type === ColumnTypeCode.double ? doubleReader(target) : null
    case 'text':
    case 'binary':
      return stringReader({ type, meta }, target)
    case 'bit':
      return type === ColumnTypeCode.bit ? bitReader(target, meta) : null
    case 'json':
      return type === ColumnTypeCode.json ? jsonReader(target, meta) : null
    case 'enum':
      return type === ColumnTypeCode.enum ? enumReader(target, meta) : null
    case 'set':
      return type === ColumnTypeCode.set ? setReader(target, meta) : null
    case 'geometry':
      return type === ColumnTypeCode.geometry ? checkedReader(target, meta) : null
    case 'vector':
      return vectorReader({ type, meta }, target)
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return type === ColumnTypeCode.string ? fixedBinaryReader(target) : null
    case 'raw':
      if (isCompressed(type)) return uncompressedReader({ type, meta }, target)
      return rawReader({ type, meta }, target.of)
    default:
      return temporalReader({ type, meta }, target)
  }
}

function stringReader<T>(
  { type, meta }: WireColumn,
  target: Extract<ColumnTarget<T>, { kind: 'text' | 'binary' }>,
): ColumnReader<T> | null {
  switch (type) {
    case ColumnTypeCode.varchar:
    case ColumnTypeCode.varString:
    case ColumnTypeCode.string:
      return bytesReader(target, meta > 255 ? 2 : 1)
    case ColumnTypeCode.blob:
    case ColumnTypeCode.tinyBlob:
    case ColumnTypeCode.mediumBlob:
    case ColumnTypeCode.longBlob:
      return bytesReader(target, meta)
    case ColumnTypeCode.compressedVarchar:
    case ColumnTypeCode.compressedBlob:
      return uncompressedReader({ type, meta }, target)
    default:
      return null
  }
}

/** MariaDB stores a vector as a binary string. */
function vectorReader<T>(
  { type, meta }: WireColumn,
  target: Extract<ColumnTarget<T>, { kind: 'geometry' | 'vector' }>,
): ColumnReader<T> | null {
  if (type === ColumnTypeCode.vector) return checkedReader(target, meta)
  return type === ColumnTypeCode.varchar ? checkedReader(target, meta > 255 ? 2 : 1) : null
}

function temporalReader<T>(
  { type, meta }: WireColumn,
  target: Extract<ColumnTarget<T>, { kind: 'date' | 'time' | 'datetime' | 'timestamp' | 'year' }>,
): ColumnReader<T> | null {
  switch (target.kind) {
    case 'date':
      return type === ColumnTypeCode.date ? dateReader(target) : null
    case 'year':
      return type === ColumnTypeCode.year ? yearReader(target) : null
    case 'time':
      if (type === ColumnTypeCode.time) return oldTimeReader(target)
      return type === ColumnTypeCode.time2 ? timeReader(target, meta) : null
    case 'datetime':
      if (type === ColumnTypeCode.datetime) return oldDatetimeReader(target)
      return type === ColumnTypeCode.datetime2 ? datetimeReader(target, meta) : null
    case 'timestamp':
      if (type === ColumnTypeCode.timestamp) return oldTimestampReader(target)
      return type === ColumnTypeCode.timestamp2 ? timestampReader(target, meta) : null
    default:
      return unreachable(target)
  }
}

/** Compiles the reader of a column whose values are not needed: it skips them. */
export function columnSkipper(column: WireColumn): ColumnReaderResult<null> {
  const reader = rawReader(column, ignore)
  if (reader !== null) return { tag: 'reader', reader }
  const reason = `the binlog holds ${columnTypeName(column.type)}, which this version cannot read`
  return { tag: 'misfit', reason }
}

const ignore = (): null => null

/** A reader of the bytes of any value, without the length before them; null for a type whose size is not known. */
function rawReader<T>(
  column: WireColumn,
  of: (bytes: Buffer, start: number, end: number) => T,
): ColumnReader<T> | null {
  const width = columnWidth(column)
  if (width === null) return null
  if (width < 0) return bytesReader({ kind: 'binary', of }, -width)
  return (cursor) => {
    const start = cursor.at
    cursor.at = start + width
    return of(cursor.bytes, start, cursor.at)
  }
}
