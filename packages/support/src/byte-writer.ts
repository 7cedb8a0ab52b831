/**
 * A growable byte buffer with a write position: what converters write records into, and what protocol messages are built
 * in. Written for the hot path: no allocation per call, short runs are copied in a loop because a native copy costs more
 * than it saves below some tens of bytes (measured in Node 24: the break-even is near 40).
 *
 * `bytes` is replaced when the buffer grows: read it after the last write, not before.
 */
export class ByteWriter {
  bytes: Buffer
  position = 0

  constructor(capacity = 4096) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** Makes room for `count` more bytes. The unchecked writers below trust that this was called. */
  reserve(count: number): void {
    if (this.position + count > this.bytes.length) this.#grow(count)
  }

  #grow(count: number): void {
    let capacity = this.bytes.length * 2
    while (capacity < this.position + count) capacity *= 2
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.bytes.copy(larger, 0, 0, this.position)
    this.bytes = larger
  }

  reset(): void {
    this.position = 0
  }

  /** A copy of what was written since `start`; it stays valid. */
  copy(start = 0): Buffer {
    return Buffer.from(this.bytes.subarray(start, this.position))
  }

  byte(value: number): void {
    if (this.position === this.bytes.length) this.#grow(1)
    this.bytes[this.position++] = value
  }

  /** Appends bytes; `source` may be any length. */
  write(source: Uint8Array): void {
    const { length } = source
    this.reserve(length)
    if (length > SHORT_RUN) {
      this.bytes.set(source, this.position)
      this.position += length
      return
    }
    const target = this.bytes
    let at = this.position
    for (let i = 0; i < length; i++) target[at++] = source[i] as number
    this.position = at
  }

  /** Appends `source[start, end)` without making a view of it. */
  writeRange(source: Uint8Array, start: number, end: number): void {
    const length = end - start
    this.reserve(length)
    if (length > SHORT_RUN) {
      this.bytes.set(source.subarray(start, end), this.position)
      this.position += length
      return
    }
    const target = this.bytes
    let at = this.position
    for (let i = start; i < end; i++) target[at++] = source[i] as number
    this.position = at
  }

  /** Appends a string of ASCII characters only; others would be cut to their low byte. */
  ascii(text: string): void {
    const { length } = text
    this.reserve(length)
    this.position += this.bytes.latin1Write(text, this.position, length)
  }

  utf8(text: string): void {
    // Three bytes per UTF-16 unit is the worst case of UTF-8.
    this.reserve(text.length * 3)
    this.position += this.bytes.utf8Write(text, this.position, text.length * 3)
  }

  /** A whole number up to ±2^53 in decimal digits. */
  integer(value: number): void {
    this.reserve(MAX_INTEGER_DIGITS)
    let rest = value
    if (rest < 0) {
      this.bytes[this.position++] = MINUS
      rest = -rest
    }
    if (rest < BILLION) {
      this.#digits(rest, countDigits(rest))
      return
    }
    // Division of doubles is slow; two halves below 2^30 use integer arithmetic.
    const high = Math.floor(rest / BILLION)
    const low = rest - high * BILLION
    this.#digits(high, countDigits(high))
    this.#digits(low, 9)
  }

  /** Exactly `width` digits, zero-padded; `value` below 10^9. */
  paddedInteger(value: number, width: number): void {
    this.reserve(width)
    this.#digits(value, width)
  }

  #digits(value: number, width: number): void {
    const target = this.bytes
    let rest = value | 0
    for (let at = this.position + width - 1; at >= this.position; at--) {
      const quotient = (rest / 10) | 0
      target[at] = ZERO + rest - quotient * 10
      rest = quotient
    }
    this.position += width
  }

  int8(value: number): void {
    this.byte(value & 0xff)
  }

  int16(value: number): void {
    this.reserve(2)
    this.position = this.bytes.writeInt16BE(value, this.position)
  }

  int32(value: number): void {
    this.reserve(4)
    this.position = this.bytes.writeInt32BE(value, this.position)
  }

  int64(value: bigint): void {
    this.reserve(8)
    this.position = this.bytes.writeBigInt64BE(value, this.position)
  }
}

const SHORT_RUN = 40
const BILLION = 1_000_000_000
const MAX_INTEGER_DIGITS = 20
const ZERO = 0x30
const MINUS = 0x2d

/** Digits of 0 ≤ value < 10^9 (or of the high half of a 2^53 number, below 10^7). */
function countDigits(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  if (value < 10_000) return 4
  if (value < 100_000) return 5
  if (value < 1_000_000) return 6
  if (value < 10_000_000) return 7
  if (value < 100_000_000) return 8
  return 9
}
