import type { Decimal } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'

/** Appends bytes as base64 (RFC 4648 section 4, padded), without quotes. */
export function writeBase64(bytes: Uint8Array, out: ByteWriter): void {
  if (bytes.length > SHORT_RUN) {
    out.ascii(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'))
    return
  }
  writeShort(bytes, bytes.length, out)
}

/** The first `length` of the bytes. */
function writeShort(bytes: Uint8Array, length: number, out: ByteWriter): void {
  out.reserve(Math.ceil(length / 3) * 4)
  const target = out.bytes
  let at = out.position
  let i = 0
  for (; i + 2 < length; i += 3) {
    const triple = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
    target[at++] = DIGITS[triple >> 18] as number
    target[at++] = DIGITS[(triple >> 12) & 63] as number
    target[at++] = DIGITS[(triple >> 6) & 63] as number
    target[at++] = DIGITS[triple & 63] as number
  }
  if (i < length) {
    const hasTwo = i + 1 < length
    const rest = ((bytes[i] as number) << 16) | (hasTwo ? (bytes[i + 1] as number) << 8 : 0)
    target[at++] = DIGITS[rest >> 18] as number
    target[at++] = DIGITS[(rest >> 12) & 63] as number
    target[at++] = hasTwo ? (DIGITS[(rest >> 6) & 63] as number) : PAD
    target[at++] = PAD
  }
  out.position = at
}

/** Above this many bytes the native encoder and a copy are faster than the loop. */
const SHORT_RUN = 64
const PAD = 0x3d
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'latin1')

/** Appends the unscaled value as base64 of its big-endian two's complement, without quotes. */
export function writeUnscaled(value: Decimal, out: ByteWriter): void {
  const length = value.putBytes(unscaledScratch)
  if (length < 0) writeBase64(value.toBytes(), out)
  else writeShort(unscaledScratch, length, out)
}

const unscaledScratch = new Uint8Array(8)
