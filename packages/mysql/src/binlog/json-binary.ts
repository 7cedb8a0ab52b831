import { ByteRun, type ByteWriter } from '@tributary/support'
import { formatDouble } from '../values/format-double.ts'
import { writeOpaque } from './json-opaque.ts'
import { writeJsonString } from '../values/json-string.ts'
import { uint32 } from './uint32.ts'

/**
 * Writes the text of a binary JSON document (MySQL 5.7 and later, sql-common/json_binary.h). Scalars have the server's
 * form and there are no spaces between tokens, so that the text equals the server's without its spaces.
 *
 * Document: type byte · value. Objects and arrays are small (2-byte offsets) or large (4-byte): count · size in bytes ·
 * key entries (offset, int<2> length; objects only) · value entries (type byte, offset or the value itself) · keys ·
 * values.
 *
 * Throws RangeError for bytes that are not such a document. The offsets of a damaged document may point back and
 * produce an endless text. A valid document needs no byte twice, so the reader never reads more bytes than the document
 * has.
 */
export function writeJsonText(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  if (start === end) {
    // The server stores an empty value where ALTER TABLE turned a NULL into NOT NULL, and prints it as null.
    out.ascii('null')
    return
  }
  writeJsonValue({ bytes, end, out, bytesLeft: end - start }, bytes[start] as number, start + 1, 0)
}

/** A binary document that is being read, and where its text goes. */
export interface JsonDocument {
  readonly bytes: Buffer
  readonly end: number
  readonly out: ByteWriter
  /** How many bytes of the document may still be read. */
  bytesLeft: number
}

/** Counts `length` bytes as read, before the caller reads them. */
export function takeJsonBytes(document: JsonDocument, start: number, length: number): void {
  document.bytesLeft -= length
  if (start + length > document.end || document.bytesLeft < 0)
    throw new RangeError('a JSON document points outside itself')
}

export const JsonType = {
  smallObject: 0,
  largeObject: 1,
  smallArray: 2,
  largeArray: 3,
  literal: 4,
  int16: 5,
  uint16: 6,
  int32: 7,
  uint32: 8,
  int64: 9,
  uint64: 10,
  double: 11,
  string: 12,
  opaque: 15,
} as const

const LITERALS = [new ByteRun('null'), new ByteRun('true'), new ByteRun('false')]
/** The server's own limit (JSON_DOCUMENT_MAX_DEPTH). */
export const JSON_DEPTH_MAX = 100

/** Writes the text of a value. Throws RangeError as `writeJsonText` does. */
export function writeJsonValue(document: JsonDocument, type: number, at: number, depth: number): void {
  const { bytes, out } = document
  switch (type) {
    case JsonType.smallObject:
    case JsonType.largeObject:
    case JsonType.smallArray:
    case JsonType.largeArray:
      writeContainer(document, type, at, depth)
      return
    case JsonType.string: {
      const first = bytes[at] as number
      if (first < 0x80) {
        writeTaken(document, at + 1, first)
        return
      }
      const { length, start } = readVariableLength(bytes, at)
      writeTaken(document, start, length)
      return
    }
    case JsonType.opaque: {
      const { length, start } = readVariableLength(bytes, at + 1)
      takeJsonBytes(document, start, length)
      writeOpaque(bytes[at] as number, bytes, { start, end: start + length }, out)
      return
    }
    default:
      // Only the bounds are checked. A scalar that is stored in the place of its offset was counted with its entry, and
      // counting it again would make a valid document fail.
      if (at + scalarBytes(type) > document.end) throw new RangeError('a JSON document points outside itself')
      writeScalar(bytes, type, at, out)
  }
}

/** Writes that many bytes of the document as a string. */
function writeTaken(document: JsonDocument, start: number, length: number): void {
  takeJsonBytes(document, start, length)
  writeJsonString(document.bytes, start, start + length, document.out)
}

function scalarBytes(type: number): number {
  switch (type) {
    case JsonType.literal:
      return 1
    case JsonType.int16:
    case JsonType.uint16:
      return 2
    case JsonType.int32:
    case JsonType.uint32:
      return 4
    default:
      return 8
  }
}

function writeScalar(bytes: Buffer, type: number, at: number, out: ByteWriter): void {
  switch (type) {
    case JsonType.literal:
      out.run(literalRun(bytes[at] as number))
      return
    case JsonType.int16:
      out.integer((uint16(bytes, at) << 16) >> 16)
      return
    case JsonType.uint16:
      out.integer(uint16(bytes, at))
      return
    case JsonType.int32:
      out.integer(uint32(bytes, at) | 0)
      return
    case JsonType.uint32:
      out.integer(uint32(bytes, at))
      return
    case JsonType.int64:
      out.integer64(bytes.readBigInt64LE(at))
      return
    case JsonType.uint64:
      out.ascii(String(bytes.readBigUInt64LE(at)))
      return
    case JsonType.double:
      out.ascii(formatDouble(bytes.readDoubleLE(at)))
      return
    default:
      throw new RangeError(`type ${type} is not a type of a JSON value`)
  }
}

function literalRun(literal: number): ByteRun {
  const run = LITERALS[literal]
  if (run === undefined) throw new RangeError(`${literal} is not a literal of JSON`)
  return run
}

function writeContainer(document: JsonDocument, type: number, start: number, depth: number): void {
  const { bytes, out } = document
  const isLarge = type === JsonType.largeObject || type === JsonType.largeArray
  const isObject = type === JsonType.smallObject || type === JsonType.largeObject
  const size = isLarge ? 4 : 2
  if (depth >= JSON_DEPTH_MAX) throw new RangeError(`a JSON document is deeper than ${JSON_DEPTH_MAX}`)
  takeJsonBytes(document, start, 2 * size)
  const count = readJsonOffset(bytes, start, isLarge)
  const keys = start + 2 * size
  const keyEntry = size + 2
  const values = isObject ? keys + count * keyEntry : keys
  takeJsonBytes(document, keys, count * (isObject ? keyEntry + 1 + size : 1 + size))
  out.byte(isObject ? 0x7b : 0x5b)
  for (let i = 0; i < count; i++) {
    if (i > 0) out.byte(0x2c)
    if (isObject) {
      const entry = keys + i * keyEntry
      const keyStart = start + readJsonOffset(bytes, entry, isLarge)
      writeTaken(document, keyStart, uint16(bytes, entry + size))
      out.byte(0x3a)
    }
    const entry = values + i * (1 + size)
    const itemType = bytes[entry] as number
    const at = isJsonInlined(itemType, isLarge) ? entry + 1 : start + readJsonOffset(bytes, entry + 1, isLarge)
    writeJsonValue(document, itemType, at, depth + 1)
  }
  out.byte(isObject ? 0x7d : 0x5d)
}

/** `takeJsonBytes` has checked that the bytes are there: so no native check is needed, which takes as long as the rest. */
export function readJsonOffset(bytes: Buffer, at: number, isLarge: boolean): number {
  return isLarge ? uint32(bytes, at) : uint16(bytes, at)
}

function uint16(bytes: Buffer, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

/** Whether a value is stored in the place of its offset: if it fits. */
export function isJsonInlined(type: number, isLarge: boolean): boolean {
  if (type === JsonType.literal || type === JsonType.int16 || type === JsonType.uint16) return true
  return isLarge && (type === JsonType.int32 || type === JsonType.uint32)
}

/**
 * Length of strings and opaque values: seven bits per byte, lowest first; the top bit is set if another byte follows.
 */
function readVariableLength(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] as number
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { length, start: at + i + 1 }
  }
  throw new RangeError('the length of a JSON string has more than five bytes')
}
