/**
 * Reads the primitive types of Kafka's protocol. Bytes are views of the message. Every method throws RangeError at the
 * end of the bytes, and for a length that the rest of the message cannot have.
 */
export class WireReader {
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get remaining(): number {
    return this.#bytes.length - this.at
  }

  int8(): number {
    return this.#bytes.readInt8(this.#advance(1))
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2))
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2))
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4))
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8))
  }

  float64(): number {
    return this.#bytes.readDoubleBE(this.#advance(8))
  }

  uuid(): string {
    return this.slice(16).toString('base64url')
  }

  unsignedVarint(): number {
    let value = 0
    for (let scale = 1, count = 0; count < 5; count++, scale *= 0x80) {
      const byte = this.#bytes.readUInt8(this.#advance(1))
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new RangeError('a varint has more than five bytes')
  }

  /** The next bytes. */
  slice(count: number): Buffer {
    if (count < 0) throw new RangeError(`a length of ${count}`)
    const start = this.#advance(count)
    return this.#bytes.subarray(start, start + count)
  }

  #advance(count: number): number {
    const start = this.at
    if (count > this.#bytes.length - start) {
      throw new RangeError(`the message ends after ${this.#bytes.length} bytes; ${count} more are due at ${start}`)
    }
    this.at = start + count
    return start
  }
}
