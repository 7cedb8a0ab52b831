import { assert, doneOr, isPoisonOn, poisonBytes } from '@tributary/support'
import type { Duplex } from 'node:stream'
import type { ReadBlocks } from './read-blocks.ts'

/**
 * Cuts the byte stream of a connection into packets. Pulled, not pushed: the owner asks for the next packet, and what it
 * does not ask for stays in the socket. When more than `QUEUE_BYTES_MAX` is waiting, the socket is paused, so a slow
 * consumer slows the server down and nothing else.
 *
 * Packet (protocol page "MySQL Packets"): int<3> payload length · int<1> sequence id · payload. A payload of 2^24-1 bytes
 * is continued by the next packet.
 *
 * A packet is `bytes[start, end)` until the next call. `bytes` is usually the buffer that the socket gave; whoever keeps a
 * view of it keeps it alive, and nobody changes it before `recycle`: who writes between packets for a moment puts back what stood there.
 */
export class PacketReader {
  bytes: Buffer = EMPTY
  start = 0
  end = 0
  /** Sequence number of the packet, of the last part of a continued one. */
  sequence = 0

  readonly #socket: Duplex
  /** That the chunks stand in; null: each is a buffer of its own. */
  readonly #blocks: ReadBlocks | null
  /** Chunks not looked at yet; `bytes` from `#at` on comes before them. */
  readonly #chunks: Buffer[] = []
  #queuedBytes = 0
  /** Full packets that the next one continues. */
  #parts: Buffer[] = []
  #at = 0
  #isPaused = false
  #failure: Error | null = null
  /** Chunks that ever arrived, and how many of them `next` had seen when it last found no whole packet. */
  #arrived = 0
  #seen = 0
  #wake: (() => void) | null = null
  /** With poison: the read parts of earlier `bytes`, since the last `recycle`; null before the first one. */
  #retired: Buffer[] | null = null

  constructor(socket: Duplex, blocks: ReadBlocks | null = null) {
    this.#socket = socket
    this.#blocks = blocks
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

  /** What stands right behind the bytes before it becomes one with them: packets that lie in both need not be copied. */
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

  /** Nobody keeps views of packets that `next` gave before the current one: the socket may read into their memory again. */
  recycle(): void {
    if (isPoisonOn) this.#poison()
    this.#blocks?.recycle([this.bytes, ...this.#chunks])
  }

  /** Overwrites all packets before the current one. */
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

  /** True when nothing has arrived that was not read. */
  get isDrained(): boolean {
    return this.#queuedBytes === 0 && this.#at === this.bytes.length && this.#parts.length === 0
  }

  /** The connection ended: what is complete can still be read, then `wait` throws. */
  fail(error: Error): void {
    this.#failure ??= error
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }

  /** Moves to the next packet if it is complete. Throws when the packets cannot be those of a server. */
  next(): boolean {
    this.#seen = this.#arrived
    for (;;) {
      const length = this.#payloadLength()
      if (length < 0 || !this.#gather(HEADER_BYTES + length)) return false
      this.sequence = this.bytes[this.#at + 3] as number
      this.start = this.#at + HEADER_BYTES
      this.end = this.start + length
      this.#at = this.end
      if (length < CONTINUED_LENGTH) {
        if (this.#parts.length > 0) this.#joinParts()
        return true
      }
      this.#keepPart()
    }
  }

  /** After `next` was false: waits until more has arrived. Throws the connection's error when it ended. */
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

  /** Length of the payload that starts at the position, or -1 while its header is not complete. */
  #payloadLength(): number {
    if (!this.#gather(HEADER_BYTES)) return -1
    const { bytes } = this
    const at = this.#at
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  }

  /** Makes `count` bytes from the position contiguous in `bytes`; false when they have not all arrived. */
  #gather(count: number): boolean {
    const rest = this.bytes.length - this.#at
    if (rest >= count) return true
    if (rest + this.#queuedBytes < count) {
      // The packet is larger than the queue may be: its bytes have to come in before it can be read.
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
      for (let have = rest; have < count; have += (parts.at(-1) as Buffer).length) {
        parts.push(this.#takeBytes(count - have))
      }
      this.bytes = Buffer.concat(parts, count)
    }
    this.#at = 0
    if (this.#queuedBytes <= QUEUE_BYTES_RESUME) this.#resume()
  }

  get #queuedFirst(): Buffer {
    const chunk = this.#chunks[0]
    assert(chunk !== undefined, 'the queue holds fewer bytes than counted')
    return chunk
  }

  #takeChunk(): Buffer {
    const chunk = this.#queuedFirst
    this.#chunks.shift()
    this.#queuedBytes -= chunk.length
    return chunk
  }

  /** Up to that many bytes of the first chunk. The rest of it stays where it is: only what lies across two chunks is copied. */
  #takeBytes(countMax: number): Buffer {
    const chunk = this.#queuedFirst
    if (chunk.length <= countMax) return this.#takeChunk()
    this.#chunks[0] = chunk.subarray(countMax)
    this.#queuedBytes -= countMax
    return chunk.subarray(0, countMax)
  }

  /** Takes a full packet as the beginning of a payload that the next one continues. */
  #keepPart(): void {
    this.#parts.push(this.bytes.subarray(this.start, this.end))
    if (this.#parts.length > PARTS_MAX) throw new RangeError('a packet is longer than any server sends')
  }

  /** Gives the parts, joined without their headers, as the packet, and puts what follows them back in front of the queue. */
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
/** Servers send no packet beyond 1 GiB (the highest max_allowed_packet), which is 64 full ones and one more for its first byte. */
const PARTS_MAX = 65
/** Enough to keep a reader busy for some milliseconds at full speed; small beside everything else. */
const QUEUE_BYTES_MAX = 1 << 20
const QUEUE_BYTES_RESUME = 1 << 19
