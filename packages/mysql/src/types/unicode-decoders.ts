import type { CharsetDecoder } from './charset-decoder.ts'
import { textOfUnits, unitsFor } from './text-units.ts'

/**
 * Decoders of the charsets that write code points as numbers. Both servers store surrogates in ucs2, MariaDB also in
 * utf32, and send bytes for them that are no UTF-8: they become U+FFFD, as such bytes do elsewhere. So do half a
 * character and a code point above U+10FFFF, which the servers do not store.
 */
const REPLACEMENT = 0xfffd

/** Big-endian units of 16 bits, pairs for characters above U+FFFF. */
export const decodeUtf16: CharsetDecoder = (bytes, start, end) => {
  const units = unitsFor(((end - start) >> 1) + 1)
  let count = 0
  let at = start
  for (; at + 1 < end; at += 2) units[count++] = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
  return textOfUnits(units, withRest(units, count, at < end)).toWellFormed()
}

/** Little-endian units of 16 bits, pairs for characters above U+FFFF. */
export const decodeUtf16le: CharsetDecoder = (bytes, start, end) => {
  const length = end - start
  const text = bytes.toString('utf16le', start, end - (length & 1))
  return ((length & 1) === 0 ? text : `${text}\uFFFD`).toWellFormed()
}

/** Big-endian units of 16 bits, each a character: two surrogates are not one. */
export const decodeUcs2: CharsetDecoder = (bytes, start, end) => {
  const units = unitsFor(((end - start) >> 1) + 1)
  let count = 0
  let at = start
  for (; at + 1 < end; at += 2) {
    const unit = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
    units[count++] = isSurrogate(unit) ? REPLACEMENT : unit
  }
  return textOfUnits(units, withRest(units, count, at < end))
}

/** Big-endian code points of 32 bits. */
export const decodeUtf32: CharsetDecoder = (bytes, start, end) => {
  const units = unitsFor(((end - start) >> 1) + 1)
  let count = 0
  let at = start
  for (; at + 3 < end; at += 4) {
    const point = bytes.readUInt32BE(at)
    if (point <= 0xffff) units[count++] = isSurrogate(point) ? REPLACEMENT : point
    else if (point <= 0x10ffff) {
      units[count++] = 0xd800 + ((point - 0x10000) >> 10)
      units[count++] = 0xdc00 + (point & 0x3ff)
    } else units[count++] = REPLACEMENT
  }
  return textOfUnits(units, withRest(units, count, at < end))
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800
}

/** Appends the mark for bytes at the end that are no whole unit. Returns the number of units. */
function withRest(units: Uint16Array, count: number, hasRest: boolean): number {
  if (hasRest) units[count] = REPLACEMENT
  return hasRest ? count + 1 : count
}
