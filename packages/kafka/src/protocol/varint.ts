/**
 * Zigzag varints, as records hold them: `n` becomes `2n` or `-2n - 1`, seven bits a byte, lowest first, the top bit set
 * on all but the last (protocol guide, "Record Format").
 *
 * Written without BigInt: lengths and deltas are far below 2^31 on the hot path; timestamp deltas may be up to 2^53.
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

/** Writes at `at` and gives the position behind. The caller has made room (`varintBytes`, at most 8). */
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

/** Below this a value doubled fits the positive half of 32 bits. */
const FAST_LIMIT = 0x4000_0000
