/**
 * Buffers of batches, kept for the next batch. A megabyte that is allocated anew for each batch costs page faults and
 * garbage collection; with the pool a producer that runs steadily allocates nothing.
 *
 * Sizes are powers of two, so that a partition with little traffic holds little: a thousand open batches of a few
 * records each must not cost a thousand megabytes.
 */
export class BufferPool {
  readonly #freeBytesMax: number
  readonly #free: Buffer[][] = []
  #freeBytes = 0

  /** `freeBytesMax`: what may lie unused; more is left to the garbage collector. */
  constructor(freeBytesMax: number) {
    this.#freeBytesMax = freeBytesMax
  }

  /** A buffer of at least this size; its content is whatever was in it. */
  take(bytes: number): Buffer {
    const sizeClass = sizeClassOf(bytes)
    const free = this.#free[sizeClass]?.pop()
    if (free === undefined) return Buffer.allocUnsafeSlow(2 ** sizeClass)
    this.#freeBytes -= free.length
    return free
  }

  /** Takes a buffer of `take` back. The caller holds no reference any more. */
  give(buffer: Buffer): void {
    const sizeClass = sizeClassOf(buffer.length)
    if (2 ** sizeClass !== buffer.length || this.#freeBytes + buffer.length > this.#freeBytesMax) return
    const free = (this.#free[sizeClass] ??= [])
    free.push(buffer)
    this.#freeBytes += buffer.length
  }

  /** A buffer of at least this size that begins with the first `used` bytes of the old one, which is given back. */
  grow(old: Buffer, used: number, bytes: number): Buffer {
    const larger = this.take(bytes)
    old.copy(larger, 0, 0, used)
    this.give(old)
    return larger
  }
}

/** 16 KiB: below it the bookkeeping costs more than the memory is worth. */
const SMALLEST_CLASS = 14

function sizeClassOf(bytes: number): number {
  return Math.max(SMALLEST_CLASS, Math.ceil(Math.log2(bytes)))
}
