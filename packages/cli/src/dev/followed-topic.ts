import type { LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, doneOr, StoppedError } from '@tributary/support'
import type { TopicRecords } from './merge-records.ts'

/** A topic that is read: at most two polls are in memory, the records that are held and what the reader has fetched. */
export class FollowedTopic {
  readonly #reader: TopicReader
  readonly #ended = new AbortController()
  #held: readonly LogRecord[] = []
  #onTaken = Promise.withResolvers<void>()
  /** Of the last look: the offset after the last record of each partition. */
  #ends: ReadonlyMap<number, bigint> = new Map()

  constructor(reader: TopicReader) {
    this.#reader = reader
  }

  /** Reads the next records when those before are taken. Returns when the topic was deleted, or its first records were. */
  async read(onProgress: () => void, signal: AbortSignal): Promise<void> {
    for (;;) {
      const records = await this.#reader.poll(signal).catch(ifDeleted)
      if (records === null) break
      this.#held = records
      const taken = this.#onTaken.promise
      onProgress()
      if (records.length > 0) await doneOr(taken, signal)
    }
    await this.close()
    onProgress()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await this.#reader.close()
  }

  get hasRecords(): boolean {
    return this.#held.length > 0
  }

  get isEnded(): boolean {
    return this.#ended.signal.aborted
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
    return this.hasRecords || this.#isRead
  }

  /** Records from before the last look. */
  get found(): TopicRecords {
    const records = this.#held.filter((record) => this.isEnded || this.#isBeforeLook(record))
    return { records, isWhole: this.#isRead }
  }

  /** Forgets the first of `found`. */
  take(count: number): void {
    let taken = 0
    this.#held = this.#held.filter((record) => (!this.isEnded && !this.#isBeforeLook(record)) || ++taken > count)
    if (this.hasRecords) return
    this.#onTaken.resolve()
    this.#onTaken = Promise.withResolvers()
  }

  get #isRead(): boolean {
    return this.isEnded || this.#ends.entries().every(([partition, end]) => this.#reader.position(partition) >= end)
  }

  #isBeforeLook({ partition, offset }: LogRecord): boolean {
    return offset < (this.#ends.get(partition) ?? 0n)
  }
}

/** Null: the topic was deleted, or its first records were. It is opened again if it exists. */
function ifDeleted(error: unknown): null {
  const code = error instanceof CodedError ? error.code : ''
  if (code === 'UNKNOWN_TOPIC' || code === 'OFFSET_OUT_OF_RANGE') return null
  throw error
}
