import { isPoisonOn, poisonBytes } from '@tributary/support'

/**
 * Memory for decompressed events, which lie one directly after the other. Events keep their bytes until `recycle`, which
 * makes full blocks available again, as `ReadBlocks` does for the bytes of a socket.
 */
export class EventBlocks {
  /** The current block. Bytes from `used` on may be written. */
  bytes: Buffer = Buffer.alloc(0)
  used = 0
  /** Where the current event begins, which `recycle` spares. */
  start = 0
  /** Full blocks that events may refer to, oldest first. Null before the first `recycle`: then the collector frees them. */
  #left: Buffer[] | null = null
  readonly #free: Buffer[] = []

  /** Begins another event, with room for `count` bytes. */
  begin(count: number): void {
    this.start = this.used
    this.reserve(count)
  }

  /**
   * Makes room for `count` bytes from `start` on, in another block if the current one is too short: the bytes of the
   * event that are there are then copied, and `start` moves.
   */
  reserve(count: number): void {
    const { bytes, start, used } = this
    if (bytes.length - start >= count) return
    const next = count > BLOCK_BYTES ? Buffer.allocUnsafeSlow(count) : (this.#free.pop() ?? newBlock())
    bytes.copy(next, 0, start, used)
    this.#leave()
    this.bytes = next
    this.start = 0
    this.used = used - start
  }

  #leave(): void {
    if (this.#left === null || this.bytes.length === 0) return
    this.#left.push(this.bytes)
    // One large event may fill many blocks, and needs none of them once it is complete.
    if (this.#left.length > LEFT_MAX) this.#left.shift()
  }

  /** Ends the validity of all events before the current one. */
  recycle(): void {
    const left = this.#left ?? []
    this.#left = []
    if (isPoisonOn) {
      for (const block of left) poisonBytes(block)
      poisonBytes(this.bytes, 0, this.start)
    }
    for (const block of left) {
      if (this.#free.length < FREE_MAX && block.length === BLOCK_BYTES) this.#free.push(block)
    }
  }
}

function newBlock(): Buffer {
  return Buffer.allocUnsafeSlow(BLOCK_BYTES)
}

/** As much as stays in the processor's cache while its events are read. */
export const BLOCK_BYTES: number = 256 * 1024
/** 4 MB. */
const LEFT_MAX = 16
/** 2 MB: enough for the events of a batch of records. */
const FREE_MAX = 8
