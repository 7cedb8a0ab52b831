import type { EncodedBatch } from '../protocol/batch-builder.ts'

/** The sequence of a batch that was not produced with the current epoch yet. */
export const NO_SEQUENCE: number = -1

export interface BatchContent {
  readonly recordCount: number
  /** Bytes of the records, uncompressed: their share of the producer's buffer. */
  readonly recordBytes: number
  readonly maxTimestamp: number
  readonly tokens: readonly number[]
  /** When its first record was appended. */
  readonly createdAtMs: number
}

/** Why a batch was not acknowledged. */
export type Failure =
  /** The broker has not written it. */
  | 'notWritten'
  /** It may have been written: the response was lost, or the leader was replaced. */
  | 'inDoubt'
  /** The broker expects another sequence number. */
  | 'sequence'
  | 'tooLarge'

/** A sealed batch, until its acknowledgement. */
export class Batch {
  readonly content: BatchContent
  /** Null while it is being compressed. */
  encoded: EncodedBatch | null = null
  sequence: number = NO_SEQUENCE
  /** Whether producer state, `sequence` and checksum are written. */
  isStamped = false
  attempts = 0
  /** How often a broker reported that it arrived damaged (CORRUPT_MESSAGE). */
  corruptions = 0
  /** The failure of the last attempt; null while it is in flight. */
  failure: Failure | null = null
  /** Whether some attempt may have been written. */
  isInDoubt = false
  /** Flushes that wait for this batch. */
  readonly waiters: FlushWaiter[] = []
  /** The caller of `offer` that waits for the answer to the batch's only record; null: an ordinary batch. */
  offer: FlushWaiter | null = null

  constructor(content: BatchContent) {
    this.content = content
  }

  get firstToken(): number {
    const first = this.content.tokens[0]
    if (first === undefined) throw new TypeError('the batch has no records')
    return first
  }

  /** The bytes of the batch. Only when it is encoded. */
  get bytes(): Buffer {
    if (this.encoded === null) throw new TypeError('the batch is not encoded yet')
    return this.encoded.buffer.subarray(0, this.encoded.length)
  }
}

/** One call of `flush`: done when each batch that it waits for is acknowledged. */
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

  /** A batch is acknowledged. */
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
