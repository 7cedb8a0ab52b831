import { ByteRun, type ByteWriter } from '@tributary/support'
import { formatDouble } from '../values/format-double.ts'
import { writeOpaque } from './json-opaque.ts'
import { writeJsonString } from '../values/json-string.ts'

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
  writeValue({ bytes, end, out, bytesLeft: end - start }, bytes[start] as number, start + 1, 0)
}

interface Document {
  readonly bytes: Buffer
  readonly end: number
  readonly out: ByteWriter
  /** How many bytes of the document may still be read. */
  bytesLeft: number
}

/** Counts `length` bytes as read, before the caller reads them. */
function take(document: Document, start: number, length: number): void {
  document.bytesLeft -= length
  if (start + length > document.end || document.bytesLeft < 0)
    throw new RangeError('a JSON document points outside itself')
}

const Type = {
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
const DEPTH_MAX = 100

function writeValue(document: Document, type: number, at: number, depth: number): void {
  const { bytes, out } = document
  switch (type) {
    case Type.smallObject:
    case Type.largeObject:
      writeContainer(document, at, { isLarge: type === Type.largeObject, isObject: true, depth })
      return
    case Type.smallArray:
    case Type.largeArray:
      writeContainer(document, at, { isLarge: type === Type.largeArray, isObject: false, depth })
      return
    case Type.string: {
      const first = bytes[at] as number
      const { length, start } = first < 0x80 ? { length: first, start: at + 1 } : readVariableLength(bytes, at)
      take(document, start, length)
      writeJsonString(bytes, start, start + length, out)
      return
    }
    case Type.opaque: {
      const { length, start } = readVariableLength(bytes, at + 1)
      take(document, start, length)
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

function scalarBytes(type: number): number {
  switch (type) {
    case Type.literal:
      return 1
    case Type.int16:
    case Type.uint16:
      return 2
    case Type.int32:
    case Type.uint32:
      return 4
    default:
      return 8
  }
}

function writeScalar(bytes: Buffer, type: number, at: number, out: ByteWriter): void {
  switch (type) {
    case Type.literal:
      out.run(literalRun(bytes[at] as number))
      return
    case Type.int16:
      out.integer(bytes.readInt16LE(at))
      return
    case Type.uint16:
      out.integer(bytes.readUInt16LE(at))
      return
    case Type.int32:
      out.integer(bytes.readInt32LE(at))
      return
    case Type.uint32:
      out.integer(bytes.readUInt32LE(at))
      return
    case Type.int64:
      out.integer64(bytes.readBigInt64LE(at))
      return
    case Type.uint64:
      out.ascii(String(bytes.readBigUInt64LE(at)))
      return
    case Type.double:
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

interface ContainerForm {
  readonly isLarge: boolean
  readonly isObject: boolean
  readonly depth: number
}

function writeContainer(document: Document, start: number, { isLarge, isObject, depth }: ContainerForm): void {
  const { bytes, out } = document
  const size = isLarge ? 4 : 2
  if (depth >= DEPTH_MAX) throw new RangeError(`a JSON document is deeper than ${DEPTH_MAX}`)
  take(document, start, 2 * size)
  const count = readOffset(bytes, start, isLarge)
  const keys = start + 2 * size
  const keyEntry = size + 2
  const values = isObject ? keys + count * keyEntry : keys
  take(document, keys, count * (isObject ? keyEntry + 1 + size : 1 + size))
  out.byte(isObject ? 0x7b : 0x5b)
  for (let i = 0; i < count; i++) {
    if (i > 0) out.byte(0x2c)
    if (isObject) {
      const entry = keys + i * keyEntry
      const keyStart = start + readOffset(bytes, entry, isLarge)
      const keyLength = bytes.readUInt16LE(entry + size)
      take(document, keyStart, keyLength)
      writeJsonString(bytes, keyStart, keyStart + keyLength, out)
      out.byte(0x3a)
    }
    const entry = values + i * (1 + size)
    const type = bytes[entry] as number
    const at = isInlined(type, isLarge) ? entry + 1 : start + readOffset(bytes, entry + 1, isLarge)
    writeValue(document, type, at, depth + 1)
  }
  out.byte(isObject ? 0x7d : 0x5d)
}

function readOffset(bytes: Buffer, at: number, isLarge: boolean): number {
  return isLarge ? bytes.readUInt32LE(at) : bytes.readUInt16LE(at)
}

/** Whether a value is stored in the place of its offset: if it fits. */
function isInlined(type: number, isLarge: boolean): boolean {
  if (type === Type.literal || type === Type.int16 || type === Type.uint16) return true
  return isLarge && (type === Type.int32 || type === Type.uint32)
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
