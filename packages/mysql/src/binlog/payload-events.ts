import type { ByteCursor, Decompressor } from '../compression/decompressor.ts'
import type { Zstd } from '../compression/zstd.ts'
import { ZstdPieces } from '../compression/zstd-pieces.ts'
import { BLOCK_BYTES, type EventBlocks } from './event-blocks.ts'
import type { TransactionPayload } from './transaction-payload.ts'
import { uint32 } from './uint32.ts'

/**
 * The events inside a TRANSACTION_PAYLOAD_EVENT, one after the other. Each has a header as outside, without a checksum:
 * that of the payload covers them. They are decompressed when they are needed, up to a block ahead, so that the
 * transaction may be of any size.
 *
 * ```
 *  payload (in the packet) ─▶ decompressor ─▶ block  [ read · current event · decompressed · free ]
 *                                                      start ^        end ^          used ^
 * ```
 *
 * After an error no further event can be read.
 */
export class PayloadEvents {
  /** The current event is `bytes[start, end)`. */
  end = 0
  /** Bytes of events before the current one. */
  offset = 0
  readonly #blocks: EventBlocks
  readonly #requireZstd: () => Zstd
  #zstd: Zstd | null = null
  #decompressor: Decompressor | null = null
  #source: Decompressor = COPY
  #input: ByteCursor = NO_INPUT
  /** Bytes of all events, and how many of them are decompressed. */
  #total = 0
  #done = 0

  /** @param zstd is called for the first payload; throws when there is no decompressor */
  constructor(blocks: EventBlocks, zstd: () => Zstd) {
    this.#blocks = blocks
    this.#requireZstd = zstd
  }

  get bytes(): Buffer {
    return this.#blocks.bytes
  }

  get start(): number {
    return this.#blocks.start
  }

  /** Bytes of the current event and those before it. */
  get #read(): number {
    return this.offset + this.end - this.start
  }

  /** True: there is no further event. */
  get isOver(): boolean {
    return this.#read === this.#total
  }

  /**
   * Begins with the events of a payload, whose bytes must stay until its last event is read.
   *
   * @throws RangeError
   */
  open({ compression, bytes, start, end, eventBytes }: TransactionPayload): void {
    const blocks = this.#blocks
    if (compression === 'zstd') {
      this.#zstd ??= this.#requireZstd()
      const { limit, create } = this.#zstd
      const pieces = new ZstdPieces({ bytes, at: start, end }, limit)
      while (!pieces.isOver) pieces.next()
      this.#decompressor ??= create()
    }
    this.#source = compression === 'zstd' ? (this.#decompressor ?? COPY) : COPY
    this.#input = { bytes, at: start, end }
    this.#total = eventBytes
    this.#done = 0
    this.offset = 0
    // All events of a small transaction are decompressed by one call.
    blocks.begin(Math.min(eventBytes, BLOCK_BYTES))
    this.end = blocks.start
  }

  /**
   * Moves to the next event.
   *
   * @throws RangeError
   */
  next(): void {
    const rest = this.#total - this.#read
    this.offset = this.#read
    this.#blocks.start = this.end
    if (rest < HEADER_BYTES) throw this.#failed(new RangeError(`its last ${rest} bytes are no event`))
    this.#gather(HEADER_BYTES)
    const size = uint32(this.bytes, this.start + 9)
    if (size < HEADER_BYTES || size > Math.min(rest, EVENT_BYTES_MAX)) {
      throw this.#failed(new RangeError(`an event specifies ${size} of the ${rest} bytes that are left`))
    }
    this.#gather(size)
    this.end = this.start + size
    if (this.isOver) this.#finish()
  }

  /** Makes the next `count` bytes complete. The block grows with what arrives: a size may be wrong. */
  #gather(count: number): void {
    const blocks = this.#blocks
    while (blocks.used - blocks.start < count) {
      if (blocks.used === blocks.bytes.length) {
        blocks.reserve(Math.min(count, Math.max(BLOCK_BYTES, 2 * (blocks.used - blocks.start))))
      }
      this.#fill()
    }
    this.end = blocks.start
  }

  #fill(): void {
    const blocks = this.#blocks
    const { bytes, used } = blocks
    const output = { bytes, at: used, end: Math.min(bytes.length, used + this.#total - this.#done) }
    if (!this.#run(output)) throw this.#failed(new RangeError(`it has ${this.#done} bytes instead of ${this.#total}`))
    this.#done += output.at - used
    blocks.used = output.at
  }

  /** Nothing may follow the last event. The decompressor has to reach the end of its input to begin with another one. */
  #finish(): void {
    const { end } = this.#input
    const beyond = { bytes: BEYOND, at: 0, end: 1 }
    while (this.#input.at < end && beyond.at === 0 && this.#run(beyond));
    const { at } = this.#input
    if (beyond.at > 0) throw this.#failed(new RangeError(`it has more than ${this.#total} bytes`))
    if (at < end) throw this.#failed(new RangeError(`${end - at} bytes follow its last event`))
    this.#input = NO_INPUT
  }

  /** Returns whether anything has moved. */
  #run(output: ByteCursor): boolean {
    const input = this.#input
    const [read, written] = [input.at, output.at]
    try {
      this.#source.run(input, output)
    } catch (error) {
      throw this.#failed(error)
    }
    return input.at > read || output.at > written
  }

  #failed(error: unknown): unknown {
    this.#decompressor = null
    this.#input = NO_INPUT
    this.#total = this.#read
    return error
  }
}

/** For payloads that are not compressed. */
const COPY: Decompressor = {
  run(input, output) {
    const count = Math.min(input.end - input.at, output.end - output.at)
    input.bytes.copy(output.bytes, output.at, input.at, input.at + count)
    input.at += count
    output.at += count
  },
}

/** Room for a byte that must not be there. */
const BEYOND = Buffer.alloc(1)
const NO_INPUT: ByteCursor = { bytes: Buffer.alloc(0), at: 0, end: 0 }
const HEADER_BYTES = 19
/** The largest max_allowed_packet, and room for what surrounds the rows. */
const EVENT_BYTES_MAX = 2 ** 30 + 2 ** 20
