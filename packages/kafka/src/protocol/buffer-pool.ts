/**
 * Reuses the buffers of batches. Allocating a megabyte for each batch costs page faults and garbage collection; with
 * the pool a producer under steady load allocates no buffers.
 *
 * Sizes are powers of two and small for a partition with little traffic: a thousand open batches of a few records each
 * must not cost a thousand megabytes.
 */
export class BufferPool {
  readonly #freeBytesMax: number
  readonly #free: Buffer[][] = []
  #freeBytes = 0

  /** `freeBytesMax`: the limit of unused bytes in the pool. */
  constructor(freeBytesMax: number) {
    this.#freeBytesMax = freeBytesMax
  }

  /** A buffer of at least this size, with arbitrary content. */
  take(bytes: number): Buffer {
    const sizeClass = sizeClassOf(bytes)
    const free = this.#free[sizeClass]?.pop()
    if (free === undefined) return Buffer.allocUnsafeSlow(2 ** sizeClass)
    this.#freeBytes -= free.length
    return free
  }

  /** Returns a buffer to the pool. The caller must not use it afterwards. */
  release(buffer: Buffer): void {
    const sizeClass = sizeClassOf(buffer.length)
    if (2 ** sizeClass !== buffer.length || this.#freeBytes + buffer.length > this.#freeBytesMax) return
    const free = (this.#free[sizeClass] ??= [])
    free.push(buffer)
    this.#freeBytes += buffer.length
  }

  /** A buffer of at least this size with the first `used` bytes of the old one, which returns to the pool. */
  grow(old: Buffer, used: number, bytes: number): Buffer {
    const larger = this.take(bytes)
    old.copy(larger, 0, 0, used)
    this.release(old)
    return larger
  }
}

/** 16 KiB. Smaller buffers would save less memory than their management costs time. */
const SMALLEST_CLASS = 14

function sizeClassOf(bytes: number): number {
  return Math.max(SMALLEST_CLASS, Math.ceil(Math.log2(bytes)))
}
