import type { Decimal } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'

/** Appends bytes as base64 (RFC 4648 section 4, padded), without quotes. */
export function writeBase64(bytes: Uint8Array, out: ByteWriter): void {
  writeBase64Range(bytes, 0, bytes.length, out)
}

/** Appends `[start, end)` as base64. Creates no view of a short range. */
export function writeBase64Range(bytes: Uint8Array, start: number, end: number, out: ByteWriter): void {
  const length = end - start
  if (length > SHORT_RUN) out.ascii(Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('base64'))
  else writeBase64Loop(bytes, start, length, out)
}

/**
 * Appends any length by a loop, which is the fastest way for short ranges. Hot path: the indexes of `bytes` are within
 * the range that the caller passes, those of the tables are masked to 6 or 12 bits.
 */
export function writeBase64Loop(bytes: Uint8Array, start: number, length: number, out: ByteWriter): void {
  out.reserve(Math.ceil(length / 3) * 4)
  const { view } = out
  let at = out.position
  let i = start
  for (const triplesEnd = start + length - 2; i < triplesEnd; i += 3) {
    const triple = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
    view.setInt32(at, (PAIRS[triple >> 12] as number) | ((PAIRS[triple & 0xfff] as number) << 16), true)
    at += 4
  }
  const rest = start + length - i
  if (rest > 0) {
    const triple = ((bytes[i] as number) << 16) | (rest === 2 ? (bytes[i + 1] as number) << 8 : 0)
    const last = rest === 2 ? (DIGITS[(triple >> 6) & 63] as number) : PAD
    view.setInt32(at, (PAIRS[triple >> 12] as number) | (last << 16) | (PAD << 24), true)
    at += 4
  }
  out.position = at
}

/** Above this number of bytes the native encoder and a copy are faster than the loop. */
const SHORT_RUN = 64
const PAD = 0x3d
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'latin1')
/**
 * The two digits for each value of twelve bits, the first digit in the lower byte. Halves the stores: a third faster
 * for ten bytes.
 */
const PAIRS = Uint16Array.from(
  { length: 4096 },
  (_, bits) => (DIGITS[bits >> 6] as number) | ((DIGITS[bits & 63] as number) << 8),
)

/** Appends the big-endian two's complement of the unscaled value as base64, without quotes. */
export function writeUnscaled(value: Decimal, out: ByteWriter): void {
  const length = value.putBytes(unscaledScratch)
  if (length < 0) writeBase64(value.toBytes(), out)
  else writeBase64Loop(unscaledScratch, 0, length, out)
}

const unscaledScratch = new Uint8Array(8)
