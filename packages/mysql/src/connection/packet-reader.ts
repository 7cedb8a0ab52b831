import { assert, doneOr, isPoisonOn, poisonBytes } from '@tributary/support'
import type { Duplex } from 'node:stream'
import type { ReadBlocks } from './read-blocks.ts'

/**
 * Cuts the byte stream of a connection into packets. The owner pulls them: bytes that it does not ask for stay in the
 * socket. While more than `QUEUE_BYTES_MAX` bytes wait, the reader pauses the socket, so a slow consumer slows only the
 * server down.
 *
 * Packet (protocol page "MySQL Packets"): int<3> payload length · int<1> sequence id · payload. A payload of 2^24-1
 * bytes is continued by the next packet.
 *
 * A packet is `bytes[start, end)` until the next call. `bytes` is usually the buffer of the socket; a view keeps it
 * alive, and its content stays until `recycle`. Code that writes between packets for a moment must restore what it
 * overwrote.
 */
export class PacketReader {
  bytes: Buffer = EMPTY
  start = 0
  end = 0
  /** Sequence number of the packet, of the last part of a continued one. */
  sequence = 0

  readonly #socket: Duplex
  /** The blocks that the chunks are in; null when each chunk is a buffer of its own. */
  readonly #blocks: ReadBlocks | null
  /** Unread chunks, in order; the unread part of `bytes`, from `#at` on, precedes them. */
  readonly #chunks: Buffer[] = []
  #queuedBytes = 0
  /** Full packets that the next packet continues. */
  #parts: Buffer[] = []
  #at = 0
  #isPaused = false
  #failure: Error | null = null
  /** Number of chunks that have arrived. */
  #arrived = 0
  /** The value of `#arrived` at the last `next`. */
  #seen = 0
  #wake: (() => void) | null = null
  /** Sequence number that the next packet must have; -1: any. */
  #expected = -1
  /** With poison: the read parts of earlier `bytes`, since the last `recycle`; null before the first one. */
  #retired: Buffer[] | null = null

  constructor(socket: Duplex, blocks: ReadBlocks | null = null) {
    this.#socket = socket
    this.#blocks = blocks
  }

  /**
   * A command was sent: its answer has the numbers from 1 on. A packet with another number is missing, or of another
   * answer.
   */
  begin(): void {
    this.#expected = 1
  }

  /** Bytes from the socket. */
  push(chunk: Buffer): void {
    this.#queue(chunk)
    this.#arrived += 1
    if (this.#queuedBytes > QUEUE_BYTES_MAX && !this.#isPaused) {
      this.#isPaused = true
      this.#socket.pause()
    }
    this.#wakeUp()
  }

