import { isPoisonOn, poisonBytes } from '@tributary/support'
import type { Duplex } from 'node:stream'

/**
 * Large buffers that a socket reads into, one read behind the other: what arrives is contiguous, without a buffer, a stream's queue and
 * an event for each read (16 KB with TLS). A block that was read to its end is used again once its owner says that nobody looks at it any more.
 */
export class ReadBlocks {
  readonly #onBytes: (bytes: Buffer) => void
  #block = newBlock()
  /** Bytes of it that are taken. */
  #used = 0
  /** Full ones that somebody may look at, in order; null while nobody says when they do not: then the collector finds out. */
  #left: Buffer[] | null = null
  readonly #free: Buffer[] = []

  private constructor(onBytes: (bytes: Buffer) => void) {
    this.#onBytes = onBytes
  }

  /**
   * Has the socket read into blocks from now on, for as long as it lives, and gives `onBytes` what has arrived; `data` is not emitted any
   * more. A socket that reads into blocks already goes on with those that it has. Null: sockets of this engine cannot, or this one holds bytes
   * back that nobody was told of yet; nothing has changed.
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
   * Node’s documented way (`onread`) is for who makes the socket, and that is the driver. What it sets can be set later as well: three
   * fields, whose keys are symbols, and the handle’s own reference. A test says when a Node has them no longer.
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

  /** Where the next read goes. */
  #next(): Buffer {
    if (this.#block.length - this.#used < READ_BYTES_MIN) {
      this.#leave()
      this.#block = this.#free.pop() ?? newBlock()
      this.#used = 0
    }
    return this.#block.subarray(this.#used)
  }

  /** One large event may fill hundreds of them and need none when it is joined: beyond some they are left to the collector. */
  #leave(): void {
    if (this.#left === null) return
    this.#left.push(this.#block)
    if (this.#left.length > LEFT_MAX) this.#left.shift()
  }

  /** Nobody looks at blocks any more but at those behind the first of `needed`, and at that. Who has said so once says it again and again. */
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
/** A TLS record at most: what decryption gives at once. */
const READ_BYTES_MIN = 16 * 1024
/** 4 MB. */
const LEFT_MAX = 16
/** 2 MB: what is read ahead, and what a batch of records stands in. */
const FREE_MAX = 8
