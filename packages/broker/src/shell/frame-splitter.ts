/** socket.request.max.bytes of Kafka. */
const REQUEST_BYTES_MAX = 104_857_600
const SIZE_BYTES = 4

/** Splits the bytes of a socket into requests. Its buffer grows with what has arrived, not with what is announced. */
export class FrameSplitter {
  #chunks: Buffer[] = []
  #bytes = 0

  /** Returns the requests that are complete now. Throws RangeError for a size that no request has. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    const frames: Buffer[] = []
    for (;;) {
      const size = this.#nextSize()
      if (size === null || this.#bytes < SIZE_BYTES + size) return frames
      const all = this.#joined()
      frames.push(all.subarray(SIZE_BYTES, SIZE_BYTES + size))
      const rest = all.subarray(SIZE_BYTES + size)
      this.#chunks = rest.length === 0 ? [] : [rest]
      this.#bytes = rest.length
    }
  }

  #nextSize(): number | null {
    if (this.#bytes < SIZE_BYTES) return null
    const [first] = this.#chunks
    const head = first !== undefined && first.length >= SIZE_BYTES ? first : this.#joined()
    const size = head.readInt32BE(0)
    if (size < 0 || size > REQUEST_BYTES_MAX) throw new RangeError(`a request of ${size} bytes`)
    return size
  }

  #joined(): Buffer {
    const [first] = this.#chunks
    if (this.#chunks.length === 1 && first !== undefined) return first
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }
}
