import { ColumnTypeCode, type WireColumn } from './column-type.ts'
import { readLengthEncoded, type LengthCursor } from '../types/length-encoded.ts'

/** A table as the row events that follow use it. */
export interface TableMap {
  readonly database: string
  readonly table: string
  readonly columns: readonly WireColumn[]
  /** What follows the types of the columns: null bitmap · optional metadata. `tableMapDetails` reads it. */
  readonly tail: Buffer
}

/** Bytes before the part that describes the table. */
export const TABLE_MAP_ID_BYTES = 6

/**
 * Body of TABLE_MAP_EVENT: int<6> table id · int<2> flags · string<lenenc1> database · 0x00 · string<lenenc1> table ·
 * 0x00 · int<lenenc> columns · type bytes · string<lenenc> type metadata · null bitmap · optional metadata to the end.
 * The tail is copied and not read: only captured tables need it, once per version.
 *
 * Throws RangeError if a part extends past the end.
 */
export function parseTableMap(bytes: Buffer, start: number, end: number): TableMap {
  const cursor: LengthCursor = { at: start + TABLE_MAP_ID_BYTES + 2 }
  const database = readName(bytes, cursor)
  const table = readName(bytes, cursor)
  const count = readLengthEncoded(bytes, cursor)
  const types = cursor.at
  cursor.at += count
  // Checked before anything is allocated per column: a damaged count may be any number.
  if (cursor.at > end) throw new RangeError(`a table map of ${count} columns extends past its end`)
  const metaLength = readLengthEncoded(bytes, cursor)
  if (cursor.at + metaLength + ((count + 7) >> 3) > end)
    throw new RangeError('the column metadata of a table map extends past its end')
  const columns = readColumns(bytes, { types, count, meta: cursor.at, metaEnd: cursor.at + metaLength })
  // Not of the shared pool, which a copy that lives long would keep from being freed.
  const tail = Buffer.alloc(end - cursor.at - metaLength)
  bytes.copy(tail, 0, cursor.at + metaLength, end)
  return { database, table, columns, tail }
}

function readName(bytes: Buffer, cursor: LengthCursor): string {
  const length = readLengthEncoded(bytes, cursor)
  const text = bytes.utf8Slice(cursor.at, cursor.at + length)
  cursor.at += length + 1
  return text
}

interface ColumnRun {
  readonly types: number
  readonly count: number
  readonly meta: number
  readonly metaEnd: number
}

/**
 * After a type that this version does not know, the metadata of the following columns cannot be located, so these
 * columns get no metadata. Rows of such a table can be neither read nor skipped one by one, but the table may not be
 * captured.
 */
function readColumns(bytes: Buffer, { types, count, meta, metaEnd }: ColumnRun): WireColumn[] {
  const columns: WireColumn[] = []
  let at = meta
  let isKnown = true
  for (let i = 0; i < count; i++) {
    const type = bytes[types + i] as number
    const size = metaBytes(type)
    isKnown &&= size >= 0
    if (!isKnown) {
      columns.push({ type, meta: 0 })
      continue
    }
    if (at + size > metaEnd) throw new RangeError('the column metadata of a table map is too short')
    columns.push(readColumn(type, bytes, at))
    at += size
  }
  if (isKnown && at !== metaEnd) throw new RangeError('the column metadata of a table map does not fit its types')
  return columns
}

/** Bytes of metadata per type (log_event.cc, Table_map_log_event); -1 for a type that is not known. */
function metaBytes(type: number): number {
  switch (type) {
    case ColumnTypeCode.float:
    case ColumnTypeCode.double:
    case ColumnTypeCode.tinyBlob:
    case ColumnTypeCode.mediumBlob:
    case ColumnTypeCode.longBlob:
    case ColumnTypeCode.blob:
    case ColumnTypeCode.json:
    case ColumnTypeCode.geometry:
    case ColumnTypeCode.vector:
    case ColumnTypeCode.timestamp2:
    case ColumnTypeCode.datetime2:
    case ColumnTypeCode.time2:
    case ColumnTypeCode.compressedBlob:
      return 1
    case ColumnTypeCode.varchar:
    case ColumnTypeCode.bit:
    case ColumnTypeCode.newDecimal:
    case ColumnTypeCode.enum:
    case ColumnTypeCode.set:
    case ColumnTypeCode.varString:
    case ColumnTypeCode.string:
    case ColumnTypeCode.compressedVarchar:
      return 2
    case ColumnTypeCode.tiny:
    case ColumnTypeCode.short:
    case ColumnTypeCode.int24:
    case ColumnTypeCode.long:
    case ColumnTypeCode.longLong:
    case ColumnTypeCode.timestamp:
    case ColumnTypeCode.date:
    case ColumnTypeCode.time:
    case ColumnTypeCode.datetime:
    case ColumnTypeCode.year:
      return 0
    default:
      return -1
  }
}

function readColumn(type: number, bytes: Buffer, at: number): WireColumn {
  switch (metaBytes(type)) {
    case 1:
      return { type, meta: bytes[at] as number }
    case 2:
      return type === ColumnTypeCode.string ? readStringColumn(bytes, at) : { type, meta: readMeta2(type, bytes, at) }
    default:
      return { type, meta: 0 }
  }
}

/** Decimal: precision and scale, kept as precision × 256 + scale. BIT: bits and bytes, kept as a number of bits. */
function readMeta2(type: number, bytes: Buffer, at: number): number {
  const first = bytes[at] as number
  const second = bytes[at + 1] as number
  if (type === ColumnTypeCode.newDecimal) return (first << 8) | second
  if (type === ColumnTypeCode.bit) return second * 8 + first
  return first | (second << 8)
}

/**
 * CHAR, BINARY, ENUM and SET share type 254. The first byte holds the real type; for lengths of CHAR above 255 two bits
 * of the length are hidden in it, inverted (Field_string::do_save_field_metadata).
 */
function readStringColumn(bytes: Buffer, at: number): WireColumn {
  const first = bytes[at] as number
  const second = bytes[at + 1] as number
  if (first === ColumnTypeCode.enum || first === ColumnTypeCode.set) return { type: first, meta: second }
  if ((first & 0x30) !== 0x30) {
    return { type: ColumnTypeCode.string, meta: second | (((first & 0x30) ^ 0x30) << 4) }
  }
  return { type: ColumnTypeCode.string, meta: second }
}
