import { assert, unreachable } from '@tributary/support'
import type { Charset } from '../types/charset.ts'
import { type LengthCursor, readLengthEncoded } from '../types/length-encoded.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import { daysSince1970 } from './civil-days.ts'
import { FIELD_TYPE, type ResultColumn } from './column-definition.ts'
import { textReader } from './text-readers.ts'

/** Reads the value at the cursor and moves it after the value. The server does not send NULL as a value. */
export type BinaryValueReader<T> = (bytes: Buffer, cursor: LengthCursor) => T

/** What the members of ENUM and SET columns are called; their values are sent as these texts. */
export interface MemberLabels {
  readonly members: readonly string[]
  readonly charset: Charset
}

/**
 * A reader for a column of the type that the target is for. `labels`: of ENUM and SET.
 *
 * Protocol page "Binary Protocol Value": numbers are little-endian, dates and times have a length, all others are texts
 * as in a text row.
 */
export function binaryReader<T>(
  column: ResultColumn,
  target: ColumnTarget<T>,
  labels: MemberLabels | null,
): BinaryValueReader<T> {
  switch (target.kind) {
    case 'integer':
    case 'year': {
      const { of } = target as { readonly of: ((value: number | bigint) => T) | null }
      const read = integerReader(column)
      return of === null ? (read as BinaryValueReader<T>) : (bytes, cursor) => of(read(bytes, cursor))
    }
    case 'float':
    case 'double': {
      const { of } = target
      const read = column.type === FIELD_TYPE.float ? readFloat : readDouble
      return of === null
        ? (read as BinaryValueReader<unknown> as BinaryValueReader<T>)
        : (b, cursor) => of(read(b, cursor))
    }
    case 'date':
      return (bytes, cursor) => target.of(readDateTime(bytes, cursor).date)
    case 'datetime':
      return (bytes, cursor) => {
        const { date, micros } = readDateTime(bytes, cursor)
        return target.of(date, micros)
      }
    case 'timestamp':
      return (bytes, cursor) => timestampOf(readDateTime(bytes, cursor), target.of)
    case 'time':
      return (bytes, cursor) => target.of(readTime(bytes, cursor))
    case 'enum':
      return labelled(labels, (label, members) => target.of(enumIndex(label, members)))
    case 'set':
      return labelled(labels, (label, members) => target.of(setBits(label, members)))
    case 'decimal':
    case 'text':
    case 'binary':
    case 'bit':
    case 'json':
    case 'geometry':
    case 'vector':
    case 'uuid':
    case 'inet4':
    case 'inet6':
    case 'raw': {
      const read = textReader(target)
      return (bytes, cursor) => {
        const end = endOfText(bytes, cursor)
        const start = cursor.at
        cursor.at = end
        return read(bytes, start, end)
      }
    }
    default:
      return unreachable(target)
  }
}

/** Moves the cursor after a value that nobody needs. */
export function binarySkipper({ type }: ResultColumn): BinaryValueReader<void> {
  const size = FIXED_SIZES.get(type)
  if (size === undefined) {
    return (bytes, cursor) => {
      cursor.at = endOfText(bytes, cursor)
    }
  }
  return (_bytes, cursor) => {
    cursor.at += size
  }
}

/** Dates and times also begin with their length, as texts do. */
const FIXED_SIZES: ReadonlyMap<number, number> = new Map([
  [FIELD_TYPE.tiny, 1],
  [FIELD_TYPE.short, 2],
  [FIELD_TYPE.year, 2],
  [FIELD_TYPE.int24, 4],
  [FIELD_TYPE.long, 4],
  [FIELD_TYPE.float, 4],
  [FIELD_TYPE.longlong, 8],
  [FIELD_TYPE.double, 8],
])

/** The end of the text whose length is at the cursor, which is then at its first byte. */
function endOfText(bytes: Buffer, cursor: LengthCursor): number {
  const length = readLengthEncoded(bytes, cursor)
  const end = cursor.at + length
  // The codec compares with the end of the row afterwards; readers of a text go through all of it before.
  if (end > bytes.length) throw new RangeError(`a value of ${length} bytes extends past its end`)
  return end
}

