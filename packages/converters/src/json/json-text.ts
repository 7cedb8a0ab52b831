import type { TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { isUtf8 } from 'node:buffer'
import {
  ESCAPE_LENGTH_MAX,
  hasEscapedByte,
  hasUnplainByte,
  isEscaped,
  isPlain,
  writeEscape,
  writeUnicodeEscape,
} from './json-escapes.ts'
import { wordAt } from './word-at.ts'

/**
 * The inside of a JSON string. Nearly all text is plain ASCII: it is copied and looked at four bytes at a time (a sixth of
 * a whole record's time less than byte by byte), and only text that is not goes the long way.
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

/** Above this many units a native copy and a look at the bytes are faster than a loop over the units. */
const SHORT_TEXT = 40
/** Room is made for this many units at a time, so that a long text with one escape does not ask for six times its size. */
const CHUNK = 1024
// oxlint-disable-next-line no-control-regex -- control characters are what JSON escapes
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/

/** True when everything written since `start` stands for itself. */
function isPlainRange(start: number, out: ByteWriter): boolean {
  const { position } = out
  // The last word may reach beyond what was written.
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

/** Appends the inside of a JSON string from database bytes `[start, end)`. */
export type TextBytesWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/**
 * The writer for text of a charset. Nearly all text is plain ASCII: such bytes are copied and looked at, without making a JavaScript
 * string; UTF-8 is too, whatever it holds. What else there is is decoded first.
 */
export function textBytesWriter(charset: TextCharset): TextBytesWriter {
  const writeDecoded: TextBytesWriter = (bytes, start, end, out) =>
    writeJsonText(charset.decode(bytes, start, end), out)
  if (!charset.isAsciiCompatible) return writeDecoded
  const writeUnplain: TextBytesWriter = charset.isUtf8
    ? (bytes, start, end, out) => {
        if (isUtf8(bytes.subarray(start, end))) writeUtf8(bytes, start, end, out)
        else writeDecoded(bytes, start, end, out)
      }
    : writeDecoded
  return (bytes, start, end, out) => {
    const isLong = end - start > SHORT_RUN
    if (isLong ? copyLong(bytes, start, end, out) : copyShort(bytes, start, end, out)) return
    if (isLong && charset.isUtf8 && copyUtf8(bytes, start, end, out)) return
    writeUnplain(bytes, start, end, out)
  }
}

/** Above this many bytes a native copy pays for its call: at 1000 bytes it takes a fifth of the time. */
const SHORT_RUN = 100

/** False, and nothing written, when a byte does not stand for itself. */
function copyShort(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
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

/** The same by a native copy that is looked at afterwards. */
function copyLong(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const textStart = out.position
  out.writeRange(bytes, start, end)
  if (isPlainRange(textStart, out)) return true
  out.position = textStart
  return false
}

/** False, and nothing written, when a byte has to be escaped or the bytes are no UTF-8. They are in the writer already. */
function copyUtf8(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const { view, position } = out
  const textEnd = position + end - start
  for (let at = position; at < textEnd; at += 4) if (hasEscapedByte(view.getInt32(at, true))) return false
  if (!isUtf8(bytes.subarray(start, end))) return false
  out.position = textEnd
  return true
}

/** Well-formed UTF-8; characters of four bytes are escaped as the two halves that they are in Java. */
function writeUtf8(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  let i = start
  while (i < end) {
    const chunkEnd = Math.min(end, i + CHUNK)
    // One more: a character of four bytes that begins with the last byte of the chunk becomes two escapes.
    out.reserve((chunkEnd - i + 1) * ESCAPE_LENGTH_MAX)
    const { bytes: target, view } = out
    let at = out.position
    while (i < chunkEnd) {
      // Four at a time while there is nothing to escape: with it this was a third of the time of a row of 4 KB.
      if (i + 4 <= end) {
        const word = wordAt(bytes, i)
        if (!hasEscapedByte(word)) {
          view.setInt32(at, word, true)
          at += 4
          i += 4
          continue
        }
      }
      const byte = bytes[i++] as number
      if (!isEscaped(byte)) target[at++] = byte
      else if (byte < 0x80) at = writeEscape(byte, target, at)
      else {
        const point =
          ((byte & 7) << 18) |
          (((bytes[i] as number) & 0x3f) << 12) |
          (((bytes[i + 1] as number) & 0x3f) << 6) |
          ((bytes[i + 2] as number) & 0x3f)
        i += 3
        at = writeUnicodeEscape(0xd7c0 + (point >> 10), target, at)
        at = writeUnicodeEscape(0xdc00 + (point & 0x3ff), target, at)
      }
    }
    out.position = at
  }
}
