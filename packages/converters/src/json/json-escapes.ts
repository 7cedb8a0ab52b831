/**
 * Which characters of a JSON string are escaped and how, as Java's converter does it (Jackson's UTF-8 generator with
 * its default settings):
 *
 *     unit            bytes
 *     " \             \" \\
 *     U+0000…U+001F   \b \t \n \f \r, else \u00XX in upper case
 *     U+D800…U+DFFF   \uXXXX in upper case, each half of a pair on its own, paired or not
 *     everything else UTF-8 (so U+007F, U+2028 and `/` are not escaped)
 *
 * Hot path: indexes of `bytes` are within the character that the caller has found, those of the tables are masked to
 * their size.
 */

/** `\uXXXX`. */
export const ESCAPE_LENGTH_MAX = 6

/**
 * True for a byte that JSON text contains unescaped: ASCII except controls, quote and backslash. `byte` is below 256.
 */
export function isPlain(byte: number): boolean {
  return PLAIN[byte] === 1
}

/** True when at least one of the four bytes is not plain ASCII. */
export function hasUnplainByte(word: number): boolean {
  return unplainBytes(word) !== 0
}

/** Returns zero when all four bytes are plain; otherwise the lowest set bit is in the lowest byte that is not plain. */
export function unplainBytes(word: number): number {
  // The top bit of a byte shows that its subtraction borrowed: the byte was below 0x20, or equal to the quote or the
  // backslash. A borrow into the next byte happens only where the lower byte is a hit itself. Bytes from 0x80 on keep
  // their top bit in one of the differences: 0xa2 in the first, all others in the second.
  const controls = word - 0x2020_2020
  const quotes = (word ^ 0x2222_2222) - 0x0101_0101
  const backslashes = (word ^ 0x5c5c_5c5c) - 0x0101_0101
  return (controls | quotes | backslashes) & 0x8080_8080
}

/** The number of plain bytes before the first unplain one, from a result of `unplainBytes`. */
export function bytesBefore(mask: number): number {
  return (31 - Math.clz32(mask & -mask)) >> 3
}

/** Writes the escape of an ASCII character and returns the position after it. The caller has reserved the room. */
export function writeEscape(unit: number, target: Buffer, at: number): number {
  const letter = SHORT_ESCAPE[unit] as number
  if (letter === 0) return writeUnicodeEscape(unit, target, at)
  target[at] = BACKSLASH
  target[at + 1] = letter
  return at + 2
}

/**
 * Writes the surrogate pair of a well-formed four-byte UTF-8 character, both halves escaped, and returns the position
 * after it. The caller has reserved the room. Three 32-bit stores take half the time of twelve single bytes.
 */
export function writePair(bytes: Buffer, from: number, target: DataView, at: number): number {
  const point =
    (((bytes[from] as number) & 7) << 18) |
    (((bytes[from + 1] as number) & 0x3f) << 12) |
    (((bytes[from + 2] as number) & 0x3f) << 6) |
    ((bytes[from + 3] as number) & 0x3f)
  const high = 0xd7c0 + (point >> 10)
  const low = 0xdc00 + (point & 0x3ff)
  target.setInt32(at, ESCAPE_U | ((HEX_PAIRS[high >> 8] as number) << 16), true)
  target.setInt32(at + 4, (HEX_PAIRS[high & 0xff] as number) | (ESCAPE_U << 16), true)
  target.setInt32(at + 8, (HEX_PAIRS[low >> 8] as number) | ((HEX_PAIRS[low & 0xff] as number) << 16), true)
  return at + 12
}

/** Writes `\uXXXX` and returns the position after it. The caller has reserved the room. */
export function writeUnicodeEscape(unit: number, target: Buffer, at: number): number {
  target[at] = BACKSLASH
  target[at + 1] = LETTER_U
  target[at + 2] = HEX_DIGITS[unit >> 12] as number
  target[at + 3] = HEX_DIGITS[(unit >> 8) & 15] as number
  target[at + 4] = HEX_DIGITS[(unit >> 4) & 15] as number
  target[at + 5] = HEX_DIGITS[unit & 15] as number
  return at + 6
}

const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** `\u` with the backslash in the lowest byte. */
const ESCAPE_U = BACKSLASH | (LETTER_U << 8)
const HEX_DIGITS = Buffer.from('0123456789ABCDEF', 'latin1')
const HEX_PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => (HEX_DIGITS[byte >> 4] as number) | ((HEX_DIGITS[byte & 15] as number) << 8),
)

const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== BACKSLASH ? 1 : 0,
)

/** The letter after the backslash for the characters that have a short escape, otherwise 0. */
const SHORT_ESCAPE = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const letter = { 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r', 34: '"', 92: '\\' }[unit]
  return letter === undefined ? 0 : letter.charCodeAt(0)
})