  /** Joins a chunk with the bytes before it when they are adjacent in memory: a packet in both is then not copied. */
  #queue(chunk: Buffer): void {
    const chunks = this.#chunks
    const last = chunks.at(-1) ?? this.bytes
    const isNext = last.buffer === chunk.buffer && last.byteOffset + last.length === chunk.byteOffset
    const longer = isNext ? Buffer.from(last.buffer, last.byteOffset, last.length + chunk.length) : chunk
    if (isNext && chunks.length === 0) {
      this.bytes = longer
      return
    }
    if (isNext) chunks[chunks.length - 1] = longer
    else chunks.push(longer)
    this.#queuedBytes += chunk.length
  }

  /** Ends the validity of views of the packets before the current one: the socket may read into their memory again. */
  recycle(): void {
    if (isPoisonOn) this.#poison()
    this.#blocks?.recycle([this.bytes, ...this.#chunks])
  }

  /** Overwrites all packets before the current one, so that tests find uses of them. */
  #poison(): void {
    // Parts of a packet that is not complete are views of earlier buffers.
    if (this.#parts.length > 0) return
    for (const bytes of this.#retired ?? []) poisonBytes(bytes)
    this.#retired = []
    // After `next` has returned false, `start` may belong to an earlier `bytes`; then nothing of this one is read.
    poisonBytes(this.bytes, 0, Math.max(0, Math.min(this.start - HEADER_BYTES, this.#at)))
  }

  /** Call it before `bytes` is replaced. */
  #retire(): void {
    if (isPoisonOn) this.#retired?.push(this.bytes.subarray(0, this.#at))
  }

  /** True when every byte that has arrived is read. */
  get isDrained(): boolean {
    return this.#queuedBytes === 0 && this.#at === this.bytes.length && this.#parts.length === 0
  }

  /** Marks the connection as ended: complete packets can still be read, then `wait` throws the error. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }

  /**
   * Moves to the next packet; returns false while it is incomplete.
   *
   * @throws RangeError for a packet that no server sends
   */
  next(): boolean {
    this.#seen = this.#arrived
    for (;;) {
      const length = this.#payloadLength()
      if (length < 0 || !this.#gather(HEADER_BYTES + length)) return false
      this.sequence = this.bytes[this.#at + 3] as number
      this.start = this.#at + HEADER_BYTES
      this.end = this.start + length
      this.#at = this.end
      if (this.#expected >= 0) this.#checkSequence()
      if (length < CONTINUED_LENGTH) {
        if (this.#parts.length > 0) this.#joinParts()
        return true
      }
      this.#keepPart()
    }
  }

  #checkSequence(): void {
    const expected = this.#expected
    this.#expected = (this.sequence + 1) & 0xff
    if (this.sequence === expected) return
    // The error with which MySQL announces the end of the connection has the number 0.
    if (this.sequence === 0 && this.bytes[this.start] === ERROR_PACKET && this.end > this.start) return
    throw new RangeError(`packet ${this.sequence} has arrived instead of packet ${expected}`)
  }

  /** Waits for more bytes after `next` has returned false. Throws the error of a connection that has ended. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#arrived !== this.#seen) return
    if (this.#failure !== null) throw this.#failure
    this.#resume()
    await doneOr(
      new Promise<void>((resolve) => {
        this.#wake = resolve
      }),
      signal,
    )
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Length of the payload at the current position, or -1 while its header is incomplete. */
  #payloadLength(): number {
    if (!this.#gather(HEADER_BYTES)) return -1
    const { bytes } = this
    const at = this.#at
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  }

  /** Makes the next `count` bytes contiguous in `bytes`; returns false while some have not arrived. */
  #gather(count: number): boolean {
    const rest = this.bytes.length - this.#at
    if (rest >= count) return true
    if (rest + this.#queuedBytes < count) {
      // A packet may have more bytes than the reader queues before it pauses the socket: without `resume`, the rest of the
      // packet would never arrive.
      this.#resume()
      return false
    }
    this.#join(rest, count)
    return true
  }

  #join(rest: number, count: number): void {
    this.#retire()
    if (rest === 0 && this.#queuedFirst.length >= count) {
      this.bytes = this.#takeChunk()
    } else {
      const parts: Buffer[] = [this.bytes.subarray(this.#at)]
      for (let have = rest; have < count;) {
        const part = this.#takeBytes(count - have)
        parts.push(part)
        have += part.length
      }
      this.bytes = Buffer.concat(parts, count)
    }
    this.#at = 0
    if (this.#queuedBytes <= QUEUE_BYTES_RESUME) this.#resume()
  }

  get #queuedFirst(): Buffer {
    const chunk = this.#chunks[0]
    assert(chunk !== undefined, 'the queue has fewer bytes than counted')
    return chunk
  }

  #takeChunk(): Buffer {
    const chunk = this.#queuedFirst
    this.#chunks.shift()
    this.#queuedBytes -= chunk.length
    return chunk
  }

  /**
   * Takes up to that many bytes of the first chunk. The rest stays in place: only packets across two chunks are copied.
   */
  #takeBytes(countMax: number): Buffer {
    const chunk = this.#queuedFirst
    if (chunk.length <= countMax) return this.#takeChunk()
    this.#chunks[0] = chunk.subarray(countMax)
    this.#queuedBytes -= countMax
    return chunk.subarray(0, countMax)
  }

  /** Keeps a full packet, whose payload the next packet continues. */
  #keepPart(): void {
    this.#parts.push(this.bytes.subarray(this.start, this.end))
    if (this.#parts.length > PARTS_MAX) throw new RangeError('a packet is longer than any server sends')
  }

  /**
   * Joins the parts, without their headers, to the current packet, and puts the bytes after them back into the queue.
   */
  #joinParts(): void {
    this.#parts.push(this.bytes.subarray(this.start, this.end))
    const joined = Buffer.concat(this.#parts)
    this.#parts = []
    const rest = this.bytes.subarray(this.#at)
    if (rest.length > 0) {
      this.#chunks.unshift(rest)
      this.#queuedBytes += rest.length
    }
    this.#retire()
    this.bytes = joined
    this.start = 0
    this.end = joined.length
    this.#at = joined.length
  }
}

const EMPTY = Buffer.alloc(0)
const HEADER_BYTES = 4
const CONTINUED_LENGTH = 0xff_ff_ff
const ERROR_PACKET = 0xff
/** Servers send at most 1 GiB (the largest max_allowed_packet): 64 full packets, and one more for the status byte. */
const PARTS_MAX = 65
/** Some milliseconds of work for a reader at full speed, and little memory. */
const QUEUE_BYTES_MAX = 1 << 20
const QUEUE_BYTES_RESUME = 1 << 19
