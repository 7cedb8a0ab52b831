import type {
  DeliveryProgress,
  SourceOffset,
  SourcePartition,
  SourceProgress,
  SourceRecord,
} from '@tributary/connect-api'
import { recordSizeOf, textPart, type ProducerTopic, type TransactionalProducer } from '@tributary/kafka'
import {
  doneOr,
  StoppedError,
  toError,
  withTimeout,
  type Clock,
  type Logger,
  type Meter,
  type Timer,
} from '@tributary/support'
import type { TransactionBoundary } from '../../config/exactly-once.ts'
import { runtimeErrors } from '../../errors.ts'
import { offsetJson, offsetKey } from '../../storage/offset-record.ts'
import type { TextRecord } from '../../storage/topic-writer.ts'
import { recordFailure } from '../record-failure.ts'
import { taskMeters, type TaskMeters } from '../task-meters.ts'
import type { Delivery, EncodedRecord } from './delivery.ts'
import { OpenTransaction } from './open-transaction.ts'

export interface ExactlyOnceDeliveryOptions {
  readonly connectorName: string
  readonly producer: TransactionalProducer
  /** The topic of the connector's offsets, opened by the same producer. */
  readonly offsets: ProducerTopic
  /** Copies the offsets of a committed transaction to the worker's topic; null: they are already there. */
  readonly copyOffsets: ((records: readonly TextRecord[]) => void) | null
  /** Called before a commit. What it throws fails the task. */
  readonly onCommitting: (offsets: readonly SourceOffset[]) => void
  /** Called after a commit. The delivery logs errors that it throws. */
  readonly onCommitted: (offsets: readonly SourceOffset[]) => Promise<void>
  readonly boundary: TransactionBoundary
  /** The time between two commits with the boundary `interval`; also the longest wait of an offset without records. */
  readonly intervalMs: number
  /** The limit of `finish`: `offset.flush.timeout.ms`. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  readonly meter: Meter
}

/**
 * Sends the records of one or several polls, and the offset after them, in one transaction. Consumers that read only
 * committed records see all of it or nothing, and a task that starts reads the offset of the last committed one: so
 * each record is seen once, whenever the process ends.
 *
 * ```
 *  poll ─▶ send … ─▶ boundary ─▶ offsets ─▶ commit ────────▶ copy of the offsets
 *            ▲                                │ meanwhile
 *            └─ the records of the next polls wait in the producer
 * ```
 *
 * A commit begins at a boundary where the setting wants one:
 *
 * - `poll`: after each poll.
 * - `interval`: when the interval is over.
 * - `connector`: after each poll that ends with a transaction of the source.
 *
 * Polls that are complete when a commit ends are committed together, at once. So a transaction has as many polls as
 * arrive in the time of a commit, and the loop never waits for one. Under load, when that would be thousands of records,
 * the next commit begins 50 ms after the one before: each transaction costs the worker and the brokers a fixed amount.
 *
 * The broker aborts a transaction after the producer's timeout. So after half of that time the delivery commits at the
 * end of the poll, even in the middle of a transaction of the source, which it logs as a warning.
 */
export class ExactlyOnceDelivery implements Delivery {
  readonly admitsWholePolls = true
  isInTransaction = false
  readonly #options: ExactlyOnceDeliveryOptions
  readonly #meters: TaskMeters
  readonly #openMsMax: number
  #open: OpenTransaction
  /** The token of the next record. */
  #next = 0
  /** Records of the transaction that is being committed. */
  #committingCount = 0
  /** Records of committed transactions. */
  #committedCount = 0
  #committing: Promise<void> | null = null
  /** No record was sent since the last boundary: everything sent so far may be committed. */
  #isAtBoundary = true
  /** A commit is due whatever the boundary: the interval is over, or a milestone was reached. */
  #isDue = false
  /** Under load no commit begins before this time. */
  #notBeforeMs = 0
  #timer: Timer | null = null
  /** When the timer fires. */
  #timerMs = 0
  #isEnding = false
  /** Of a commit, although the producer has not failed. */
  #failure: Error | null = null

