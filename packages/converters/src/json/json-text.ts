import type { EncodedText } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { ESCAPE_LENGTH_MAX, hasUnplainByte, isPlain, writeEscape, writeUnicodeEscape } from './json-escapes.ts'

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

/**
 * The inside of a JSON string from database bytes, without making a JavaScript string where they are ASCII. Text that
 * holds anything else, or stands in a charset where a byte below 0x80 may be something else, is decoded first.
 */
export function writeEncodedText(text: EncodedText, out: ByteWriter): void {
  if (!text.isAsciiCompatible) {
    writeJsonText(text.toString(), out)
    return
  }
  const { bytes, start, end } = text
  if (end - start > SHORT_RUN) {
    writeLongText(text, out)
    return
  }
  out.reserve(end - start)
  const { bytes: target, view } = out
  let at = out.position
  let i = start
  for (const wordsEnd = end - 3; i < wordsEnd; i += 4) {
    const word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24)
    if (hasUnplainByte(word)) {
      writeUnplainText(text, i, out)
      return
    }
    view.setInt32(at, word, true)
    at += 4
  }
  for (; i < end; i++) {
    const byte = bytes[i] as number
    if (!isPlain(byte)) {
      writeUnplainText(text, i, out)
      return
    }
    target[at++] = byte
  }
  out.position = at
}

/** Above this many bytes a native copy pays for its call: at 1000 bytes it takes a fifth of the time. */
const SHORT_RUN = 100

function writeLongText(text: EncodedText, out: ByteWriter): void {
  const textStart = out.position
  out.writeRange(text.bytes, text.start, text.end)
  if (isPlainRange(textStart, out)) return
  out.position = textStart
  writeUnplainText(text, text.start, out)
}

/** Goes on where plain bytes end. They are copied already, but `out.position` is still where the text begins. */
function writeUnplainText(text: EncodedText, plainEnd: number, out: ByteWriter): void {
  const textStart = out.position
  out.position += plainEnd - text.start
  for (let start = plainEnd; start < text.end; start += CHUNK) {
    if (writeAsciiChunk(text, start, Math.min(text.end, start + CHUNK), out)) continue
    out.position = textStart
    writeJsonText(text.toString(), out)
    return
  }
}

/** False when a byte is not ASCII. */
function writeAsciiChunk({ bytes }: EncodedText, start: number, end: number, out: ByteWriter): boolean {
  out.reserve((end - start) * ESCAPE_LENGTH_MAX)
  const target = out.bytes
  let at = out.position
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x80) return false
    if (isPlain(byte)) target[at++] = byte
    else at = writeEscape(byte, target, at)
  }
  out.position = at
  return true
}
