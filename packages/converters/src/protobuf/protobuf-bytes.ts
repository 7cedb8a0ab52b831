import type { TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { isUtf8 } from 'node:buffer'
import { isAscii } from '../text/is-ascii.ts'

/**
 * Protobuf's binary form ("Encoding" of its documentation):
 *
 *     varint     groups of seven bits, lowest first; the top bit is set on all but the last; negative numbers as 64 bits
 *     tag        varint of the field's number times 8, plus the wire type
 *     text etc.  varint of the length, then the bytes
 */

/** Appends an unsigned integer of up to 32 bits. */
export function writeUnsigned(value: number, out: ByteWriter): void {
  let rest = value >>> 0
  while (rest >= 0x80) {
    out.byte((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  out.byte(rest)
}

/** Appends a signed integer given as two words of 32 bits. */
export function writeWords(low: number, high: number, out: ByteWriter): void {
  out.reserve(10)
  const { bytes } = out
  let at = out.position
  let [rest, upper] = [low, high]
  while (upper !== 0 || (rest & ~0x7f) !== 0) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest = (rest >>> 7) | (upper << 25)
    upper >>>= 7
  }
  bytes[at++] = rest
  out.position = at
}

/** Appends an integer within ±2^53. */
export function writeInteger(value: number, out: ByteWriter): void {
  if (value >= 0 && value < 0x80) out.byte(value)
  else writeWords(value | 0, Math.floor(value / 0x1_0000_0000), out)
}

export function writeBigInteger(value: bigint, out: ByteWriter): void {
  writeWords(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)), out)
}

/** Appends the tag and the length of what `write` appends, and that. */
export function writeSized(tag: Uint8Array, out: ByteWriter, write: () => void): void {
  out.write(tag)
  const start = out.position
  // Most messages are shorter than 128 bytes, so that one byte for the length is enough.
  out.byte(0)
  write()
  const length = out.position - start - 1
  if (length < 0x80) {
    out.bytes[start] = length
    return
  }
  const extra = varintLength(length) - 1
  out.reserve(extra)
  out.bytes.copyWithin(start + 1 + extra, start + 1, out.position)
  const end = out.position + extra
  out.position = start
  writeUnsigned(length, out)
  out.position = end
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1
  return length
}

/** Appends the length of a text in UTF-8, and the text. */
export function writeText(text: string, out: ByteWriter): void {
  // Java writes an unpaired surrogate as a question mark.
  const whole = text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, '?')
  writeUnsigned(Buffer.byteLength(whole), out)
  out.utf8(whole)
}

/** Appends the database bytes `[start, end)` as text. */
export type TextBytesWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** Returns the writer for text of a charset. It copies ASCII and valid UTF-8; all other text is decoded first. */
export function protobufTextWriter(charset: TextCharset): TextBytesWriter {
  const { isAsciiCompatible, isUtf8: isUtf8Charset } = charset
  return (bytes, start, end, out) => {
    const isCopied =
      isAsciiCompatible && (isAscii(bytes, start, end) || (isUtf8Charset && isUtf8(bytes.subarray(start, end))))
    if (isCopied) {
      writeUnsigned(end - start, out)
      out.writeRange(bytes, start, end)
    } else {
      writeText(charset.decode(bytes, start, end), out)
    }
  }
}
