import { doneOr } from '@tributary/support'
import { checkedCrc, payloadLength, RECORD_HEADER_BYTES } from './spool-record.ts'
import type { SpoolSegment } from './spool-segment.ts'
import type { Spool, SpoolCursor } from './spool.ts'

/** The source of a binlog reader's packets. A packet is `bytes[start, end)` until the next call. */
export interface EventPackets {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** Moves to the next packet; returns false if none has arrived. */
  next(): boolean
  /** Waits until `next` may find a packet. Throws the error that ended the dump. */
  wait(signal?: AbortSignal): Promise<void>
  /** Releases the bytes of earlier packets. */
  recycle(): void
}

/** A record of the spool is missing, or differs from the one that was written. */
export class SpoolDamagedError extends Error {
  override readonly name: string = 'SpoolDamagedError'
}

/** Bytes that are read at a time. */
const CHUNK_BYTES = 1 << 20

/**
 * The packets of a spool, in order, from a record on, including those added while the feed is read. Checks each record
 * again as it reads it: a disk may return other bytes than at the start.
 */
export class SpoolFeed implements EventPackets {
  bytes: Buffer = EMPTY
  start = 0
  end = 0
  readonly #spool: Spool
  /** Packets to return before those of the spool. */
  readonly #head: Buffer[]
  #segment: SpoolSegment
  /** The offset of the next record in the segment. */
  #offset: number
  /** CRC-32 of the record before `#offset`. */
  #crc: number
  /** The part of the segment in memory, and where the next record begins in it. */
  #chunk: Buffer = EMPTY
  #at = 0
  #wake: (() => void) | null = null
  #failure: Error | null = null
  #isClosed = false

  constructor(spool: Spool, { segment, offset, before }: SpoolCursor, head: readonly Buffer[] = []) {
    this.#spool = spool
    this.#segment = segment
    this.#offset = offset
    this.#crc = before
    this.#head = [...head]
    segment.retain()
  }

  /** Whether `next` has returned every packet so far. */
  get isDrained(): boolean {
    return this.#head.length === 0 && this.isAtEnd
  }

  /** The same for the packets of the spool only, without those before them. */
  get isAtEnd(): boolean {
    return this.#offset >= this.#segment.bytes && this.#spool.after(this.#segment) === null
  }

  /** @throws SpoolDamagedError */
  next(): boolean {
    const head = this.#head.shift()
    if (head !== undefined) return this.#show(head, 0, head.length)
    if (!this.#isComplete && !this.#readOn()) return false
    const crc = checkedCrc(this.#chunk, this.#at, this.#crc)
    if (crc === null) throw this.#damaged('its checksum is another one')
    const length = RECORD_HEADER_BYTES + this.#chunk.readUInt32LE(this.#at + 4)
    const start = this.#at
    this.#at += length
    this.#offset += length
    this.#crc = crc
    return this.#show(this.#chunk, start + RECORD_HEADER_BYTES, start + length)
  }

  #show(bytes: Buffer, start: number, end: number): true {
    this.bytes = bytes
    this.start = start
    this.end = end
    return true
  }

  /** Reads the next record and the bytes after it; returns false if the record is not written yet. */
  #readOn(): boolean {
    if (this.#offset >= this.#segment.bytes && !this.#enterNext()) return false
    const left = this.#segment.bytes - this.#offset
    if (left <= 0) return false
    this.#read(Math.min(left, CHUNK_BYTES))
    if (this.#isComplete) return true
    const payload = this.#chunk.length < RECORD_HEADER_BYTES ? null : payloadLength(this.#chunk, 0)
    if (payload === null || RECORD_HEADER_BYTES + payload > left) throw this.#damaged('it is not complete')
    this.#read(RECORD_HEADER_BYTES + payload)
    if (!this.#isComplete) throw this.#damaged('it is not complete')
    return true
  }

  #enterNext(): boolean {
    const next = this.#spool.after(this.#segment)
    if (next === null) return false
    if (next.head.previous !== this.#crc) throw this.#damaged('the next file does not continue this one')
    next.retain()
    this.#segment.release()
    this.#segment = next
    this.#offset = next.first.offset
    this.#crc = next.first.before
    return true
  }

  #read(bytesMax: number): void {
    this.#chunk = this.#segment.read(this.#offset, bytesMax)
    this.#at = 0
  }

  get #isComplete(): boolean {
    const rest = this.#chunk.length - this.#at
    if (rest < RECORD_HEADER_BYTES) return false
    const payload = payloadLength(this.#chunk, this.#at)
    return payload !== null && rest >= RECORD_HEADER_BYTES + payload
  }

  #damaged(reason: string): Error {
    return new SpoolDamagedError(`the record at ${this.#offset} of ${this.#segment.path} is damaged: ${reason}`)
  }

  /** Ends `wait`: a packet or a heartbeat has arrived. */
  notify(): void {
    this.#failure = null
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = null
  }

  /** Makes `wait` throw the error after the last packet, until `notify` is called. */
  fail(error: Error): void {
    this.#failure = error
    this.#wakeUp()
  }

  async wait(signal?: AbortSignal): Promise<void> {
    if (!this.isDrained) return
    if (this.#failure !== null) throw this.#failure
    await doneOr(
      new Promise<void>((resolve) => {
        this.#wake = resolve
      }),
      signal,
    )
  }

  recycle(): void {
    // Each chunk is a new buffer, so earlier packets stay valid.
  }

  /** Ends the reading. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#segment.release()
    this.#wakeUp()
  }
}

const EMPTY = Buffer.alloc(0)
