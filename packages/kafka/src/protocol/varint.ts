/**
 * The size of a zigzag varint, the number format of records: `n` becomes `2n` or `-2n - 1`, in seven bits per byte,
 * lowest first, with the top bit set on all bytes but the last (protocol guide, "Record Format").
 *
 * Without BigInt: on the hot path lengths and deltas are far below 2^31; timestamp deltas may be up to 2^53.
 */
export function varintBytes(value: number): number {
  if (value >= 0 ? value < FAST_LIMIT : value > -FAST_LIMIT) {
    const zigzag = (value << 1) ^ (value >> 31)
    if (zigzag < 0x80) return 1
    if (zigzag < 0x4000) return 2
    if (zigzag < 0x20_0000) return 3
    return zigzag < 0x1000_0000 ? 4 : 5
  }
  let rest = value >= 0 ? value * 2 : -value * 2 - 1
  let count = 1
  for (; rest >= 0x80; count++) rest = Math.floor(rest / 0x80)
  return count
}

/**
 * Writes a zigzag varint; returns the position after it. The caller has made room for `varintBytes` (at most 8) bytes.
 */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 0 ? value < FAST_LIMIT : value > -FAST_LIMIT) {
    let zigzag = (value << 1) ^ (value >> 31)
    while (zigzag > 0x7f) {
      bytes[at++] = (zigzag & 0x7f) | 0x80
      zigzag >>>= 7
    }
    bytes[at++] = zigzag
    return at
  }
  let rest = value >= 0 ? value * 2 : -value * 2 - 1
  while (rest >= 0x80) {
    bytes[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[at++] = rest
  return at
}

/** Twice a smaller value is a positive 32-bit integer. */
const FAST_LIMIT = 0x4000_0000
