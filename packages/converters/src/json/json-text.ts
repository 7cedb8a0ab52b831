import type { TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { ESCAPE_LENGTH_MAX, hasUnplainByte, isPlain, writeEscape, writeUnicodeEscape } from './json-escapes.ts'
import { copyLongUtf8, copyShortUtf8 } from './json-utf8.ts'
import { wordAt } from '../writers/word-at.ts'

/**
 * Appends a text as the inside of a JSON string. Nearly all text is plain ASCII: it is copied first and then checked
 * four bytes at a time, which saves a sixth of a record's time compared with single bytes. Only text that needs escapes
 * takes the slow path.
 */
export function writeJsonText(text: string, out: ByteWriter): void {
  const { length } = text
  if (length > SHORT_TEXT) {
    const start = out.position
    out.utf8(text)
    const isAscii = out.position - start === length
    if (isAscii ? isPlainRange(start, out) : !NEEDS_ESCAPE.test(text)) return
    out.position = start
  }
  for (let start = 0; start < length; start += CHUNK) writeChunk(text, start, Math.min(length, start + CHUNK), out)
}

/** Above this number of UTF-16 units a native copy and a check of the bytes are faster than a loop over the units. */
const SHORT_TEXT = 40
/**
 * Room is reserved for this number of units at a time, so that a long text with one escape does not reserve six times
 * its size.
 */
const CHUNK = 1024
// oxlint-disable-next-line no-control-regex -- control characters are what JSON escapes
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/

/** True when everything written since `start` is plain, so that nothing needs an escape. */
function isPlainRange(start: number, out: ByteWriter): boolean {
  const { position } = out
  // The last word may extend past the written bytes: spaces there are plain.
  out.reserve(4)
  const { view } = out
  view.setInt32(position, FOUR_SPACES, true)
  for (let at = start; at < position; at += 4) {
    if (hasUnplainByte(view.getInt32(at, true))) return false
  }
  return true
}

const FOUR_SPACES = 0x2020_2020

function writeChunk(text: string, start: number, end: number, out: ByteWriter): void {
  out.reserve((end - start) * ESCAPE_LENGTH_MAX)
  const target = out.bytes
  let at = out.position
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) {
      if (isPlain(unit)) target[at++] = unit
      else at = writeEscape(unit, target, at)
    } else if (unit < 0x800) {
      target[at++] = 0xc0 | (unit >> 6)
      target[at++] = 0x80 | (unit & 0x3f)
    } else if (unit < 0xd800 || unit > 0xdfff) {
      target[at++] = 0xe0 | (unit >> 12)
      target[at++] = 0x80 | ((unit >> 6) & 0x3f)
      target[at++] = 0x80 | (unit & 0x3f)
    } else {
      at = writeUnicodeEscape(unit, target, at)
    }
  }
  out.position = at
}

/** Appends the database bytes `[start, end)` as the inside of a JSON string. */
export type TextBytesWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/**
 * Returns the writer for text of a charset. Plain ASCII bytes, and any UTF-8, are checked and copied without a
 * JavaScript string in between. All other text is decoded first.
 */
export function textBytesWriter(charset: TextCharset): TextBytesWriter {
  const writeDecoded: TextBytesWriter = (bytes, start, end, out) =>
    writeJsonText(charset.decode(bytes, start, end), out)
  if (!charset.isAsciiCompatible) return writeDecoded
  const copyShort = charset.isUtf8 ? copyShortUtf8 : copyShortAscii
  const copyLong = charset.isUtf8 ? copyLongUtf8 : copyLongAscii
  return (bytes, start, end, out) => {
    const isCopied = end - start > SHORT_RUN ? copyLong(bytes, start, end, out) : copyShort(bytes, start, end, out)
    if (!isCopied) writeDecoded(bytes, start, end, out)
  }
}

/** Above this number of bytes the native copy is faster: at 1000 bytes it takes a fifth of the loop's time. */
const SHORT_RUN = 100

/**
 * Returns false, having written nothing, when a byte is not plain ASCII. Hot path: the loops stay within `[start,
 * end)`.
 */
function copyShortAscii(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  out.reserve(end - start)
  const { bytes: target, view } = out
  let at = out.position
  let i = start
  for (const wordsEnd = end - 3; i < wordsEnd; i += 4) {
    const word = wordAt(bytes, i)
    if (hasUnplainByte(word)) return false
    view.setInt32(at, word, true)
    at += 4
  }
  for (; i < end; i++) {
    const byte = bytes[i] as number
    if (!isPlain(byte)) return false
    target[at++] = byte
  }
  out.position = at
  return true
}

/** Does the same as `copyShortAscii` by a native copy and a check of the copied bytes. */
function copyLongAscii(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const textStart = out.position
  out.writeRange(bytes, start, end)
  if (isPlainRange(textStart, out)) return true
  out.position = textStart
  return false
}
