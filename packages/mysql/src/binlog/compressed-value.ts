import type { ByteWriter } from '@tributary/support'
import { inflateRawSync, inflateSync } from 'node:zlib'
import { ColumnTypeCode, type WireColumn } from './column-type.ts'

/** Whether the values of a column have the form that `writeUncompressed` reads. */
export function isCompressed(type: number): boolean {
  return type === ColumnTypeCode.compressedBlob || type === ColumnTypeCode.compressedVarchar
}

interface ValuePlace {
  readonly start: number
  readonly end: number
}

/**
 * Appends the value of a column with MariaDB's attribute COMPRESSED (field_comp.cc, Field_longstr::uncompress). An empty
 * value has no bytes. Any other begins with a byte: in its upper four bits the method, 0 for none (the value follows) or
 * 8 for zlib. With zlib, bit 3 is set for a stream without zlib's header and checksum, and the lower three bits are the
 * number of bytes of the value's length, which follows, most significant byte first.
 *
 * Throws RangeError for bytes that are not such a value. Memory is limited by the length that the value declares, which
 * is limited by the column.
 */
export function writeUncompressed(bytes: Buffer, place: ValuePlace, column: WireColumn, out: ByteWriter): void {
  const { start, end } = place
  if (start === end) return
  const head = bytes[start] as number
  switch (head >> 4) {
    case METHOD_NONE:
      out.writeRange(bytes, start + 1, end)
      return
    case METHOD_ZLIB:
      out.write(inflated(bytes, place, bytesMax(column)))
      return
    default:
      throw new RangeError(`a value is compressed by method ${head >> 4}, which is not known`)
  }
}

const METHOD_NONE = 0
const METHOD_ZLIB = 8

function inflated(bytes: Buffer, { start, end }: ValuePlace, max: number): Buffer {
  const head = bytes[start] as number
  const lengthBytes = head & 7
  const from = start + 1 + lengthBytes
  if (lengthBytes === 0 || lengthBytes > 4 || from >= end) {
    throw new RangeError(`a compressed value of ${end - start} bytes has no length`)
  }
  const length = bytes.readUIntBE(start + 1, lengthBytes)
  if (length > max) throw new RangeError(`a compressed value declares ${length} bytes, more than its column can have`)
  const value = inflate(bytes.subarray(from, end), (head & RAW_STREAM) !== 0, length)
  if (value.length === length) return value
  throw new RangeError(`a compressed value declares ${length} bytes and has ${value.length}`)
}

const RAW_STREAM = 8

function inflate(stream: Buffer, isRaw: boolean, length: number): Buffer {
  // A limit of 0 is not allowed.
  const limit = { maxOutputLength: Math.max(1, length) }
  try {
    return isRaw ? inflateRawSync(stream, limit) : inflateSync(stream, limit)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RangeError(`a compressed value cannot be decompressed: ${reason}`, { cause: error })
  }
}

/**
 * Bytes of the longest value. The length of a VARCHAR in a table map counts the byte of the method, too. A statement, and
 * so a value, is never longer than max_allowed_packet can be.
 */
function bytesMax({ type, meta }: WireColumn): number {
  return type === ColumnTypeCode.compressedVarchar ? meta - 1 : Math.min(2 ** (8 * meta) - 1, PACKET_BYTES_MAX)
}

const PACKET_BYTES_MAX = 2 ** 30