function integerReader({ type, isUnsigned }: ResultColumn): BinaryValueReader<number | bigint> {
  const size = FIXED_SIZES.get(type) ?? 0
  if (size === 8) {
    return (bytes, cursor) => {
      const value = isUnsigned ? bytes.readBigUInt64LE(cursor.at) : bytes.readBigInt64LE(cursor.at)
      cursor.at += 8
      return BigInt.asIntN(54, value) === value ? Number(value) : value
    }
  }
  assert(size === 1 || size === 2 || size === 4, 'whole numbers have 1, 2, 4 or 8 bytes')
  return (bytes, cursor) => {
    const value = isUnsigned ? bytes.readUIntLE(cursor.at, size) : bytes.readIntLE(cursor.at, size)
    cursor.at += size
    return value
  }
}

function readFloat(bytes: Buffer, cursor: LengthCursor): number {
  cursor.at += 4
  return bytes.readFloatLE(cursor.at - 4)
}

function readDouble(bytes: Buffer, cursor: LengthCursor): number {
  cursor.at += 8
  return bytes.readDoubleLE(cursor.at - 8)
}

/** As `ColumnTarget` passes them: year × 10000 + month × 100 + day, and microseconds since midnight. */
interface DateTime {
  readonly date: number
  readonly micros: number
}

/**
 * Length 0, 4, 7 or 11: int<2> year · int<1> month · day · hour · minute · second · int<4> microseconds. Zeros at the
 * end are omitted.
 */
function readDateTime(bytes: Buffer, cursor: LengthCursor): DateTime {
  const length = bytes.readUInt8(cursor.at)
  const at = cursor.at + 1
  cursor.at = at + length
  if (length === 0) return { date: 0, micros: 0 }
  if (length !== 4 && length !== 7 && length !== 11) throw new RangeError(`a date of ${length} bytes`)
  const date = bytes.readUInt16LE(at) * 10_000 + bytes.readUInt8(at + 2) * 100 + bytes.readUInt8(at + 3)
  if (length === 4) return { date, micros: 0 }
  const seconds = bytes.readUInt8(at + 4) * 3600 + bytes.readUInt8(at + 5) * 60 + bytes.readUInt8(at + 6)
  return { date, micros: seconds * 1e6 + (length === 11 ? bytes.readUInt32LE(at + 7) : 0) }
}

/** In UTC: the session's time_zone must be +00:00. */
function timestampOf<T>({ date, micros }: DateTime, of: (seconds: number, micros: number) => T): T {
  if (date === 0) return of(0, 0)
  const second = Math.floor(micros / 1e6)
  return of(daysSince1970(date) * 86_400 + second, micros - second * 1e6)
}

/** Length 0, 8 or 12: int<1> is negative · int<4> days · int<1> hours · minutes · seconds · int<4> microseconds. */
function readTime(bytes: Buffer, cursor: LengthCursor): number {
  const length = bytes.readUInt8(cursor.at)
  const at = cursor.at + 1
  cursor.at = at + length
  if (length === 0) return 0
  if (length !== 8 && length !== 12) throw new RangeError(`a time of ${length} bytes`)
  const hours = bytes.readUInt32LE(at + 1) * 24 + bytes.readUInt8(at + 5)
  const seconds = hours * 3600 + bytes.readUInt8(at + 6) * 60 + bytes.readUInt8(at + 7)
  const micros = seconds * 1e6 + (length === 12 ? bytes.readUInt32LE(at + 8) : 0)
  return bytes[at] === 1 && micros !== 0 ? -micros : micros
}

function labelled<T>(
  labels: MemberLabels | null,
  valueOf: (label: string, members: readonly string[]) => T,
): BinaryValueReader<T> {
  assert(labels !== null, 'a column of ENUM or SET has labels')
  const { members, charset } = labels
  return (bytes, cursor) => {
    const end = endOfText(bytes, cursor)
    const label = charset.decode(bytes, cursor.at, end)
    cursor.at = end
    return valueOf(label, members)
  }
}

/** The empty text of an invalid value has the number 0, unless a member is empty: events have the same text for both. */
function enumIndex(label: string, members: readonly string[]): number {
  const index = members.indexOf(label)
  if (index < 0 && label !== '') throw new LabelError(label)
  return index + 1
}

function setBits(label: string, members: readonly string[]): number | bigint {
  let bits = 0n
  for (const each of label === '' ? [] : label.split(',')) {
    const index = members.indexOf(each)
    if (index < 0) throw new LabelError(each)
    bits |= 1n << BigInt(index)
  }
  return BigInt.asIntN(54, bits) === bits ? Number(bits) : bits
}

/** A value that the ENUM or SET does not have as a member: the statement computes it, or reads it from another column. */
export class LabelError extends Error {
  constructor(label: string) {
    super(`'${label}' is no member of the column`)
  }
}
