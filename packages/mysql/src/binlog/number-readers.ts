import type { ColumnTarget } from '../values/column-target.ts'
import { ColumnTypeCode } from './column-type.ts'
import { type DigitGroup, digitGroups } from './packed-decimal.ts'
import type { ColumnReader, RowCursor } from './row-cursor.ts'

type Target<K extends ColumnTarget<unknown>['kind'], T> = Extract<ColumnTarget<T>, { kind: K }>

/** Integers are little-endian two's complement. Only the table definition specifies whether they are signed. */
export function integerReader<T>(type: number, target: Target<'integer', T>): ColumnReader<T> | null {
  const read = target.isUnsigned ? unsignedReader(type) : signedReader(type)
  if (read === null) return null
  const { of } = target
  return of === null ? (read as ColumnReader<T>) : (cursor) => of(read(cursor))
}

function signedReader(type: number): ((cursor: RowCursor) => number | bigint) | null {
  switch (type) {
    case ColumnTypeCode.tiny:
      return (cursor) => ((cursor.bytes[cursor.at++] as number) << 24) >> 24
    case ColumnTypeCode.short:
      return (cursor) => (readUnsigned2(cursor) << 16) >> 16
    case ColumnTypeCode.int24:
      return (cursor) => (readUnsigned3(cursor) << 8) >> 8
    case ColumnTypeCode.long:
      return (cursor) => readSigned4(cursor)
    case ColumnTypeCode.longLong:
      return (cursor) => {
        const low = readSigned4(cursor) >>> 0
        const high = readSigned4(cursor)
        // The product is exact as long as the result is below 2^53.
        if (high >= -0x20_00_00 && high < 0x20_00_00) return high * 2 ** 32 + low
        return (BigInt(high) << 32n) | BigInt(low)
      }
    default:
      return null
  }
}

function unsignedReader(type: number): ((cursor: RowCursor) => number | bigint) | null {
  switch (type) {
    case ColumnTypeCode.tiny:
      return (cursor) => cursor.bytes[cursor.at++] as number
    case ColumnTypeCode.short:
      return readUnsigned2
    case ColumnTypeCode.int24:
      return readUnsigned3
    case ColumnTypeCode.long:
      return (cursor) => readSigned4(cursor) >>> 0
    case ColumnTypeCode.longLong:
      return (cursor) => readUnsigned8(cursor)
    default:
      return null
  }
}

function readUnsigned2(cursor: RowCursor): number {
  const { bytes, at } = cursor
  cursor.at = at + 2
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

function readUnsigned3(cursor: RowCursor): number {
  const { bytes, at } = cursor
  cursor.at = at + 3
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
}

function readSigned4(cursor: RowCursor): number {
  const { bytes, at } = cursor
  cursor.at = at + 4
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

function readUnsigned8(cursor: RowCursor): number | bigint {
  const low = readSigned4(cursor) >>> 0
  const high = readSigned4(cursor) >>> 0
  if (high < 0x20_00_00) return high * 2 ** 32 + low
  return (BigInt(high) << 32n) | BigInt(low)
}

export function floatReader<T>({ of }: Target<'float' | 'double', T>): ColumnReader<T> {
  const read = (cursor: RowCursor): number => cursor.bytes.readFloatLE((cursor.at += 4) - 4)
  return of === null ? (read as unknown as ColumnReader<T>) : (cursor) => of(read(cursor))
}

export function doubleReader<T>({ of }: Target<'float' | 'double', T>): ColumnReader<T> {
  const read = (cursor: RowCursor): number => cursor.bytes.readDoubleLE((cursor.at += 8) - 8)
  return of === null ? (read as unknown as ColumnReader<T>) : (cursor) => of(read(cursor))
}

/** DECIMAL, in the form that `PackedDecimal` describes. */
export function decimalReader<T>({ of }: Target<'decimal', T>, precision: number, scale: number): ColumnReader<T> {
  const groups = digitGroups(precision, scale)
  const fitsNumber = precision <= 15
  return (cursor) => {
    const isNegative = ((cursor.bytes[cursor.at] as number) & 0x80) === 0
    const unscaled = fitsNumber ? readNumber(cursor, groups, isNegative) : readBigInt(cursor, groups, isNegative)
    return of(unscaled, scale)
  }
}

function readGroup(cursor: RowCursor, count: number, flip: number, isFirst: boolean): number {
  let value = 0
  for (let i = 0; i < count; i++) {
    let byte = cursor.bytes[cursor.at++] as number
    if (isFirst && i === 0) byte ^= 0x80
    value = value * 256 + (byte ^ flip)
  }
  return value
}

function readNumber(cursor: RowCursor, groups: readonly DigitGroup[], isNegative: boolean): number {
  const flip = isNegative ? 0xff : 0
  let value = 0
  for (let i = 0; i < groups.length; i++) {
    const { bytes, span } = groups[i] as DigitGroup
    value = value * span + readGroup(cursor, bytes, flip, i === 0)
  }
  // -0 is printed as 0.
  return isNegative && value !== 0 ? -value : value
}

function readBigInt(cursor: RowCursor, groups: readonly DigitGroup[], isNegative: boolean): number | bigint {
  const flip = isNegative ? 0xff : 0
  let value = 0n
  for (let i = 0; i < groups.length; i++) {
    const { bytes, span } = groups[i] as DigitGroup
    value = value * BigInt(span) + BigInt(readGroup(cursor, bytes, flip, i === 0))
  }
  const signed = isNegative ? -value : value
  return BigInt.asIntN(54, signed) === signed ? Number(signed) : signed
}
