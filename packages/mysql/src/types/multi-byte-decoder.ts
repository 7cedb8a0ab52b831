import type { CharsetDecoder } from './charset-decoder.ts'
import { QUESTION_MARK, textOfUnits, unitsFor } from './text-units.ts'

/** Characters of a charset whose bytes below 0x80 are ASCII. A unit of 0 means that the bytes are no character. */
export interface MultiByteTable {
  /** The UTF-16 unit of each single byte. */
  readonly ones: Uint16Array
  /** By first byte × 256 + second byte. */
  readonly twos: Uint16Array
  /** Of three bytes, the first being 0x8F: by second byte × 256 + third byte. Null: there are none. */
  readonly threes: Uint16Array | null
}

/**
 * A decoder for the East Asian charsets of one to three bytes per character:
 *
 *     byte below 0x80 | ones | lead byte · trail byte | 0x8F · byte · byte
 *
 * A trail byte may be below 0x80 (`\` in sjis, big5, gbk and cp932). A byte that begins no character becomes a `?`.
 */
export function multiByteDecoder({ ones, twos, threes }: MultiByteTable): CharsetDecoder {
  return (bytes, start, end) => {
    let at = start
    while (at < end && (bytes[at] as number) < 0x80) at++
    if (at === end) return bytes.latin1Slice(start, end)
    const units = unitsFor(end - start)
    let count = 0
    for (let i = start; i < at; i++) units[count++] = bytes[i] as number
    const last = end - 1
    while (at < last) {
      const byte = bytes[at] as number
      if (byte < 0x80) {
        units[count++] = byte
        at += 1
        continue
      }
      const unit = twos[(byte << 8) | (bytes[at + 1] as number)] as number
      if (unit !== 0) {
        units[count++] = unit
        at += 2
        continue
      }
      const long = threes !== null && byte === LEAD_OF_THREE && at + 2 < end ? longUnit(threes, bytes, at) : 0
      units[count++] = long === 0 ? ones[byte] || QUESTION_MARK : long
      at += long === 0 ? 1 : 3
    }
    // The table has no unit for the byte 0, which is U+0000.
    if (at === last) units[count++] = bytes[at] === 0 ? 0 : ones[bytes[at] as number] || QUESTION_MARK
    return textOfUnits(units, count)
  }
}

/** SS3 of the EUC encodings: a character of the supplementary set JIS X 0212 follows. */
const LEAD_OF_THREE = 0x8f

function longUnit(threes: Uint16Array, bytes: Buffer, at: number): number {
  return threes[((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)] as number
}
