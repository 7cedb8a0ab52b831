import type { ByteWriter } from '@tributary/support'
import { bytesBefore, ESCAPE_LENGTH_MAX, isPlain, unplainBytes, writeEscape, writePair } from './json-escapes.ts'
import { Utf8Escaper } from './utf8-escaper.ts'
import { wordAt } from '../writers/word-at.ts'

/*
 * UTF-8 is copied into a JSON string unchanged, except for what the Java converter escapes: some ASCII characters, and
 * characters of four bytes, which become two escaped surrogates. Everything between is copied four or eight bytes at a
 * time. Hot path: all loops stay within the range `[start, end)` of `bytes` and within the reserved room.
 */

/** Returns false, having written nothing, when the bytes are not valid UTF-8. */
export function copyShortUtf8(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const textStart = out.position
  out.reserve(end - start)
  let i = end - start < PAIRS_FROM ? start : copyPlainPairs(bytes, start, end, out)
  let at = out.position
  const { bytes: target, view } = out
  for (const wordsEnd = end - 3; i < wordsEnd; i += WORD_BYTES) {
    const word = wordAt(bytes, i)
    if (unplainBytes(word) !== 0) break
    view.setInt32(at, word, true)
    at += WORD_BYTES
  }
  for (; i < end; i++) {
    const byte = bytes[i] as number
    if (!isPlain(byte)) break
    target[at++] = byte
  }
  out.position = at
  if (i === end || copyMixed(bytes, i, end, out)) return true
  out.position = textStart
  return false
}

/**
 * Copies eight plain bytes at a time and returns where the first eight begin that are not all plain. The caller has
 * reserved the room.
 */
function copyPlainPairs(bytes: Buffer, start: number, end: number, out: ByteWriter): number {
  const source = viewOf(bytes)
  if (source === null) return start
  const { view } = out
  let at = out.position
  let i = start
  for (const pairsEnd = end - 7; i < pairsEnd; i += PAIR_BYTES) {
    const word = source.getInt32(i, true)
    const next = source.getInt32(i + WORD_BYTES, true)
    if ((unplainBytes(word) | unplainBytes(next)) !== 0) break
    view.setInt32(at, word, true)
    view.setInt32(at + WORD_BYTES, next, true)
    at += PAIR_BYTES
  }
  out.position = at
  return i
}

/**
 * Copies characters of any kind, starting at one that is not plain. Returns false when they are not valid UTF-8.
 * Validates while it copies: a native check alone takes longer than the whole of a short text.
 */
function copyMixed(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  out.reserve((end - start) * ESCAPE_LENGTH_MAX)
  const { bytes: target, view } = out
  const wordsEnd = end - 3
  let at = out.position
  let i = start
  while (i < end) {
    const byte = bytes[i] as number
    if (byte < 0x80) {
      if (isPlain(byte)) target[at++] = byte
      else at = writeEscape(byte, target, at)
      i += 1
    } else {
      const length = characterLength(bytes, i, end)
      if (length === 0) return false
      if (length === 4) {
        at = writePair(bytes, i, view, at)
      } else {
        target[at] = byte
        target[at + 1] = bytes[i + 1] as number
        if (length === 3) target[at + 2] = bytes[i + 2] as number
        at += length
      }
      i += length
      // The next character is mostly of the same kind.
      if ((bytes[i] as number) >= 0x80) continue
    }
    while (i < wordsEnd) {
      const word = wordAt(bytes, i)
      view.setInt32(at, word, true)
      const unplain = unplainBytes(word)
      const plain = unplain === 0 ? WORD_BYTES : bytesBefore(unplain)
      at += plain
      i += plain
      if (plain < WORD_BYTES) break
    }
  }
  out.position = at
  return true
}

/**
 * The length in bytes of a character that begins with a byte above 0x7f; 0 when it is not well-formed (Unicode, table
 * 3-7).
 */
function characterLength(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at] as number
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (at + length > end) return 0
  const second = bytes[at + 1] as number
  if ((second & 0xc0) !== 0x80) return 0
  if (length === 2) return 2
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0
  if (((bytes[at + 2] as number) & 0xc0) !== 0x80) return 0
  if (length === 3) return 3
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0
  return ((bytes[at + 3] as number) & 0xc0) === 0x80 ? 4 : 0
}

/** Does the same as `copyShortUtf8` for long texts: sixteen bytes at a time after the first byte that is not plain. */
export function copyLongUtf8(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const textStart = out.position
  out.reserve(end - start)
  const unplainAt = copyPlainPairs(bytes, start, end, out)
  const isCopied = writeRest(bytes, unplainAt, end, out)
  if (!isCopied) out.position = textStart
  return isCopied
}

function writeRest(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  if (end - start < SHORT_REST) return copyShortUtf8(bytes, start, end, out)
  if (escaper === undefined) escaper = Utf8Escaper.load()
  return escaper === null ? copyShortUtf8(bytes, start, end, out) : escaper.write(bytes, start, end, out)
}

/** Loaded for the first text that needs it; null when this Node has no WebAssembly. */
let escaper: Utf8Escaper | null | undefined

const WORD_BYTES = 4
const PAIR_BYTES = 8
/** From this length on, copying eight bytes at a time is worth the look-up of a view. */
const PAIRS_FROM = 16
/**
 * From this length on, sixteen bytes at a time are worth the copy into WebAssembly memory and, for most writers, out of
 * it.
 */
const SHORT_REST = 100

/**
 * Returns a view of the bytes. The views of the last two buffers are cached: many rows are in one buffer, and the texts
 * that were read from them in another. Returns null for a buffer that is too large for a cached view to keep alive.
 */
function viewOf(bytes: Buffer): DataView | null {
  return bytes === lastView.bytes ? lastView.view : otherViewOf(bytes)
}

function otherViewOf(bytes: Buffer): DataView | null {
  if (bytes.buffer.byteLength > KEPT_BYTES_MAX) return null
  const found = bytes === viewBefore.bytes ? viewBefore : new KeptView(bytes)
  viewBefore = lastView
  lastView = found
  return found.view
}

/** A buffer and a view of exactly its bytes. */
class KeptView {
  readonly bytes: Buffer
  readonly view: DataView

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
}

let lastView: KeptView = new KeptView(Buffer.alloc(0))
let viewBefore: KeptView = lastView
const KEPT_BYTES_MAX = 2 ** 20
