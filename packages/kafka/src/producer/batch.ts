import type { EncodedBatch } from '../protocol/batch-builder.ts'

/** Sequence of a batch that has not been sent under the current epoch. */
export const NO_SEQUENCE: number = -1

export interface BatchContent {
  readonly recordCount: number
  /** Bytes of the records, uncompressed: what they count in the producer's buffer. */
  readonly recordBytes: number
  readonly maxTimestamp: number
  readonly tokens: readonly number[]
  /** When its first record was sent to the producer. */
  readonly createdAtMs: number
}

/** What happened to a batch that was sent and not acknowledged. */
export type Failure =
  /** The broker has surely not written it. */
  | 'notWritten'
  /** It may have been written: the answer was lost, or came from a leader that lost its office. */
  | 'inDoubt'
  /** The broker expects another sequence number. */
  | 'sequence'
  | 'tooLarge'

/** A batch that takes no more records, from its sealing to its acknowledgement. */
export class Batch {
  readonly content: BatchContent
  /** Null while a codec works on it. */
  encoded: EncodedBatch | null = null
  sequence: number = NO_SEQUENCE
  /** Producer state and checksum are written, for `sequence`. */
  isStamped = false
  attempts = 0
  /** How often a broker has said that it arrived damaged. */
  corruptions = 0
  /** Of the last attempt; null while it is not answered. */
  failure: Failure | null = null
  /** Some attempt may have been written. */
  isInDoubt = false
  /** Flushes that wait for this batch. */
  readonly waiters: FlushWaiter[] = []

  constructor(content: BatchContent) {
    this.content = content
  }

  get firstToken(): number {
    const first = this.content.tokens[0]
    if (first === undefined) throw new TypeError('the batch has no records')
    return first
  }

  /** Exactly the batch. Only when it is encoded. */
  get bytes(): Buffer {
    if (this.encoded === null) throw new TypeError('the batch is not encoded yet')
    return this.encoded.buffer.subarray(0, this.encoded.length)
  }
}

/** A flush: done when each batch that it waits for is acknowledged. */
export class FlushWaiter {
  readonly #done = Promise.withResolvers<void>()
  #count = 0

  get done(): Promise<void> {
    return this.#done.promise
  }

  waitFor(batch: Batch): void {
    this.#count += 1
    batch.waiters.push(this)
  }

  /** One batch less. */
  release(): void {
    this.#count -= 1
    this.finishIfEmpty()
  }

  finishIfEmpty(): void {
    if (this.#count === 0) this.#done.resolve()
  }

  fail(error: Error): void {
    this.#done.reject(error)
  }
}
