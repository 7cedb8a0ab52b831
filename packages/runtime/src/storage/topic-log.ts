import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { assert, doneOr, StoppedError, toError, type Clock, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { TopicWriter, type TextRecord } from './topic-writer.ts'

export interface TopicLogOptions {
  readonly kafka: Kafka
  readonly topic: string
  readonly logger: Logger
  readonly clock: Clock
  /**
   * After records the topic is left alone for so long, unless somebody waits for its end: records that come one by one are then
   * fetched together.
   */
  readonly restMs?: number
  /** Called for each record in order, of earlier and of our own writes; must not throw. */
  readonly onRecord: (record: LogRecord) => void
}

/**
 * A compacted topic as a small database (Connect's KafkaBasedLog): everything in it is read at start, then followed; what is
 * written is seen again by the reader. One loop reads; `onRecord` is called from it.
 */
export class TopicLog implements AsyncDisposable {
  readonly #options: TopicLogOptions
  readonly #writer: TopicWriter
  readonly #stop = new AbortController()
  readonly #waiters = new Set<Waiter>()
  #reader: TopicReader | null = null
  /** Ends the rest; null while there is none. */
  #endRest: (() => void) | null = null
  /** Offset behind the last record given to `onRecord`, by partition. The reader's own is ahead of it for a moment. */
  #given: ReadonlyMap<number, bigint> = new Map()
  #loop: Promise<void> | null = null
  #failure: Error | null = null

  constructor(options: TopicLogOptions) {
    this.#options = options
    this.#writer = new TopicWriter(options)
  }

  /** Why the topic is not followed any more; null while it is. What was read before stays as it is. */
  get failure(): Error | null {
    return this.#failure
  }

  /** Connects and reads the topic to its end. */
  async start(signal?: AbortSignal): Promise<void> {
    const isWriterOpen = this.#writer.open(signal)
    // Told when it is waited for.
    isWriterOpen.catch(() => undefined)
    const reader = await this.#read(signal)
    await isWriterOpen
    this.#loop = this.#follow(reader)
  }

  async #read(signal: AbortSignal | undefined): Promise<TopicReader> {
    const { kafka, topic, onRecord } = this.#options
    const reader = await kafka.reader({ topic, from: 'earliest' }, signal)
    this.#reader = reader
    await reader.readToEnd(onRecord, signal)
    this.#given = positionsOf(reader)
    return reader
  }

  async #follow(reader: TopicReader): Promise<void> {
    const { topic, logger, onRecord } = this.#options
    try {
      for (;;) {
        const records = await reader.poll(this.#stop.signal)
        for (const record of records) onRecord(record)
        this.#given = positionsOf(reader)
        for (const waiter of this.#waiters) if (this.#isReached(waiter.ends)) waiter.resolve()
        if (records.length > 0 && this.#waiters.size === 0) await this.#rest()
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) {
        const { message: reason } = toError(error)
        this.#failure = runtimeErrors.INTERNAL_TOPIC_LOST({ topic, reason }, error)
        logger.error(this.#failure.message, { error: toError(error) })
      }
      for (const waiter of this.#waiters) waiter.reject(this.#failure ?? new StoppedError())
    }
  }

  async #rest(): Promise<void> {
    const { clock, restMs = 0 } = this.#options
    if (restMs === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(restMs, resolve)
    this.#endRest = resolve
    try {
      await doneOr(promise, this.#stop.signal)
    } finally {
      timer.cancel()
      this.#endRest = null
    }
  }

  /** Writes records together; resolves when the brokers have them. After StoppedError they may still be stored later. */
  write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    return this.#writer.write(records, signal)
  }

  /** Resolves when everything that was in the topic when called has been given to `onRecord`. */
  async readToEnd(signal?: AbortSignal): Promise<void> {
    const reader = this.#reader
    assert(reader !== null, 'the log is started before it is read')
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
    const ends = await reader.endOffsets(stop)
    if (this.#isReached(ends)) return
    if (this.#failure !== null) throw this.#failure
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { ends, resolve, reject }
    this.#waiters.add(waiter)
    this.#endRest?.()
    try {
      await doneOr(promise, stop)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  #isReached(ends: ReadonlyMap<number, bigint>): boolean {
    return [...ends].every(([partition, end]) => (this.#given.get(partition) ?? 0n) >= end)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await this.#writer[Symbol.asyncDispose]()
    await this.#reader?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface Waiter {
  readonly ends: ReadonlyMap<number, bigint>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

function positionsOf(reader: TopicReader): ReadonlyMap<number, bigint> {
  return new Map(reader.partitions.map((partition) => [partition, reader.position(partition)]))
}
