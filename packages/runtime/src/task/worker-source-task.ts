import type { PollResult, SourceRecord, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import {
  BackOff,
  isRetriable,
  nextTurn,
  StoppedError,
  throwIfStopped,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { IdleMemory } from './idle-memory.ts'
import type { OffsetCommitter } from './offset-committer.ts'
import type { RecordSender } from './record-sender.ts'
import { SchemaPreparation } from './schema-preparation.ts'
import type { SchemaPreviews } from './schema-previews.ts'
import type { SubmittedRecords } from './submitted-records.ts'
import type { TopicOpener } from './topic-opener.ts'
import type { TransformationChain } from './transformation-chain.ts'

export interface WorkerSourceTaskOptions {
  readonly task: SourceTask
  readonly context: SourceTaskContext
  readonly chain: TransformationChain
  readonly sender: RecordSender
  readonly previews: SchemaPreviews
  readonly topics: TopicOpener
  readonly producer: Producer
  readonly submitted: SubmittedRecords
  readonly committer: OffsetCommitter
  readonly memory: Pick<IdleMemory, 'begin' | 'onWork' | 'onIdle'>
  /** The task has started: it is RUNNING. */
  readonly onStarted: () => void
  /** How long the end may take to have records acknowledged and their offsets stored: `offset.flush.timeout.ms`. */
  readonly flushTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Runs one source task (Connect's AbstractWorkerSourceTask): poll → transformations → converters → producer, and beside it the
 * offset commits. One loop owns all of it; acknowledgements arrive between its steps and only mark entries.
 *
 * ```
 *  task.poll ──▶ chain ──▶ sender ──▶ producer ──ack──▶ submitted ──prefix──▶ committer ──▶ offset topic
 *      ▲                                  │ full
 *      └────────── waits ◀────────────────┘
 * ```
 *
 * Invariants: records are sent in the order of polling; an offset is committed only when its record and all before it are
 * acknowledged; what was sent before a failure is still committed. `run` resolves when the signal has stopped it, and rejects
 * with what made it fail.
 */
export class WorkerSourceTask {
  readonly #options: WorkerSourceTaskOptions
  readonly #preparation: SchemaPreparation
  /** Ends what runs beside the loop. */
  readonly #ending = new AbortController()
  /** Ends the commits beside the loop, which what is sent at the end waits for, too. */
  readonly #flushed = new AbortController()
  /** Commits of milestones that were begun; there are as many as snapshots. */
  readonly #milestones: Promise<void>[] = []
  readonly #pollPauses = new BackOff({ initialMs: 300, maxMs: 30_000 })
  /** The topics of the polled records are being opened. */
  #hasLookedAhead = false
  /** Those of the last poll. */
  #polled: readonly SourceRecord[] = []
  /** The converters were prepared for the polled records, as far as that went. */
  #hasPreparedAhead = false

  constructor(options: WorkerSourceTaskOptions) {
    this.#options = options
    this.#preparation = new SchemaPreparation(options)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { task, context, onStarted, committer, memory } = this.#options
    let commits: Promise<void> | null = null
    try {
      await task.start(context, signal)
      onStarted()
      memory.begin()
      commits = committer.run(this.#flushed.signal)
      await this.#loop(signal)
    } catch (error) {
      if (!(error instanceof StoppedError && signal.aborted)) throw error
    } finally {
      this.#ending.abort()
      await Promise.all(this.#milestones)
      await this.#options.previews.settled()
      await this.#finish(commits)
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { submitted, previews, chain, memory, producer } = this.#options
    for (;;) {
      throwIfStopped(signal)
      this.#throwIfProducerFailed()
      const { records, progress, announced, hasMore } = await this.#poll(signal)
      producer.moreFollows = hasMore === true
      if (records.length > 0 || progress !== null) memory.onWork()
      else memory.onIdle()
      if (announced !== undefined && chain.isEmpty) previews.announce(announced, this.#ending.signal)
      this.#hasLookedAhead = false
      this.#hasPreparedAhead = false
      this.#polled = records
      for (const record of records) {
        const waiting = this.#process(record, signal)
        if (waiting !== null) {
          await waiting
          memory.onWork()
        }
      }
      if (progress !== null) {
        submitted.submitProgress(progress.partition, progress.offset)
        if (progress.isMilestone === true) this.#milestones.push(this.#storeMilestone())
      }
      await nextTurn()
    }
  }

  /** Beside the loop: the next interval may be a minute away, and a snapshot of hours must not depend on it. */
  async #storeMilestone(): Promise<void> {
    const { producer, committer, logger } = this.#options
    const { signal } = this.#ending
    try {
      await producer.flush(signal)
      await committer.commit(signal)
    } catch (error) {
      // The end of the task tries again, and says why the producer has failed.
      if (!(error instanceof StoppedError))
        logger.debug('A milestone could not be stored yet', { error: toError(error) })
    }
  }

  /** An error that waiting may mend is logged and counts as no records. */
  async #poll(signal: AbortSignal): Promise<PollResult> {
    const { task, clock, logger } = this.#options
    try {
      const result = await task.poll(signal)
      this.#pollPauses.reset()
      return result
    } catch (error) {
      if (!isRetriable(error)) throw error
      const pauseMs = this.#pollPauses.next()
      logger.warn(`The source gave no records; it is asked again in ${pauseMs} ms`, { error: toError(error) })
      await clock.sleep(pauseMs, signal)
      return NO_RECORDS
    }
  }

  /** Null when the record is done with; awaiting nothing would cost more than most of the work on a record. */
  #process(record: SourceRecord, signal: AbortSignal): Promise<void> | null {
    const { chain, sender, producer, submitted } = this.#options
    const changed = chain.apply(record)
    if (changed === null) {
      submitted.submitProgress(record.sourcePartition, record.sourceOffset)
      return null
    }
    const isReady = sender.isReady(changed)
    if (!isReady && !sender.isOpen(changed.topic)) this.#lookAhead(signal)
    if (!isReady || producer.isFull) return this.#processLater(changed, signal)
    this.#send(changed)
    return null
  }

  /**
   * Topics that the polled records need are opened beside one another instead of one after the other. Which they are is known only
   * where records stay as they are: a stage of a chain may have its own count of what it has seen.
   */
  #lookAhead(signal: AbortSignal): void {
    const { chain, sender, topics } = this.#options
    if (this.#hasLookedAhead || !chain.isEmpty) return
    this.#hasLookedAhead = true
    const names = new Set(this.#polled.map(({ topic }) => topic))
    topics.openAhead(
      [...names].filter((name) => !sender.isOpen(name)),
      signal,
    )
  }

  async #processLater(record: SourceRecord, signal: AbortSignal): Promise<void> {
    const { sender, producer, topics } = this.#options
    try {
      await producer.ready(signal)
      if (!sender.isOpen(record.topic)) sender.open(await topics.open(record.topic, signal))
      if (!sender.isReady(record)) await this.#prepare(record, signal)
    } catch (error) {
      this.#throwIfProducerFailed()
      throw error
    }
    this.#send(record)
  }

  /** With the schemas of the other polled records, where those stay as they are. */
  async #prepare(record: SourceRecord, signal: AbortSignal): Promise<void> {
    const { chain, previews } = this.#options
    // A schema that will be refused is told of before it is.
    await previews.toldOrLate(signal)
    const ahead = this.#hasPreparedAhead || !chain.isEmpty ? [] : this.#polled
    this.#hasPreparedAhead = true
    await this.#preparation.prepare(record, ahead, signal)
  }

  #send(record: SourceRecord): void {
    const { submitted, sender } = this.#options
    const token = submitted.submit(record.sourcePartition, record.sourceOffset)
    try {
      sender.send(record, token)
    } catch (error) {
      submitted.retract(token)
      this.#throwIfProducerFailed()
      throw error
    }
  }

  #throwIfProducerFailed(): void {
    const { failure } = this.#options.producer
    if (failure !== null) throw runtimeErrors.PRODUCER_FAILED({ reason: failure.message }, failure)
  }

  /** What was sent is waited for, and the offsets of what was acknowledged are stored; then the task closes what it has open. */
  async #finish(commits: Promise<void> | null): Promise<void> {
    const { task, clock, flushTimeoutMs, logger } = this.#options
    const flushMs = Math.floor(flushTimeoutMs * FLUSH_SHARE)
    const begunMs = clock.now()
    await withTimeout(clock, flushMs, (limit) => this.#flush(limit))
    this.#flushed.abort()
    await commits
    const commitMs = flushTimeoutMs - (clock.now() - begunMs)
    await withTimeout(clock, commitMs, (limit) => this.#commit(limit))
    try {
      await task.stop()
    } catch (error) {
      logger.warn('The task did not stop cleanly', { error: toError(error) })
    }
  }

  async #flush(limit: AbortSignal): Promise<void> {
    const { producer, submitted, logger } = this.#options
    try {
      await producer.flush(limit)
    } catch (error) {
      const isLate = error instanceof StoppedError
      const why = isLate ? 'in time' : 'because the producer has failed'
      logger.warn(
        `${submitted.pending} records were not acknowledged ${why}; they are sent again when the task starts`,
        isLate ? {} : { error: toError(error) },
      )
    }
  }

  async #commit(limit: AbortSignal): Promise<void> {
    const { committer, logger } = this.#options
    if (await committer.commit(limit)) return
    logger.warn(
      'The last offsets could not be stored; records behind the stored ones are sent again when the task starts',
    )
  }
}

/** Of the time that the end may take. The rest is for the offsets of what was acknowledged, also when not all of it was. */
const FLUSH_SHARE = 0.75
const NO_RECORDS: PollResult = { records: [], progress: null }
