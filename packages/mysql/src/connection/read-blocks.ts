import { isPoisonOn, poisonBytes } from '@tributary/support'
import type { Duplex } from 'node:stream'

/**
 * Large buffers that a socket reads into, one read directly after the other. The bytes of several reads are contiguous,
 * and a read (16 KB with TLS) costs neither a buffer of its own nor an entry in a stream's queue nor an event.
 * `recycle` makes full blocks available for new reads.
 */
export class ReadBlocks {
  readonly #onBytes: (bytes: Buffer) => void
  #block = newBlock()
  /** Bytes of the block that have been read into. */
  #used = 0
  /**
   * Full blocks that views may refer to, oldest first. Null before the first `recycle`: then the collector frees them.
   */
  #left: Buffer[] | null = null
  readonly #free: Buffer[] = []

  private constructor(onBytes: (bytes: Buffer) => void) {
    this.#onBytes = onBytes
  }

  /**
   * Makes the socket read into blocks for the rest of its life. It calls `onBytes` with what arrives and emits no
   * `data` any more. A socket that already reads into blocks keeps them and their callback.
   *
   * Returns null and changes nothing when the sockets of this engine cannot do it, or when the socket has buffered
   * bytes that it has not emitted yet: new bytes would overtake them.
   */
  static of(socket: Duplex, onBytes: (bytes: Buffer) => void): ReadBlocks | null {
    const known = blocksOfSockets.get(socket)
    if (known !== undefined) return known
    const blocks = new ReadBlocks(onBytes)
    if (socket.isPaused() || socket.readableLength > 0 || !blocks.#attach(socket)) return null
    blocksOfSockets.set(socket, blocks)
    return blocks
  }

  /**
   * Node documents `onread` for the code that creates the socket, which is the driver. This method sets later what
   * `onread` sets: three fields, whose keys are symbols, and the handle’s own reference. read-blocks.test.ts fails on a
   * Node that lacks them.
   */
  #attach(socket: Duplex): boolean {
    const internals = socket as unknown as SocketInternals
    const keys = BUFFER_KEYS.map((name) => ownSymbol(socket, name))
    const [buffer, callback, generator] = keys
    if (buffer === undefined || callback === undefined || generator === undefined) return false
    if (typeof internals._handle?.useUserBuffer !== 'function') return false
    const first = this.#next()
    internals[buffer] = first
    internals[callback] = (count: number, view: Buffer): boolean => {
      this.#used += count
      this.#onBytes(view.subarray(0, count))
      return true
    }
    internals[generator] = () => this.#next()
    internals._handle.useUserBuffer(first)
    return true
  }

  /** The memory of the next read. */
  #next(): Buffer {
    if (this.#block.length - this.#used < READ_BYTES_MIN) {
      this.#leave()
      this.#block = this.#free.pop() ?? newBlock()
      this.#used = 0
    }
    return this.#block.subarray(this.#used)
  }

  /**
   * One large event may fill hundreds of blocks, and needs none of them once it is joined: the collector gets those
   * beyond the limit.
   */
  #leave(): void {
    if (this.#left === null) return
    this.#left.push(this.#block)
    if (this.#left.length > LEFT_MAX) this.#left.shift()
  }

  /**
   * Frees the full blocks before the first one that a buffer of `needed` is in. Full blocks are kept only after the
   * first call, so a caller that recycles once must do so regularly.
   */
  recycle(needed: readonly Buffer[]): void {
    this.#left ??= []
    const first = this.#left.findIndex((block) => needed.some(({ buffer }) => buffer === block.buffer))
    const gone = this.#left.splice(0, first < 0 ? this.#left.length : first)
    if (isPoisonOn) for (const block of gone) poisonBytes(block)
    this.#free.push(...gone.slice(0, Math.max(0, FREE_MAX - this.#free.length)))
  }
}

const blocksOfSockets = new WeakMap<Duplex, ReadBlocks>()

interface SocketInternals {
  _handle?: { useUserBuffer?: (buffer: Buffer) => void }
  [key: symbol]: unknown
}

const BUFFER_KEYS = ['kBuffer', 'kBufferCb', 'kBufferGen'] as const

function ownSymbol(socket: Duplex, name: string): symbol | undefined {
  return Object.getOwnPropertySymbols(socket).find(({ description }) => description === name)
}

function newBlock(): Buffer {
  return Buffer.allocUnsafeSlow(BLOCK_BYTES)
}

const BLOCK_BYTES = 256 * 1024
/** The largest TLS record, which decryption yields as a whole. */
const READ_BYTES_MIN = 16 * 1024
/** 4 MB. */
const LEFT_MAX = 16
/** 2 MB: enough for the bytes read ahead and for those of a batch of records. */
const FREE_MAX = 8
