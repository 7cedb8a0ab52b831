import { crc32 } from '@node-rs/crc32'

/**
 * CRC-32 of an event (the polynomial of zlib; Node's own zlib has a quarter of the addon's speed). Most events of small
 * transactions have a few tens of bytes. For these, creating a view for the native function takes longer than
 * processing eight bytes at a time here. From `NATIVE_FROM` bytes on, the native function is faster.
 */
export function eventChecksum(bytes: Buffer, start: number, end: number): number {
  if (end - start >= NATIVE_FROM) return crc32(bytes.subarray(start, end))
  let sum = -1
  let at = start
  for (const runsEnd = end - 7; at < runsEnd; at += 8) {
    sum ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    sum =
      (T7[sum & 255] as number) ^
      (T6[(sum >>> 8) & 255] as number) ^
      (T5[(sum >>> 16) & 255] as number) ^
      (T4[sum >>> 24] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number)
  }
  for (; at < end; at++) sum = (T0[(sum ^ (bytes[at] as number)) & 255] as number) ^ (sum >>> 8)
  return ~sum >>> 0
}

/**
 * Measured on Node 24, this code against the native function: 75 bytes 90 ns against 215 ns, 190 bytes 205 against 217,
 * 300 bytes 283 against 218; Node's zlib against the native function: 1 KB 360 against 237, 4.3 KB 1,774 against 426.
 */
const NATIVE_FROM = 192
const POLYNOMIAL = 0xedb88320

/** T0: CRC-32 of one byte. Tn: CRC-32 of that byte followed by n zero bytes. */
const T0 = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? POLYNOMIAL ^ (sum >>> 1) : sum >>> 1
  return sum
})
const T1 = withZeroByte(T0)
const T2 = withZeroByte(T1)
const T3 = withZeroByte(T2)
const T4 = withZeroByte(T3)
const T5 = withZeroByte(T4)
const T6 = withZeroByte(T5)
const T7 = withZeroByte(T6)

function withZeroByte(table: Int32Array): Int32Array {
  return table.map((sum) => (T0[sum & 255] as number) ^ (sum >>> 8))
}
