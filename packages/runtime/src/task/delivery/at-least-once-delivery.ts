import type {
  DeliveryProgress,
  SourceOffset,
  SourcePartition,
  SourceProgress,
  SourceRecord,
} from '@tributary/connect-api'
import { recordSizeOf, type Producer, type ProducerTopic } from '@tributary/kafka'
import { StoppedError, toError, withTimeout, type Clock, type Logger, type Meter } from '@tributary/support'
import { runtimeErrors } from '../../errors.ts'
import { recordFailure } from '../record-failure.ts'
import { taskMeters, type TaskMeters } from '../task-meters.ts'
import type { Delivery, EncodedRecord } from './delivery.ts'
import { OffsetCommitter, type OffsetLog } from './offset-committer.ts'
import { SubmittedRecords } from './submitted-records.ts'

export interface AtLeastOnceDeliveryOptions {
  readonly connectorName: string
  /** Its `onDelivered` calls that of the delivery. */
  readonly producer: Producer
  readonly offsetLog: OffsetLog
  /** Called before offsets are sent; what it throws fails the commit. */
  readonly onCommitting: (offsets: readonly SourceOffset[]) => void
  /** Called after offsets were stored; what it throws is logged. */
  readonly onCommitted: (offsets: readonly SourceOffset[]) => Promise<void>
  /** A commit is due when this many records were acknowledged since the last one. */
  readonly recordsBetweenCommits: number
  /** A commit is due at the latest this long after the last one: `offset.flush.interval.ms`. */
  readonly intervalMs: number
  /** The limit of one commit, and of `finish`: `offset.flush.timeout.ms`. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  readonly meter: Meter
}

/**
 * Sends each record at once, and stores an offset only when its record and all before it are acknowledged. A crash
 * repeats the records after the stored offset and loses none; the send window limits their number.
 *
 * ```
 *  send ──▶ submitted ──▶ producer ──ack──▶ submitted ──completed prefix──▶ committer ──▶ offsets topic
 *                            ▲                                                  │
 *                            └───────────────── send window ────────────────────┘
 * ```
 *
 * `boundary` does nothing: the offset after any prefix of the records is safe to store.
 */
export class AtLeastOnceDelivery implements Delivery {
  readonly admitsWholePolls = false
  readonly #options: AtLeastOnceDeliveryOptions
  readonly #submitted = new SubmittedRecords()
  readonly #committer: OffsetCommitter
  readonly #meters: TaskMeters
  /** Stops the commits of milestones. */
  readonly #ending = new AbortController()
  /** Stops the commits at an interval, which `finish` still needs while it waits for records in flight. */
  readonly #flushed = new AbortController()
  /** One per snapshot that the task has completed. */
  readonly #milestones: Promise<void>[] = []
  #commits: Promise<void> | null = null
  #isCommitRequested = false

  constructor(options: AtLeastOnceDeliveryOptions) {
    const { offsetLog: log, producer: window, meter } = options
    this.#options = options
    this.#meters = taskMeters(meter)
    this.#committer = new OffsetCommitter({
      ...options,
      log,
      window,
      submitted: this.#submitted,
      meters: this.#meters,
    })
    meter.gauge('records.inFlight', () => this.#submitted.pending)
    meter.gauge('queue.bytes', () => window.bufferedBytes)
  }

  get isFull(): boolean {
    return this.#options.producer.isFull
  }

  get moreFollows(): boolean {
    return this.#options.producer.moreFollows
  }

  set moreFollows(value: boolean) {
    this.#options.producer.moreFollows = value
  }

  /** Ignored: this delivery may store an offset in the middle of a transaction. */
  isInTransaction = false

  get pending(): number {
    return this.#submitted.pending
  }

  get delivered(): DeliveryProgress {
    const { pending, completed } = this.#submitted
    return { pending, completed, isCommitFailing: this.#committer.isFailing }
  }

  start(): void {
    this.#commits = this.#committer.run(this.#flushed.signal)
  }

  /** Called by the producer when the brokers have acknowledged records. */
  onDelivered(tokens: readonly number[]): void {
    this.#measureLatency(tokens)
    this.#submitted.acknowledgeAll(tokens)
    this.#meters.acknowledged.add(tokens.length)
    this.#committer.onAcknowledged()
  }

  /** Some records stand for all of a batch: so the cost does not grow with its size. */
  #measureLatency(tokens: readonly number[]): void {
    const { clock } = this.#options
    const step = Math.ceil(tokens.length / LATENCY_SAMPLES_MAX)
    const nowMs = clock.now()
    for (let i = 0; i < tokens.length; i += step) {
      const committedAtMs = this.#submitted.committedAtMs(tokens[i] as number)
      // The clocks of source and worker may differ.
      const ms = committedAtMs === null ? null : Math.max(0, nowMs - committedAtMs)
      if (ms !== null) this.#meters.latency.observe(ms / 1_000, Math.min(step, tokens.length - i))
    }
  }

