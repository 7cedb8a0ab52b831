/*
 * Response frame: size INT32, then that many bytes, which begin with the correlation id (INT32).
 */

/** Splits the bytes of a socket into frames. Copies only frames that arrive in several chunks. */
export class FrameReader {
  readonly #frameBytesMax: number
  #chunks: Buffer[] = []
  #bytes = 0
  /** The next frame is complete from this number of bytes on. */
  #needed = SIZE_BYTES

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax
  }

  /** Adds bytes and returns the frames that are complete now. Throws RangeError for a size that no response has. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#needed) return NO_FRAMES
    const frames: Buffer[] = []
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes)
    let at = 0
    this.#needed = SIZE_BYTES
    while (bytes.length - at >= SIZE_BYTES) {
      const size = bytes.readInt32BE(at)
      if (size < SIZE_BYTES || size > this.#frameBytesMax) throw new RangeError(`it sent a response of ${size} bytes`)
      const end = at + SIZE_BYTES + size
      if (end > bytes.length) {
        this.#needed = SIZE_BYTES + size
        break
      }
      frames.push(bytes.subarray(at + SIZE_BYTES, end))
      at = end
    }
    this.#bytes = bytes.length - at
    this.#chunks = this.#bytes === 0 ? [] : [bytes.subarray(at)]
    return frames
  }
}

const NO_FRAMES: readonly Buffer[] = []

const SIZE_BYTES = 4
