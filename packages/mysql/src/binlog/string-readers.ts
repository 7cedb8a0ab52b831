import { ByteWriter } from '@tributary/support'
import { checkValue } from '../values/check-value.ts'
import type { ColumnTarget, FixedBinary } from '../values/column-target.ts'
import type { WireColumn } from './column-type.ts'
import { columnWidth } from './column-width.ts'
import { writeUncompressed } from './compressed-value.ts'
import { fixedBinaryText } from '../values/fixed-binary.ts'
import { type ColumnReader, type RowCursor, takeRun } from './row-cursor.ts'

type Target<K extends ColumnTarget<unknown>['kind'], T> = Extract<ColumnTarget<T>, { kind: K }>
type BytesTarget<T> = Target<'text' | 'binary', T>

/** Bytes after their length of 1 to 4 bytes, little-endian: VARCHAR, CHAR, BINARY, the BLOB and TEXT family. */
export function bytesReader<T>({ of }: BytesTarget<T>, lengthBytes: number): ColumnReader<T> {
  const readLength = lengthReader(lengthBytes)
  return (cursor) => {
    const start = takeRun(cursor, readLength(cursor))
    return of(cursor.bytes, start, cursor.at)
  }
}

/** Spatial types and vectors: bytes after their length, which are checked. */
export function checkedReader<T>({ kind, of }: Target<'geometry' | 'vector', T>, lengthBytes: number): ColumnReader<T> {
  const readLength = lengthReader(lengthBytes)
  return (cursor) => {
    const start = takeRun(cursor, readLength(cursor))
    checkValue(kind, cursor.bytes, start, cursor.at)
    return of(cursor.bytes, start, cursor.at)
  }
}

/** UUID, INET4 and INET6: up to 16 bytes after their length of one byte. */
export function fixedBinaryReader<T>({ kind, of }: Target<FixedBinary, T>): ColumnReader<T> {
  return (cursor) => {
    const start = takeRun(cursor, cursor.bytes[cursor.at++] as number)
    return of(fixedBinaryText(kind, cursor.bytes, start, cursor.at))
  }
}

/** Columns of MariaDB with the attribute COMPRESSED. The target gets the value itself, in a buffer of its own. */
export function uncompressedReader<T>(column: WireColumn, { of }: BytesTarget<T> | Target<'raw', T>): ColumnReader<T> {
  const readLength = lengthReader(-(columnWidth(column) ?? -1))
  const out = new ByteWriter(1024)
  return (cursor) => {
    const start = takeRun(cursor, readLength(cursor))
    out.reset()
    writeUncompressed(cursor.bytes, { start, end: cursor.at }, column, out)
    const value = out.copy()
    return of(value, 0, value.length)
  }
}

export function lengthReader(lengthBytes: number): (cursor: RowCursor) => number {
  switch (lengthBytes) {
    case 1:
      return (cursor) => cursor.bytes[cursor.at++] as number
    case 2:
      return (cursor) => cursor.bytes.readUInt16LE((cursor.at += 2) - 2)
    case 3:
      return (cursor) => cursor.bytes.readUIntLE((cursor.at += 3) - 3, 3)
    default:
      return (cursor) => cursor.bytes.readUInt32LE((cursor.at += 4) - 4)
  }
}

/** BIT(n): n bits in whole bytes, big-endian. */
export function bitReader<T>({ of }: Target<'bit', T>, bits: number): ColumnReader<T> {
  const length = (bits + 7) >> 3
  return (cursor) => {
    const start = cursor.at
    cursor.at = start + length
    return of(cursor.bytes, start, cursor.at)
  }
}

/** ENUM: the number of the member in 1 or 2 bytes, little-endian. */
export function enumReader<T>({ of }: Target<'enum', T>, length: number): ColumnReader<T> {
  return length === 1
    ? (cursor) => of(cursor.bytes[cursor.at++] as number)
    : (cursor) => of(cursor.bytes.readUInt16LE((cursor.at += 2) - 2))
}

/** SET: one bit per member in 1 to 8 bytes, little-endian. */
export function setReader<T>({ of }: Target<'set', T>, length: number): ColumnReader<T> {
  if (length <= 6) return (cursor) => of(cursor.bytes.readUIntLE((cursor.at += length) - length, length))
  return (cursor) => {
    const low = cursor.bytes.readUInt32LE(cursor.at)
    const high = cursor.bytes.readUIntLE(cursor.at + 4, length - 4)
    cursor.at += length
    return of(high < 0x20_00_00 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low))
  }
}
