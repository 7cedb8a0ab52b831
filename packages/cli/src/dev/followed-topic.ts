import type { LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, doneOr, StoppedError } from '@tributary/support'
import type { TopicRecords } from './merge-records.ts'

/** A topic that is read: at most two polls are in memory, the records that are held and what the reader has fetched. */
export class FollowedTopic {
  readonly #reader: TopicReader
  readonly #ended = new AbortController()
  #held: readonly LogRecord[] = []
  /** How many of them are to be returned. */
  #due = 0
  #onTaken = Promise.withResolvers<void>()
  /** Of the last look: the offset after the last record of each partition. */
  #ends: ReadonlyMap<number, bigint> = new Map()

  constructor(reader: TopicReader) {
    this.#reader = reader
  }

  /** Reads the next records when those before are taken. Returns when the topic or its next records were deleted. */
  async read(onProgress: () => void, signal: AbortSignal): Promise<void> {
    try {
      while (!this.isEnded) {
        const records = await this.#reader.poll(signal).catch(ifDeleted)
        if (records === null) break
        this.#held = records
        const taken = this.#onTaken.promise
        onProgress()
        if (records.length > 0) await doneOr(taken, signal)
      }
    } finally {
      await this.close()
      onProgress()
    }
  }

  /** The topic was deleted: nobody waits for more of its records. */
  end(): void {
    this.#ended.abort()
  }

  async close(): Promise<void> {
    this.end()
    await this.#reader.close()
  }

  get isEnded(): boolean {
    return this.#ended.signal.aborted
  }

  get hasRecords(): boolean {
    return this.#held.length > 0
  }

  /** The records that are held now are to be returned. */
  markDue(): void {
    this.#due = this.#held.length
  }

  /** Looks where the topic ends now. */
  async look(signal: AbortSignal): Promise<void> {
    try {
      this.#ends = await this.#reader.endOffsets(AbortSignal.any([signal, this.#ended.signal]))
    } catch (error) {
      // A deleted topic has no end.
      if (!(error instanceof StoppedError) || signal.aborted) throw error
    }
  }

  /** Whether its next record is held, or there was none at the last look. */
  get isReady(): boolean {
    return this.hasRecords || this.#isWhole
  }

  get found(): TopicRecords {
    return { records: this.#held, due: this.#due, isWhole: this.#isWhole }
  }

  /** Forgets its first records. */
  take(count: number): void {
    this.#held = this.#held.slice(count)
    this.#due = 0
    if (this.hasRecords) return
    this.#onTaken.resolve()
    this.#onTaken = Promise.withResolvers()
  }

  get #isWhole(): boolean {
    return this.isEnded || this.#ends.entries().every(([partition, end]) => this.#reader.position(partition) >= end)
  }
}

/** Null: the topic was deleted, or its first records were. It is opened again if it exists. */
export function ifDeleted(error: unknown): null {
  const code = error instanceof CodedError ? error.code : ''
  if (code === 'UNKNOWN_TOPIC' || code === 'OFFSET_OUT_OF_RANGE') return null
  throw error
}
