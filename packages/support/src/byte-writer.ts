/**
 * A growable byte buffer with a write position: what converters write records into, and what protocol messages are built
 * in. Written for the hot path: no allocation per call, short runs are copied in a loop because a native copy costs more
 * than it saves below some tens of bytes (measured in Node 24: the break-even is near 40).
 *
 * `bytes` and `view` are replaced when the buffer grows: read them after the last write, not before.
 */
export class ByteWriter {
  bytes: Buffer
  /** The same bytes; stores of two and four bytes at any position are single instructions through it. */
  view: DataView
  position = 0
  /** What it was made with, to be gone back to; null: it keeps what it has grown to. */
  readonly #room: Buffer | null

  /**
   * `room`: to begin with; the size of a buffer that is made, or a buffer, which a writer that has outgrown it goes back to when what was
   * written last has room in half of it.
   */
  constructor(room: number | Buffer = 4096) {
    this.#room = typeof room === 'number' ? null : room
    this.bytes = typeof room === 'number' ? Buffer.allocUnsafeSlow(room) : room
    this.view = viewOf(this.bytes)
  }

  /** Makes room for `count` more bytes. The unchecked writers below trust that this was called. */
  reserve(count: number): void {
    if (this.position + count > this.bytes.length) this.#grow(count)
  }

  #grow(count: number): void {
    let capacity = Math.max(CAPACITY_MIN, this.bytes.length * 2)
    while (capacity < this.position + count) capacity *= 2
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.bytes.copy(larger, 0, 0, this.position)
    this.bytes = larger
    this.view = viewOf(larger)
  }

  reset(): void {
    if (this.#room !== null && this.bytes !== this.#room && this.position <= this.#room.length / 2) {
      this.bytes = this.#room
      this.view = viewOf(this.#room)
    }
    this.position = 0
  }

  /** A copy of what was written since `start`; it stays valid. */
  copy(start = 0): Buffer {
    return Buffer.from(this.bytes.subarray(start, this.position))
  }

  /** Appends a prepared run: half the time of `write` for runs of ten bytes, as nearly all of a record's are. */
  run(source: ByteRun): void {
    const { words } = source
    const count = words.length
    this.reserve(count * 4)
    const { view } = this
    let at = this.position
    for (let i = 0; i < count; i++) {
      view.setInt32(at, words[i] as number, true)
      at += 4
    }
    this.position += source.length
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

  /** Appends what another writer holds between two of its positions. A fifth of the time of a native copy at 100 bytes. */
  copyFrom(source: ByteWriter, start: number, end: number): void {
    const length = end - start
    if (length > WORDS_MAX) {
      this.writeRange(source.bytes, start, end)
      return
    }
    // The last word may be written, and read, beyond the end: the next write covers it.
    this.reserve(length + 4)
    source.reserve(4)
    const { view, position } = this
    const from = source.view
    for (let i = 0; i < length; i += 4) view.setInt32(position + i, from.getInt32(start + i, true), true)
    this.position = position + length
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
    if (rest <= INT32_MAX) {
      this.#digits(rest, countDigits(rest))
      return
    }
    // Division of doubles is slow: multiply, put right, and go on with two halves in integer arithmetic.
    let high = Math.floor(rest * BILLIONTH)
    let low = rest - high * BILLION
    if (low < 0) {
      high -= 1
      low += BILLION
    }
    this.#digits(high, countDigits(high))
    this.#digits(low, 9)
  }

  /** A whole number of 64 bits in decimal digits. The caller has checked that it fits. */
  integer64(value: bigint): void {
    this.reserve(MAX_INTEGER_DIGITS)
    int64Scratch[0] = value
    let low = wordScratch[0] as number
    let high = wordScratch[1] as number
    if (high >= 0x8000_0000) {
      this.bytes[this.position++] = MINUS
      low = (~low + 1) >>> 0
      high = low === 0 ? (~high + 1) >>> 0 : ~high >>> 0
    }
    // BigInt's own division allocates its results. The quotient of the rounded value is right or one too large; the rest,
    // known modulo 2^32 from the low halves, says which.
    let quotient = Math.floor((high * 0x1_0000_0000 + low) * BILLIONTH)
    let rest = (low - Math.imul(quotient, BILLION)) >>> 0
    if (rest >= 0xc000_0000) {
      quotient -= 1
      rest = (rest + BILLION) >>> 0
    }
    if (quotient === 0) {
      this.#digits(rest, countDigits(rest))
      return
    }
    this.integer(quotient)
    this.#digits(rest, 9)
  }

  /** Exactly `width` digits, zero-padded; `value` below 10^9. */
  paddedInteger(value: number, width: number): void {
    this.reserve(width)
    this.#digits(value, width)
  }

  /** The last `width` digits of 0 ≤ value < 2^31, four and two at a time: a third less time than one by one. */
  #digits(value: number, width: number): void {
    const { view, position } = this
    let rest = value | 0
    let at = position + width
    while (at >= position + 4) {
      const quotient = (rest / 10_000) | 0
      at -= 4
      view.setInt32(at, FOUR_DIGITS[rest - quotient * 10_000] as number, true)
      rest = quotient
    }
    if (at >= position + 2) {
      const quotient = (rest / 100) | 0
      at -= 2
      view.setInt16(at, (FOUR_DIGITS[rest - quotient * 100] as number) >> 16, true)
      rest = quotient
    }
    if (at > position) this.bytes[position] = ZERO + (rest % 10)
    this.position = position + width
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

/** One value and its two halves, low half first on every machine that Node runs on. */
const int64Scratch = new BigInt64Array(1)
const wordScratch = new Uint32Array(int64Scratch.buffer)
/** Doubling starts from here, also when the writer was made with no room at all. */
const CAPACITY_MIN = 16
const SHORT_RUN = 40
/** Where a loop over words takes as long as a native copy. */
const WORDS_MAX = 400
const BILLION = 1_000_000_000
/**
 * As a double it is 0.56 × 2^-53 of itself more than 10^-9. That outweighs what rounding a 64-bit integer to a double takes
 * away by so much that a quotient got with it may be one too large, but is never too small.
 */
const BILLIONTH = 1e-9
const MAX_INTEGER_DIGITS = 20
const ZERO = 0x30
const MINUS = 0x2d
const INT32_MAX = 0x7fff_ffff

/** The digits of 0…9999, zero-padded, as four bytes in the order they are written. */
const FOUR_DIGITS = Int32Array.from({ length: 10_000 }, (_, value) =>
  Buffer.from(String(value).padStart(4, '0')).readInt32LE(),
)

/**
 * Bytes that are written again and again. They are kept as 32-bit words and copied as such; the last word may run over the
 * end, which the next write covers.
 */
export class ByteRun {
  readonly length: number
  readonly words: Int32Array

  constructor(text: string) {
    const bytes = Buffer.from(text)
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4)
    bytes.copy(padded)
    this.length = bytes.length
    this.words = Int32Array.from({ length: padded.length / 4 }, (_, index) => padded.readInt32LE(index * 4))
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Digits of 0 ≤ value < 2^31. */
function countDigits(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  if (value < 10_000) return 4
  if (value < 100_000) return 5
  if (value < 1_000_000) return 6
  if (value < 10_000_000) return 7
  if (value < 100_000_000) return 8
  return value < BILLION ? 9 : 10
}
