const FIRST_BYTES = 256
/** A longer run of bytes becomes a chunk of its own instead of being copied. */
const COPY_BYTES_MAX = 4096

/** Writes the primitive types of Kafka's protocol into chunks of bytes. */
export class WireWriter {
  readonly #chunks: Buffer[] = []
  #buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES)
  #start = 0
  #at = 0

  int8(value: number): void {
    this.#at = this.#room(1).writeInt8(value, this.#at)
  }

  int16(value: number): void {
    this.#at = this.#room(2).writeInt16BE(value, this.#at)
  }

  uint16(value: number): void {
    this.#at = this.#room(2).writeUInt16BE(value, this.#at)
  }

  int32(value: number): void {
    this.#at = this.#room(4).writeInt32BE(value, this.#at)
  }

  int64(value: bigint): void {
    this.#at = this.#room(8).writeBigInt64BE(value, this.#at)
  }

  float64(value: number): void {
    this.#at = this.#room(8).writeDoubleBE(value, this.#at)
  }

  unsignedVarint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80)
    this.#byte(rest)
  }

  bytes(value: Buffer): void {
    if (value.length > COPY_BYTES_MAX) {
      this.#cut()
      this.#chunks.push(value)
      return
    }
    const buffer = this.#room(value.length)
    this.#at += value.copy(buffer, this.#at)
  }

  /** What was written, in order. The writer is not used after it. */
  chunks(): readonly Buffer[] {
    this.#cut()
    return this.#chunks
  }

  #byte(value: number): void {
    this.#at = this.#room(1).writeUInt8(value, this.#at)
  }

  #cut(): void {
    if (this.#at === this.#start) return
    this.#chunks.push(this.#buffer.subarray(this.#start, this.#at))
    this.#start = this.#at
  }

  #room(count: number): Buffer {
    if (this.#buffer.length - this.#at < count) {
      this.#cut()
      this.#buffer = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, count))
      this.#start = 0
      this.#at = 0
    }
    return this.#buffer
  }
}