  constructor(options: ExactlyOnceDeliveryOptions) {
    const { producer, clock, meter } = options
    this.#options = options
    this.#meters = taskMeters(meter)
    this.#open = new OpenTransaction(clock.monotonicMs())
    this.#openMsMax = Math.floor(producer.transactionTimeoutMs / 2)
    meter.gauge('records.inFlight', () => this.pending)
    meter.gauge('queue.bytes', () => producer.bufferedBytes)
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

  get pending(): number {
    return this.#committingCount + this.#open.records
  }

  /** Acknowledged records of an open transaction are not pending: they wait for the boundary, not for the brokers. */
  get delivered(): DeliveryProgress {
    const { bufferedBytes, stats } = this.#options.producer
    const isWaiting = bufferedBytes > 0 || this.#committing !== null
    return {
      pending: isWaiting ? Math.max(1, this.pending) : 0,
      completed: stats.records + this.#committedCount,
      isCommitFailing: false,
    }
  }

  start(): void {
    // Nothing runs beside the loop before the first record.
  }

  throwIfFailed(): void {
    const failure = this.#options.producer.failure ?? this.#failure
    if (failure === null) return
    const reason = failure.message
    throw isFenced(failure)
      ? runtimeErrors.TRANSACTION_LOST({ reason }, failure)
      : runtimeErrors.PRODUCER_FAILED({ reason }, failure)
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#options.producer.ready(signal)
  }

  send(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic): void {
    encoded.token = this.#next
    try {
      topic.send(encoded)
    } catch (error) {
      this.throwIfFailed()
      throw recordFailure(record, { stage: 'KAFKA_PRODUCE' }, error)
    }
    this.#onSent(record)
  }

  async offer(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic, signal: AbortSignal): Promise<void> {
    encoded.token = this.#next
    // No commit may begin meanwhile: the record would be after its end.
    this.#isAtBoundary = false
    try {
      await topic.offer(encoded, signal)
    } catch (error) {
      this.throwIfFailed()
      if (recordSizeOf(error) === null) throw error
      throw recordFailure(record, { stage: 'KAFKA_PRODUCE' }, error)
    }
    this.#onSent(record)
  }

  #onSent(record: SourceRecord): void {
    this.#next += 1
    this.#isAtBoundary = false
    if (this.#open.records === 0) this.#begin()
    this.#open.records += 1
    this.#open.setOffset(record.sourcePartition, record.sourceOffset)
  }

  skip(partition: SourcePartition, offset: SourceOffset): void {
    this.#open.setOffset(partition, offset)
  }

  progress({ partition, offset, isMilestone }: SourceProgress): void {
    this.#open.setOffset(partition, offset)
    if (isMilestone === true) this.#isDue = true
  }

  boundary(): void {
    this.#isAtBoundary = true
    this.#open.endPoll()
    this.#commitIfDue()
  }

  /** Commits what was sent, at the next boundary at the latest. */
  commitNow(): void {
    this.#isDue = true
    this.#commitIfDue()
  }

  async finish(): Promise<void> {
    const { clock, timeoutMs, logger } = this.#options
    this.#isEnding = true
    this.#timer?.cancel()
    try {
      await withTimeout(clock, timeoutMs, (limit) => this.#commitRest(limit))
    } catch (error) {
      const reason = error instanceof StoppedError ? {} : { error: toError(error) }
      logger.warn(UNKNOWN_COMMIT, reason)
    }
    await this.#abort()
  }

  /** The first record of a transaction. */
  #begin(): void {
    this.#open.begin(this.#options.clock.monotonicMs())
  }

  /** Sets the timer of the next commit, unless it fires sooner already. */
  #watch(): void {
    if (this.#isEnding) return
    const { clock } = this.#options
    const nowMs = clock.monotonicMs()
    const dueMs = this.#dueMs(nowMs)
    if (this.#timer !== null && this.#timerMs <= dueMs) return
    this.#timer?.cancel()
    this.#timerMs = dueMs
    this.#timer = clock.after(Math.max(0, dueMs - nowMs), () => {
      this.#timer = null
      this.#isDue = true
      this.#commitIfDue()
    })
  }

  /** When the open transaction is to be committed, if no boundary before that commits it. */
  #dueMs(nowMs: number): number {
    const { boundary, intervalMs } = this.#options
    const limitMs = this.#open.sinceMs + this.#openMsMax
    if (boundary === 'interval' || this.#open.records === 0) return Math.min(nowMs + intervalMs, limitMs)
    return nowMs < this.#notBeforeMs ? Math.min(this.#notBeforeMs, limitMs) : limitMs
  }

  get #mustCommit(): boolean {
    if (this.#isDue) return !this.#isCutting || this.#isTooLate
    if (this.#open.records === 0) return false
    switch (this.#options.boundary) {
      case 'poll':
        return !this.#isPausing
      case 'interval':
        return false
      case 'connector':
        return !this.isInTransaction && !this.#isPausing
    }
  }

  get #isPausing(): boolean {
    return this.#options.clock.monotonicMs() < this.#notBeforeMs
  }

  /** A commit now would end in the middle of a transaction of the source, against the setting. */
  get #isCutting(): boolean {
    return this.#options.boundary === 'connector' && this.isInTransaction
  }

