import { RESPONSE_BYTES_MAX } from './response-limits.ts'

/*
 * Response frame: size INT32, then that many bytes, which begin with the correlation id (INT32).
 */
const SIZE_BYTES = 4
const HEAD_BYTES = 8

/**
 * Splits the bytes of a socket into frames. A frame that arrives in several chunks is copied into one buffer, which
 * grows with the bytes that have arrived, not with the size that the peer claims.
 */
export class FrameReader {
  readonly #bytesMaxOf: (correlationId: number) => number
  /** Its first `#bytes` bytes are the start of the next frame. */
  #buffer: Buffer = NOTHING
  #bytes = 0
  /** The next frame, or its head, is complete from this number of bytes on. */
  #needed = SIZE_BYTES

  /** @param bytesMaxOf the greatest size of the response to a request; throws RangeError when there is no such request */
  constructor(bytesMaxOf: (correlationId: number) => number) {
    this.#bytesMaxOf = bytesMaxOf
  }

  /** Adds bytes and returns the frames that are complete now. Throws RangeError for a size that no response has. */
  push(chunk: Buffer): readonly Buffer[] {
    if (this.#bytes > 0 || chunk.length < this.#needed) this.#append(chunk)
    if (this.#bytes > 0 && this.#bytes < this.#needed) return NO_FRAMES
    const bytes = this.#bytes === 0 ? chunk : this.#buffer.subarray(0, this.#bytes)
    const frames: Buffer[] = []
    let at = 0
    this.#needed = SIZE_BYTES
    for (;;) {
      const size = this.#sizeAt(bytes, at)
      if (size === null) break
      frames.push(bytes.subarray(at + SIZE_BYTES, at + SIZE_BYTES + size))
      at += SIZE_BYTES + size
    }
    this.#buffer = NOTHING
    this.#bytes = 0
    if (at < bytes.length) this.#append(bytes.subarray(at))
    return frames
  }

  /** The size of the frame that begins there; null when it is not complete. */
  #sizeAt(bytes: Buffer, at: number): number | null {
    const length = bytes.length - at
    if (length < SIZE_BYTES) return null
    const size = bytes.readInt32BE(at)
    if (size < SIZE_BYTES || size > RESPONSE_BYTES_MAX) throw new RangeError(`it sent a response of ${size} bytes`)
    this.#needed = HEAD_BYTES
    if (length < HEAD_BYTES) return null
    const bytesMax = this.#bytesMaxOf(bytes.readInt32BE(at + SIZE_BYTES))
    if (size > bytesMax) {
      throw new RangeError(`it sent a response of ${size} bytes, and responses of its kind have at most ${bytesMax}`)
    }
    this.#needed = SIZE_BYTES + size
    if (length < this.#needed) return null
    this.#needed = SIZE_BYTES
    return size
  }

  #append(chunk: Buffer): void {
    const bytes = this.#bytes + chunk.length
    if (bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes, Math.min(this.#needed, 2 * bytes)))
      this.#buffer.copy(larger, 0, 0, this.#bytes)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#bytes)
    this.#bytes = bytes
  }
}

const NOTHING = Buffer.alloc(0)
const NO_FRAMES: readonly Buffer[] = []
