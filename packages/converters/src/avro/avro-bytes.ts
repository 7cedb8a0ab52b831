import type { ByteWriter } from '@tributary/support'

/**
 * Avro's binary form of integers (specification 1.12, "Primitive Types"):
 *
 *     int, long   zig-zag: 0 → 0, -1 → 1, 1 → 2, …; then groups of seven bits, lowest first; the top bit is set on all but the last
 */

/** Appends a 32-bit integer. */
export function writeInt(value: number, out: ByteWriter): void {
  let rest = (value << 1) ^ (value >> 31)
  if (rest >= 0 && rest < 0x80) {
    out.byte(rest)
    return
  }
  out.reserve(INT_BYTES_MAX)
  const { bytes } = out
  let at = out.position
  while ((rest & ~0x7f) !== 0) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[at++] = rest
  out.position = at
}

/** Appends an integer within ±2^53. */
export function writeLong(value: number, out: ByteWriter): void {
  if ((value | 0) === value) {
    writeInt(value, out)
    return
  }
  writeWords(value | 0, Math.floor(value / 0x1_0000_0000), out)
}

/** Appends a 64-bit integer. Hot path: a 64-bit number has the two words that are read here. */
export function writeBigLong(value: bigint, out: ByteWriter): void {
  longScratch[0] = value
  writeWords(wordScratch[0] as number, wordScratch[1] as number, out)
}

/**
 * Appends a 64-bit integer given as two 32-bit words: a tenth of the time of BigInt arithmetic, which allocates at each
 * step.
 */
export function writeWords(low: number, high: number, out: ByteWriter): void {
  const sign = high >> 31
  const lowZigzag = (low << 1) ^ sign
  const highZigzag = ((high << 1) | (low >>> 31)) ^ sign
  out.reserve(LONG_BYTES_MAX)
  const { bytes } = out
  let at = out.position
  let rest = lowZigzag
  let rest2 = highZigzag
  while (rest2 !== 0 || (rest & ~0x7f) !== 0) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest = (rest >>> 7) | (rest2 << 25)
    rest2 >>>= 7
  }
  bytes[at++] = rest
  out.position = at
}

const INT_BYTES_MAX = 5
const LONG_BYTES_MAX = 10
const longScratch = new BigInt64Array(1)
const wordScratch = new Int32Array(longScratch.buffer)

/** Appends a float: four bytes of IEEE 754, little-endian. */
export function writeFloat(value: number, out: ByteWriter): void {
  out.reserve(4)
  out.view.setFloat32(out.position, value, true)
  out.position += 4
}

/** Appends a double: eight bytes of IEEE 754, little-endian. */
export function writeDouble(value: number, out: ByteWriter): void {
  out.reserve(8)
  out.view.setFloat64(out.position, value, true)
  out.position += 8
}
