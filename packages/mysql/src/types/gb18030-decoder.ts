import type { CharsetDecoder } from './charset-decoder.ts'
import { QUESTION_MARK, textOfUnits, unitsFor } from './text-units.ts'

export interface Gb18030Table {
  /** By first byte × 256 + second byte; 0: no character. */
  readonly twos: Uint16Array
  /** Characters of four bytes up to U+FFFF, from 0x81308130 on in their order; 0: no character. */
  readonly fours: Uint16Array
}

/**
 * A decoder for gb18030:
 *
 *     byte below 0x80 | 81-FE · 40-7E 80-FE | 81-FE · 30-39 · 81-FE · 30-39
 *
 * The characters of four bytes have numbers without gaps; from 0x90308130 on they are U+10000 and so on. What the server
 * stores but does not convert becomes one `?`, as there; a byte that begins no character becomes a `?` too.
 */
export function gb18030Decoder({ twos, fours }: Gb18030Table): CharsetDecoder {
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
      const number = at + 3 < end ? numberOf(bytes, at) : -1
      if (number >= SUPPLEMENTARY && number < SUPPLEMENTARY_END) {
        const rest = number - SUPPLEMENTARY
        units[count++] = 0xd800 + (rest >> 10)
        units[count++] = 0xdc00 + (rest & 0x3ff)
      } else units[count++] = (number >= 0 && fours[number]) || QUESTION_MARK
      at += number < 0 ? 1 : 4
    }
    if (at === last) units[count++] = (bytes[at] as number) < 0x80 ? (bytes[at] as number) : QUESTION_MARK
    return textOfUnits(units, count)
  }
}

/** The number of the four bytes, 0 for 0x81308130; -1 when they are no character. */
function numberOf(bytes: Buffer, at: number): number {
  const first = (bytes[at] as number) - 0x81
  const second = (bytes[at + 1] as number) - 0x30
  const third = (bytes[at + 2] as number) - 0x81
  const fourth = (bytes[at + 3] as number) - 0x30
  const isCharacter =
    first >= 0 &&
    first < LEADS &&
    second >= 0 &&
    second < 10 &&
    third >= 0 &&
    third < LEADS &&
    fourth >= 0 &&
    fourth < 10
  return isCharacter ? ((first * 10 + second) * LEADS + third) * 10 + fourth : -1
}

/** Values of the first and the third byte. */
const LEADS = 0xfe - 0x81 + 1
/** The numbers of U+10000 (0x90308130) and of what follows U+10FFFF (0xE3329A35). */
const SUPPLEMENTARY = (0x90 - 0x81) * 10 * LEADS * 10
const SUPPLEMENTARY_END = SUPPLEMENTARY + 0x100000
