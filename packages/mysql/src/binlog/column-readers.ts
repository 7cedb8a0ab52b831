import { unreachable } from '@tributary/support'
import type { ColumnTarget } from '../values/column-target.ts'
import { ColumnTypeCode, columnTypeName, type WireColumn } from './column-type.ts'
import { jsonReader } from './json-reader.ts'
import { decimalReader, doubleReader, floatReader, integerReader } from './number-readers.ts'
import type { ColumnReader } from './row-cursor.ts'
import { bitReader, bytesReader, enumReader, setReader } from './string-readers.ts'
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
    case ColumnTypeCode.geometry:
      return bytesReader(target, meta)
    default:
      return null
  }
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
export function columnSkipper({ type, meta }: WireColumn): ColumnReaderResult<null> {
  if (type === ColumnTypeCode.json || type === ColumnTypeCode.vector) {
    // A value after its length is skipped as a whole.
    return { tag: 'reader', reader: bytesReader({ kind: 'binary', of: ignore }, meta) }
  }
  const target = SKIP_TARGETS.get(type)
  if (target === undefined)
    return { tag: 'misfit', reason: `the binlog holds ${columnTypeName(type)}, which this version cannot read` }
  return columnReader<null>({ type, meta }, target)
}

const ignore = (): null => null

/** For each wire type, a target that accepts any value and drops it. */
const SKIP_TARGETS: ReadonlyMap<number, ColumnTarget<null>> = new Map<number, ColumnTarget<null>>([
  ...[
    ColumnTypeCode.tiny,
    ColumnTypeCode.short,
    ColumnTypeCode.int24,
    ColumnTypeCode.long,
    ColumnTypeCode.longLong,
  ].map((type) => [type, { kind: 'integer', isUnsigned: false, of: ignore }] as const),
  ...[ColumnTypeCode.float, ColumnTypeCode.double].map((type) => [type, { kind: 'double', of: ignore }] as const),
  ...[
    ColumnTypeCode.varchar,
    ColumnTypeCode.varString,
    ColumnTypeCode.string,
    ColumnTypeCode.blob,
    ColumnTypeCode.tinyBlob,
    ColumnTypeCode.mediumBlob,
    ColumnTypeCode.longBlob,
    ColumnTypeCode.geometry,
  ].map((type) => [type, { kind: 'binary', of: ignore }] as const),
  [ColumnTypeCode.newDecimal, { kind: 'decimal', of: ignore }],
  [ColumnTypeCode.bit, { kind: 'bit', of: ignore }],
  [ColumnTypeCode.enum, { kind: 'enum', of: ignore }],
  [ColumnTypeCode.set, { kind: 'set', of: ignore }],
  [ColumnTypeCode.date, { kind: 'date', of: ignore }],
  [ColumnTypeCode.year, { kind: 'year', of: ignore }],
  [ColumnTypeCode.time, { kind: 'time', of: ignore }],
  [ColumnTypeCode.time2, { kind: 'time', of: ignore }],
  [ColumnTypeCode.datetime, { kind: 'datetime', of: ignore }],
  [ColumnTypeCode.datetime2, { kind: 'datetime', of: ignore }],
  [ColumnTypeCode.timestamp, { kind: 'timestamp', of: ignore }],
  [ColumnTypeCode.timestamp2, { kind: 'timestamp', of: ignore }],
])
