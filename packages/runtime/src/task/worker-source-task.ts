import type { PollResult, SourceRecord, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import {
  BackOff,
  describeError,
  nextTurn,
  present,
  StoppedError,
  throwIfStopped,
  toError,
  type Clock,
  type Logger,
  type Meter,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { Lease } from '../lease/lease.ts'
import { untilHeld } from '../lease/lease-wait.ts'
import type { RecordGate, TransformedRecords } from './admission/record-gate.ts'
import { haveSameSchemas } from './admission/registrations.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { IdleTask } from './idle-memory.ts'
import type { RecordEncoder } from './record-encoder.ts'
import { failurePlace } from './record-failure.ts'
import { failureKind } from './task-failure.ts'
import { LagGauge, taskMeters, type TaskMeters } from './task-meters.ts'
import { isTooLarge, type LargeRecords } from './tolerance/large-records.ts'
import type { RecordErrors } from './tolerance/record-errors.ts'
import type { TransformationChain } from './transformation-chain.ts'

export interface WorkerSourceTaskOptions {
  readonly task: SourceTask
  readonly context: SourceTaskContext
  readonly chain: TransformationChain
  readonly gate: Pick<RecordGate, 'admit' | 'openTopic' | 'announce' | 'settled'>
  readonly encoder: RecordEncoder
  readonly delivery: Delivery
  /** Decides about records that fail. */
  readonly errors: Pick<RecordErrors, 'tolerates'>
  readonly large: Pick<LargeRecords, 'smaller' | 'onSent'>
  /** While it is not held, the source is not polled: it must not compete with that of another worker. */
  readonly lease: Pick<Lease, 'isHeld' | 'held'>
  readonly memory: Pick<IdleTask, 'start' | 'onWork' | 'onIdle'>
  /** Called when the source has started: the task is RUNNING. */
  readonly onStarted: () => void
  /** Called when the source could not be stopped: it may still read. */
  readonly onUncleanStop?: () => void
  /** Called once, when a start by itself would leave out changes from then on. */
  readonly onLeavesOut?: () => void
  readonly clock: Clock
  readonly logger: Logger
  readonly meter: Meter
}

/**
 * Runs one source task (Connect's AbstractWorkerSourceTask) in one loop. Acknowledgements and offset commits run
 * between its steps, inside the delivery.
 *
 * ```
 *  task.poll ──▶ chain ──▶ gate ──▶ encoder ──▶ delivery ──▶ topics and stored offsets
 *      ▲         whole     whole    one         │ full, or boundary
 *      │         poll      poll     record      │
 *      └──────────────── waits ◀────────────────┘
 * ```
 *
 * Invariants:
 * - Records are sent in the order of polling.
 * - Everything before a record that fails (in a stage, at the registry, in a converter, in the producer) is sent, and
 *   its offset is stored, before the task fails. A record whose failure is tolerated is skipped, and its offset counts.
 * - A full producer stops the loop, so the source is not polled.
 * - Values of records are used until the next poll, and not after it.
 *
 * `run` resolves when the signal has stopped it, and rejects with the error that made it fail.
 */
export class WorkerSourceTask {
  readonly #options: WorkerSourceTaskOptions
  readonly #meters: TaskMeters
  readonly #lag: LagGauge
  /** Records of the current poll that were sent, and the bytes of their keys and values. */
  #sentRecords = 0
  #sentBytes = 0
  /** The index of the record that is admitted or sent. */
  #current = 0
  /** Fires when the loop has ended, to stop the checks that run beside it. */
  readonly #ending = new AbortController()
  readonly #pollPauses = new BackOff({ initialMs: 300, maxMs: 30_000 })

  #hasReportedLeavesOut = false

  constructor(options: WorkerSourceTaskOptions) {
    this.#options = options
    this.#meters = taskMeters(options.meter)
    this.#lag = new LagGauge(options.meter)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { task, context, onStarted, delivery, memory } = this.#options
    try {
      // Connections were opened since the last look at the lease, and the process was possibly frozen.
      await untilHeld(this.#options, signal)
      await task.start(context, signal)
      onStarted()
      memory.start()
      delivery.start()
      await this.#loop(signal)
    } catch (error) {
      if (failureKind(error, signal) !== 'stop') throw this.#failureOf(error)
    } finally {
      await this.#finish()
    }
  }

  /** An automatic restart must not leave out changes, so an error is fatal if the next start would. */
  #failureOf(error: unknown): unknown {
    if (this.#options.task.leavesOutAtStart !== true || failureKind(error) === 'fail') return error
    return runtimeErrors.START_LEAVES_OUT({ reason: describeError(error) }, error)
  }

  #reportLeavesOut(): void {
    if (this.#hasReportedLeavesOut || this.#options.task.leavesOutAtStart !== true) return
    this.#hasReportedLeavesOut = true
    this.#options.onLeavesOut?.()
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { delivery, gate, chain, memory, lease } = this.#options
    for (;;) {
      throwIfStopped(signal)
      delivery.throwIfFailed()
      if (!lease.isHeld) await untilHeld({ ...this.#options, wait: (held) => this.#wait(held) }, signal)
      const { records, progress, announced, hasMore, isInTransaction } = await this.#poll(signal)
      delivery.moreFollows = hasMore === true
      this.#reportLeavesOut()
      if (records.length > 0 || progress !== null) memory.onWork()
      else memory.onIdle()
      // These are schemas before the chain, which may change them.
      if (announced !== undefined && chain.isEmpty) gate.announce(announced, this.#ending.signal)
      if (records.length > 0) await this.#handle(records, signal)
      if (progress !== null) delivery.progress(progress)
      // Not before: a commit that is decided while records wait to be sent is about the polls before them. A poll that
      // failed and will be repeated does not know.
      if (isInTransaction !== undefined) delivery.isInTransaction = isInTransaction
      delivery.boundary()
      await nextTurn()
    }
  }

  /** Logs a retriable error, waits, and returns no records. */
  async #poll(signal: AbortSignal): Promise<PollResult> {
    const { task, clock, logger } = this.#options
    try {
      const startMs = clock.monotonicMs()
      const result = await task.poll(signal)
      if (result.records.length > 0) this.#measurePoll(result.records, clock.monotonicMs() - startMs)
      if (this.#pollPauses.failures > 0) logger.outages?.ended(POLLING)
      this.#pollPauses.reset()
      return result
    } catch (error) {
      if (failureKind(error, signal) !== 'retry') throw error
      const pauseMs = this.#pollPauses.next()
      this.#meters.pollRetries.add(1)
      logger.outages?.failed(POLLING, error, pauseMs)
      logger.warn(`The source could not be polled. The task polls it again in ${pauseMs} ms`, { error: toError(error) })
      await clock.sleep(pauseMs, signal)
      return NO_RECORDS
    }
  }

  async #handle(polled: readonly SourceRecord[], signal: AbortSignal): Promise<void> {
    const { chain, encoder } = this.#options
    const { records, dropped, failure } = chain.apply(polled)
    this.#meters.dropped.add(dropped)
    try {
      await this.#send(polled, records, signal)
    } finally {
      encoder.endPoll()
      this.#measureSent()
    }
    if (failure !== null) throw failure
  }

  /** Sends the records that are admitted, then waits for the first one that is not, and so on. */
  async #send(polled: readonly SourceRecord[], records: TransformedRecords, signal: AbortSignal): Promise<void> {
    const { gate, delivery } = this.#options
    if (delivery.admitsWholePolls) await this.#admitAll(records, signal)
    let next = 0
    while (next < records.length) {
      this.#current = next
      try {
        const admitted = gate.admit(records, next, signal)
        const end = typeof admitted === 'number' ? admitted : await this.#wait(admitted)
        next = this.#sendAdmitted(polled, records, next, end)
      } catch (error) {
        next = await this.#sendFailed(polled, records, error, signal)
      }
      if (delivery.isFull && next < records.length) await this.#wait(delivery.ready(signal))
    }
  }

  /** Waits for whatever any of the records has to wait for. */
  async #admitAll(records: TransformedRecords, signal: AbortSignal): Promise<void> {
    let next = 0
    while (next < records.length) {
      try {
        const admitted = this.#options.gate.admit(records, next, signal)
        next = typeof admitted === 'number' ? admitted : await this.#wait(admitted)
      } catch (error) {
        if (error instanceof StoppedError) throw error
        // It fails in its turn, and may be tolerated: then those after it must not wait for anything.
        next += 1
      }
    }
  }

  /**
   * The hot path: no promise and no object per record; two additions measure it. Returns the index of the first record
   * that is not sent: `end`, or that of a record that has to wait.
   */
  #sendAdmitted(polled: readonly SourceRecord[], records: TransformedRecords, from: number, end: number): number {
    const { gate, encoder, delivery } = this.#options
    for (let i = from; i < end; i++) {
      this.#current = i
      const record = records[i] as SourceRecord | null
      if (record === null) {
        const { sourcePartition, sourceOffset } = polled[i] as SourceRecord
        delivery.skip(sourcePartition, sourceOffset)
        continue
      }
      if (delivery.isFull) return i
      const topic = gate.openTopic(record.topic)
      if (topic === null) return i
      delivery.send(record, encoder.encode(record, topic), topic.topic)
      this.#sentRecords += 1
      this.#sentBytes += encoder.encodedBytes
    }
    return end
  }

  /** Returns the index of the next record; throws an error that is not tolerated. */
  async #sendFailed(
    polled: readonly SourceRecord[],
    records: TransformedRecords,
    error: unknown,
    signal: AbortSignal,
  ): Promise<number> {
    const record = records[this.#current] ?? null
    if (record === null || !isTooLarge(error)) return this.#skipFailed(polled, records, error)
    // Skipping or replacing loses data, so offer the record first: the limit may have been raised, or may be unknown.
    const refusal = await this.#offer(record, signal)
    if (refusal === null || (await this.#sendSmaller(record, refusal, signal))) return this.#current + 1
    return this.#skipFailed(polled, records, refusal)
  }

  /** Sends a record that was too large if its topic accepts it after all, and returns null; otherwise the refusal. */
  async #offer(record: SourceRecord, signal: AbortSignal): Promise<unknown> {
    const { gate, encoder, delivery } = this.#options
    const topic = present(gate.openTopic(record.topic), 'the topic of a record that was sent')
    try {
      await this.#wait(delivery.offer(record, encoder.encode(record, topic), topic.topic, signal))
    } catch (error) {
      // The record is not the cause of any other error, and must not be skipped because of it.
      if (!isTooLarge(error)) throw error
      return error
    }
    this.#sentRecords += 1
    this.#sentBytes += encoder.encodedBytes
    return null
  }

  /**
   * Sends a record that is too large with placeholders instead of its largest fields. False: the connector is
   * configured otherwise, or the record cannot be made small enough.
   */
  async #sendSmaller(original: SourceRecord, error: unknown, signal: AbortSignal): Promise<boolean> {
    const { large } = this.#options
    let failure = error
    for (let record = large.smaller(original, failure); record !== null; record = large.smaller(record, failure)) {
      failure = await this.#offer(record, signal)
      if (failure !== null) continue
      large.onSent(record, error)
      return true
    }
    return false
  }

  /**
   * Skips the current record, whose error is tolerated, and the records directly after it that have the same refused
   * schemas: they would each ask the registry again. Returns the index after them; throws an error that is not
   * tolerated.
   */
  #skipFailed(polled: readonly SourceRecord[], records: TransformedRecords, error: unknown): number {
    const { errors, delivery } = this.#options
    const failed = records[this.#current] ?? null
    let i = this.#current
    for (let next = failed; failed !== null && next !== null && haveSameSchemas(next, failed);) {
      const original = polled[i] as SourceRecord
      if (!errors.tolerates(error, original, next)) throw error
      delivery.skip(original.sourcePartition, original.sourceOffset)
      i += 1
      next = failurePlace(error)?.isOfSchema === true ? (records[i] ?? null) : null
    }
    if (i === this.#current) throw error
    return i
  }

  /** If a failure of the producer has ended the wait, throws that failure. */
  async #wait<T>(waiting: Promise<T>): Promise<T> {
    const { delivery, memory } = this.#options
    try {
      const result = await waiting
      memory.onWork()
      return result
    } catch (error) {
      delivery.throwIfFailed()
      throw error
    }
  }

  #measurePoll(polled: readonly SourceRecord[], pollMs: number): void {
    const { polled: counter, pollWindow, batchWindow } = this.#meters
    const nowMs = this.#options.clock.now()
    counter.add(polled.length)
    pollWindow.record(pollMs, nowMs)
    batchWindow.record(polled.length, nowMs)
    const changedAtMs = polled.at(-1)?.sourceOffset.changedAtMs ?? null
    // The clocks of source and worker may differ.
    if (changedAtMs !== null) this.#lag.set(Math.max(0, nowMs - changedAtMs))
  }

  #measureSent(): void {
    const { clock, delivery } = this.#options
    const nowMs = clock.now()
    this.#meters.sentWindow.record(this.#sentRecords, nowMs)
    this.#meters.activeWindow.record(delivery.pending, nowMs)
    this.#meters.sent.add(this.#sentRecords)
    this.#meters.bytes.add(this.#sentBytes)
    this.#sentRecords = 0
    this.#sentBytes = 0
  }

  /** In this order: nothing runs beside the end of the delivery, and the source closes its connections last. */
  async #finish(): Promise<void> {
    const { task, gate, delivery, logger } = this.#options
    this.#ending.abort()
    await gate.settled()
    await delivery.finish()
    try {
      await task.stop()
    } catch (error) {
      logger.warn('The task did not stop cleanly', { error: toError(error) })
      this.#options.onUncleanStop?.()
    }
  }
}

/** As an operator reads it in the health of the task. */
const POLLING = 'polling the source'

const NO_RECORDS: PollResult = { records: [], progress: null }