  throwIfFailed(): void {
    const { failure } = this.#options.producer
    if (failure !== null) throw runtimeErrors.PRODUCER_FAILED({ reason: failure.message }, failure)
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#options.producer.ready(signal)
  }

  send(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic): void {
    const token = this.#submitted.submit(record.sourcePartition, record.sourceOffset)
    encoded.token = token
    try {
      topic.send(encoded)
    } catch (error) {
      this.#submitted.retract(token)
      this.throwIfFailed()
      throw recordFailure(record, { stage: 'KAFKA_PRODUCE' }, error)
    }
  }

  async offer(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic, signal: AbortSignal): Promise<void> {
    const token = this.#submitted.submit(record.sourcePartition, record.sourceOffset)
    encoded.token = token
    try {
      await topic.offer(encoded, signal)
    } catch (error) {
      this.throwIfFailed()
      // Otherwise the record may still be acknowledged, and its offset waits for that.
      if (recordSizeOf(error) === null) throw error
      this.#submitted.retract(token)
      throw recordFailure(record, { stage: 'KAFKA_PRODUCE' }, error)
    }
  }

  skip(partition: SourcePartition, offset: SourceOffset): void {
    this.#submitted.submitProgress(partition, offset)
  }

  progress({ partition, offset, isMilestone }: SourceProgress): void {
    this.#submitted.submitProgress(partition, offset)
    if (isMilestone === true) this.#milestones.push(this.#storeMilestone())
  }

  /**
   * Runs beside the loop. The next commit may be a minute later, too long for the result of a snapshot that took hours.
   */
  async #storeMilestone(): Promise<void> {
    const { producer, logger } = this.#options
    const { signal } = this.#ending
    try {
      await producer.flush(signal)
      await this.#committer.commit(signal)
    } catch (error) {
      // `finish` tries again, and the loop reports why the producer has failed.
      if (!(error instanceof StoppedError))
        logger.debug('A milestone could not be stored yet', { error: toError(error) })
    }
  }

  boundary(): void {
    // Offsets are committed beside the loop.
  }

  /** Stores the offsets of acknowledged records, instead of at the next interval. One such commit at a time. */
  commitNow(): void {
    if (this.#isCommitRequested || this.#ending.signal.aborted) return
    this.#isCommitRequested = true
    void this.#committer
      .commit(this.#flushed.signal)
      // A commit that fails is logged; one that is stopped is repeated by `finish`.
      .catch(() => undefined)
      .finally(() => {
        this.#isCommitRequested = false
      })
  }

  async finish(): Promise<void> {
    const { clock, timeoutMs } = this.#options
    this.#ending.abort()
    await Promise.all(this.#milestones)
    const startMs = clock.now()
    await withTimeout(clock, Math.floor(timeoutMs * FLUSH_SHARE), (limit) => this.#flush(limit))
    this.#flushed.abort()
    await this.#commits
    const restMs = timeoutMs - (clock.now() - startMs)
    await withTimeout(clock, restMs, (limit) => this.#commit(limit))
  }

  async #flush(limit: AbortSignal): Promise<void> {
    const { producer, logger } = this.#options
    try {
      await producer.flush(limit)
    } catch (error) {
      const isLate = error instanceof StoppedError
      const why = isLate ? 'in time' : 'because the producer has failed'
      logger.warn(
        `${this.#submitted.pending} records were not acknowledged ${why}; they are sent again when the task starts`,
        isLate ? {} : { error: toError(error) },
      )
    }
  }

  async #commit(limit: AbortSignal): Promise<void> {
    if (await this.#committer.commit(limit)) return
    this.#options.logger.warn(
      'The last offsets could not be stored; records after the stored ones are sent again when the task starts',
    )
  }
}

/** Per batch. */
const LATENCY_SAMPLES_MAX = 16

/** Of the time that `finish` has. The rest is for the offsets of the records that were acknowledged until then. */
const FLUSH_SHARE = 0.75
