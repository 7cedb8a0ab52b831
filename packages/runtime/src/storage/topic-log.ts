import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import {
  assert,
  BackOff,
  CodedError,
  doneOr,
  isRecoverable,
  StoppedError,
  toError,
  type Clock,
  type Logger,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { TopicWriter, type TextRecord } from './topic-writer.ts'

export interface TopicLogOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Each call of `write` is a transaction of the producer with this id. Default: no transactions. */
  readonly transactionalId?: string | undefined
  readonly logger: Logger
  readonly clock: Clock
  /**
   * Pause after a fetch that returned records, unless a caller waits for the end of the topic: single records that
   * follow each other are then fetched together.
   */
  readonly pauseMs?: number
  /** Called for each record in order, including the log's own writes. Must not throw. */
  readonly onRecord: (record: LogRecord) => void
}

/**
 * A compacted topic as a small database (Connect's KafkaBasedLog): reads everything at start and then follows the
 * topic; the reader also sees the log's own writes. One loop reads and calls `onRecord`.
 *
 * An error that somebody may correct, such as a revoked permission, ends the reading only until the next attempt, which
 * continues after the last record.
 */
export class TopicLog implements AsyncDisposable {
  readonly #options: TopicLogOptions
  readonly #writer: TopicWriter
  readonly #stop = new AbortController()
  readonly #waiters = new Set<Waiter>()
  #reader: TopicReader | null = null
  /** Ends the pause; null outside of one. */
  #endPause: (() => void) | null = null
  /**
   * The offset after the last record passed to `onRecord`, by partition. The reader's position is ahead of it for a
   * moment.
   */
  #applied: ReadonlyMap<number, bigint> = new Map()
  #loop: Promise<void> | null = null
  #failure: Error | null = null

  constructor(options: TopicLogOptions) {
    this.#options = options
    const { kafka, topic, transactionalId: id, clock } = options
    this.#writer = new TopicWriter({ kafka, topic, transactions: id === undefined ? undefined : { id, clock } })
  }

  /** The error that has interrupted the reading; null while the topic is followed. Records read before remain. */
  get failure(): Error | null {
    return this.#failure
  }

  /**
   * Connects and reads the topic to its end. With a transactional id, that includes the transactions of the previous
   * writer, which end when this one takes over the id. Without an id, the end is the first open transaction. A
   * transaction of a killed task stays open until its successor starts; `readToEnd` waits for that.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const writerOpen = this.#writer.open(signal)
    // Handled when it is awaited below.
    writerOpen.catch(() => undefined)
    const reader = await this.#read(signal)
    await writerOpen
    this.#loop = this.#run(reader)
  }

  async #run(first: TopicReader): Promise<void> {
    const { clock, topic, logger } = this.#options
    const backOff = new BackOff(RETRY_PAUSES)
    let reader: TopicReader | null = first
    try {
      for (;;) {
        if (reader !== null) {
          await this.#follow(reader, () => backOff.reset())
          await reader.close()
          if (this.#stop.signal.aborted || !mayContinue(this.#failure?.cause)) return
        }
        await clock.sleep(backOff.next(), this.#stop.signal)
        reader = await this.#openAgain()
        if (reader !== null) logger.info(`The internal topic ${topic} is read again`)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  /** Opens a reader after the last record that was read; null: the topic cannot be read yet. */
  async #openAgain(): Promise<TopicReader | null> {
    const { kafka, topic, logger } = this.#options
    try {
      const reader = await kafka.reader({ topic, from: this.#applied, pollWaitMs: POLL_WAIT_MS }, this.#stop.signal)
      // Opening a reader succeeds without the permission to read; this request does not.
      await reader.endOffsets(this.#stop.signal)
      this.#reader = reader
      this.#failure = null
      return reader
    } catch (error) {
      if (error instanceof StoppedError) throw error
      logger.debug(`The internal topic ${topic} cannot be read yet`, { error: toError(error) })
      return null
    }
  }

  async #read(signal: AbortSignal | undefined): Promise<TopicReader> {
    const { kafka, topic, transactionalId, onRecord } = this.#options
    const end = transactionalId === undefined ? 'stable' : 'written'
    const reader = await kafka.reader({ topic, from: 'earliest', end, pollWaitMs: POLL_WAIT_MS }, signal)
    this.#reader = reader
    await reader.readToEnd(onRecord, signal)
    this.#applied = positionsOf(reader)
    return reader
  }

  async #follow(reader: TopicReader, onRead: () => void): Promise<void> {
    const { topic, logger, onRecord } = this.#options
    try {
      for (;;) {
        const records = await reader.poll(this.#stop.signal)
        onRead()
        for (const record of records) onRecord(record)
        this.#applied = positionsOf(reader)
        for (const waiter of this.#waiters) if (this.#isReached(waiter.ends)) waiter.resolve()
        if (records.length > 0 && this.#waiters.size === 0) await this.#pause()
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

  async #pause(): Promise<void> {
    const { clock, pauseMs = 0 } = this.#options
    if (pauseMs === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(pauseMs, resolve)
    this.#endPause = resolve
    try {
      await doneOr(promise, this.#stop.signal)
    } finally {
      timer.cancel()
      this.#endPause = null
    }
  }

  /**
   * Writes records together; resolves when the brokers have stored them. After StoppedError they may be stored later.
   */
  write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    return this.#writer.write(records, signal)
  }

  /** Drops records that are not stored yet. Their writes fail. */
  dropUnstored(): Promise<void> {
    return this.#writer.dropUnstored()
  }

  /** Resolves when every record that was in the topic at the time of the call has been passed to `onRecord`. */
  async readToEnd(signal?: AbortSignal): Promise<void> {
    const reader = this.#reader
    assert(reader !== null, 'the log is started before it is read')
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
    // Waits for open transactions: the coordinator may have decided a commit that is not readable yet.
    const ends = await reader.endOffsets(stop, 'written')
    if (this.#isReached(ends)) return
    if (this.#failure !== null) throw this.#failure
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { ends, resolve, reject }
    this.#waiters.add(waiter)
    this.#endPause?.()
    try {
      await doneOr(promise, stop)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  #isReached(ends: ReadonlyMap<number, bigint>): boolean {
    return [...ends].every(([partition, end]) => (this.#applied.get(partition) ?? 0n) >= end)
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

/** Nothing has to be done while nothing arrives; an error or `close` interrupts the wait. */
const POLL_WAIT_MS = 5_000

/** The initial delay is that of a task's restart. */
const RETRY_PAUSES = { initialMs: 5_000, maxMs: 60_000 } as const

/** False for a deleted topic: another one with its name has other records, which do not follow those read before. */
function mayContinue(error: unknown): boolean {
  return isRecoverable(error) && !(error instanceof CodedError && error.code === 'UNKNOWN_TOPIC')
}

interface Waiter {
  readonly ends: ReadonlyMap<number, bigint>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

function positionsOf(reader: TopicReader): ReadonlyMap<number, bigint> {
  return new Map(reader.partitions.map((partition) => [partition, reader.position(partition)]))
}