  get #isTooLate(): boolean {
    return this.#options.clock.monotonicMs() - this.#open.sinceMs >= this.#openMsMax
  }

  /** Commits only at a boundary, and not during a commit: the end of a commit calls this again. */
  #commitIfDue(): void {
    if (!this.#isAtBoundary || this.#committing !== null || this.#isEnding) return
    if (this.#options.producer.failure !== null || this.#failure !== null) return
    if (this.#open.isEmpty) return
    if (this.#mustCommit) this.#commit()
    else this.#watch()
  }

  #commit(): void {
    if (this.#isCutting && this.#open.records > 0) this.#reportSplit()
    this.#isDue = false
    this.#timer?.cancel()
    this.#timer = null
    const transaction = this.#open
    const nowMs = this.#options.clock.monotonicMs()
    const isLoaded = transaction.records >= Math.max(LOAD_RECORDS, (nowMs - transaction.firstMs) * LOAD_RECORDS_PER_MS)
    this.#notBeforeMs = isLoaded ? nowMs + LOAD_PAUSE_MS : 0
    this.#open = new OpenTransaction(nowMs)
    this.#committingCount = transaction.records
    const ran = this.#run(transaction).catch((error: unknown) => {
      this.#failure = toError(error)
      throw error
    })
    this.#committing = ran.finally(() => {
      this.#committing = null
      this.#committingCount = 0
      // Until now the broker had nothing of the transaction after it, whose limit begins here.
      this.#open.openAt(this.#options.clock.monotonicMs())
      this.#commitIfDue()
    })
    // The loop asks for the failure.
    this.#committing.catch(() => undefined)
  }

  async #run(transaction: OpenTransaction): Promise<void> {
    const { producer, clock, copyOffsets, connectorName, onCommitting } = this.#options
    const startMs = clock.now()
    const offsets = Array.from(transaction.offsets(), ([partition, offset]) => ({
      key: offsetKey(connectorName, partition),
      value: offsetJson(offset.toDocument()),
    }))
    try {
      onCommitting([...transaction.offsets().values()])
      for (const record of offsets) this.#sendOffset(record)
      await producer.commit(this.#next)
    } catch (error) {
      this.#meters.failedCommits.add(1)
      throw error
    }
    this.#committedCount += transaction.records
    this.#measure(transaction, startMs)
    copyOffsets?.(offsets)
    await this.#notifySource([...transaction.offsets().values()])
  }

  #sendOffset({ key, value }: TextRecord): void {
    this.#options.offsets.send({
      key: textPart(key),
      value: value === null ? null : textPart(value),
      headers: [],
      partition: null,
      timestamp: null,
      token: this.#next++,
    })
  }

  #measure(transaction: OpenTransaction, startMs: number): void {
    const { clock } = this.#options
    const nowMs = clock.now()
    const meters = this.#meters
    meters.commits.add(1)
    meters.acknowledged.add(transaction.records)
    meters.commitMs.observe(nowMs - startMs)
    meters.commitWindow.record(nowMs - startMs, nowMs)
    meters.transactionWindow.record(transaction.records, nowMs)
    for (const { committedAtMs, records } of transaction.polls) {
      // The clocks of source and worker may differ.
      meters.latency.observe(Math.max(0, nowMs - committedAtMs) / 1_000, records)
    }
  }

  /** An error of the source does not undo the commit. */
  async #notifySource(offsets: readonly SourceOffset[]): Promise<void> {
    const { onCommitted, logger } = this.#options
    try {
      await onCommitted(offsets)
    } catch (error) {
      logger.warn('The source failed to handle the commit of its offsets', { error: toError(error) })
    }
  }

  #reportSplit(): void {
    const { logger, producer } = this.#options
    this.#meters.transactionsSplit.add(1)
    logger.warn(
      `A transaction of the source takes longer than half of transaction.timeout.ms (${producer.transactionTimeoutMs} ms) and is split: ` +
        `consumers see its first ${this.#open.records} records before the others. Raise transaction.timeout.ms of the producer if they must see it as a whole`,
    )
  }

  async #commitRest(limit: AbortSignal): Promise<void> {
    const { producer } = this.#options
    await doneOr(this.#committing ?? Promise.resolve(), limit)
    const isWhole = this.#isAtBoundary && !this.#isCutting
    if (this.#open.isEmpty || !isWhole || producer.failure !== null || this.#failure !== null) return
    this.#commit()
    await doneOr(this.#committing ?? Promise.resolve(), limit)
  }

  /** Aborts the rest: a part of a poll, or of a transaction of the source, which no consumer may see. */
  async #abort(): Promise<void> {
    const { producer, clock, logger } = this.#options
    if (this.pending > 0 || producer.failure !== null) this.#meters.transactionsAborted.add(1)
    try {
      await withTimeout(clock, ABORT_TIMEOUT_MS, (limit) => producer.abort(limit))
    } catch (error) {
      const reason = error instanceof StoppedError ? {} : { error: toError(error) }
      logger.warn('The open transaction could not be aborted; the next start of the task aborts it', reason)
    }
  }
}

const UNKNOWN_COMMIT =
  'The last transaction was not confirmed as committed. The next start of the task continues after the last committed one'

/**
 * A transaction with so many records, and so many for each millisecond that it was open, is one of a task under load:
 * some commits of 10 ms in sequence would cost it a sixth of its throughput. A backlog delays consumers by more than the
 * pause; at lower rates the cost does not matter.
 */
const LOAD_RECORDS = 1_000
const LOAD_RECORDS_PER_MS = 50
const LOAD_PAUSE_MS = 50

/** A task has ten seconds to stop; `offset.flush.timeout.ms` is five by default. */
const ABORT_TIMEOUT_MS = 2_000

function isFenced(error: Error): boolean {
  return 'code' in error && error.code === 'PRODUCER_FENCED'
}
