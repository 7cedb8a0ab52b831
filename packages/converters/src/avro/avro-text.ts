import type { TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { isUtf8 } from 'node:buffer'
import { wordAt } from '../writers/word-at.ts'
import { writeInt } from './avro-bytes.ts'

/** A string: its length in bytes, then UTF-8. */
export function writeText(text: string, out: ByteWriter): void {
  const { length } = text
  if (length <= GUESSED_MAX) {
    // Nearly all text is ASCII: the length is guessed, and its one byte stays right for it.
    const start = out.position
    out.byte(length << 1)
    out.utf8(text)
    if (out.position - start - 1 === length) return
    out.position = start
  }
  // Java writes half a surrogate pair as a question mark.
  const whole = text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, '?')
  writeInt(Buffer.byteLength(whole), out)
  out.utf8(whole)
}

/** Lengths below 64 take one byte. */
const GUESSED_MAX = 63

/** Appends a string from database bytes `[start, end)`. */
export type AvroTextBytesWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** The writer for text of a charset. Bytes that are ASCII, or UTF-8 already, are copied; others are decoded first. */
export function avroTextBytesWriter(charset: TextCharset): AvroTextBytesWriter {
  const writeDecoded: AvroTextBytesWriter = (bytes, start, end, out) =>
    writeText(charset.decode(bytes, start, end), out)
  if (!charset.isAsciiCompatible) return writeDecoded
  const { isUtf8: isUtf8Charset } = charset
  return (bytes, start, end, out) => {
    if (isAscii(bytes, start, end) || (isUtf8Charset && isUtf8(bytes.subarray(start, end)))) {
      writeInt(end - start, out)
      out.writeRange(bytes, start, end)
    } else {
      writeDecoded(bytes, start, end, out)
    }
  }
}

/** Four bytes at a time: a native look costs its call and a view of the bytes. */
function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  for (const wordsEnd = end - 3; at < wordsEnd; at += 4) if ((wordAt(bytes, at) & NOT_ASCII) !== 0) return false
  for (; at < end; at++) if ((bytes[at] as number) >= 0x80) return false
  return true
}

const NOT_ASCII = 0x8080_8080 | 0
