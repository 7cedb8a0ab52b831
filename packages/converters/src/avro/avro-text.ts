import type { TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { isUtf8 } from 'node:buffer'
import { isAscii } from '../text/is-ascii.ts'
import { writeInt } from './avro-bytes.ts'

/** Appends a string: its length in bytes, then UTF-8. */
export function writeText(text: string, out: ByteWriter): void {
  const { length } = text
  if (length <= GUESSED_MAX) {
    // Nearly all text is ASCII, where the number of bytes is that of the characters: it is written first and checked
    // afterwards.
    const start = out.position
    out.byte(length << 1)
    out.utf8(text)
    if (out.position - start - 1 === length) return
    out.position = start
  }
  // Java writes an unpaired surrogate as a question mark.
  const whole = text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, '?')
  writeInt(Buffer.byteLength(whole), out)
  out.utf8(whole)
}

/** Lengths below 64 are encoded in one byte. */
const GUESSED_MAX = 63

/** Appends the database bytes `[start, end)` as a string. */
export type AvroTextBytesWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** Returns the writer for text of a charset. It copies ASCII and valid UTF-8; all other text is decoded first. */
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
