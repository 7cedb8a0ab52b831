import type { SourceRecord, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import {
  nextTurn,
  StoppedError,
  throwIfStopped,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { OffsetCommitter } from './offset-committer.ts'
import type { RecordSender } from './record-sender.ts'
import type { SubmittedRecords } from './submitted-records.ts'
import type { TopicOpener } from './topic-opener.ts'
import type { TransformationChain } from './transformation-chain.ts'

export interface WorkerSourceTaskOptions {
  readonly task: SourceTask
  readonly context: SourceTaskContext
  readonly chain: TransformationChain
  readonly sender: RecordSender
  readonly topics: TopicOpener
  readonly producer: Producer
  readonly submitted: SubmittedRecords
  readonly committer: OffsetCommitter
  /** The task has started: it is RUNNING. */
  readonly onStarted: () => void
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

  constructor(options: WorkerSourceTaskOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { task, context, onStarted, committer } = this.#options
    const ending = new AbortController()
    let commits: Promise<void> | null = null
    try {
      await task.start(context)
      onStarted()
      commits = committer.run(ending.signal)
      await this.#loop(signal)
    } catch (error) {
      if (!(error instanceof StoppedError && signal.aborted)) throw error
    } finally {
      ending.abort()
      await commits
      await this.#finish()
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { task, submitted } = this.#options
    for (;;) {
      throwIfStopped(signal)
      this.#throwIfProducerFailed()
      const { records, progress } = await task.poll(signal)
      for (const record of records) {
        const waiting = this.#process(record, signal)
        if (waiting !== null) await waiting
      }
      if (progress !== null) submitted.submitProgress(progress.partition, progress.offset)
      await nextTurn()
    }
  }

  /** Null when the record is done with; awaiting nothing would cost more than most of the work on a record. */
  #process(record: SourceRecord, signal: AbortSignal): Promise<void> | null {
    const { chain, sender, producer } = this.#options
    const changed = chain.apply(record)
    if (changed === null) return null
    if (!sender.isOpen(changed.topic) || producer.isFull) return this.#processLater(changed, signal)
    this.#send(changed)
    return null
  }

  async #processLater(record: SourceRecord, signal: AbortSignal): Promise<void> {
    const { sender, producer, topics } = this.#options
    await this.#guarded(() => producer.ready(signal))
    if (!sender.isOpen(record.topic)) sender.open(await topics.open(record.topic, signal))
    this.#send(record)
  }

  #send(record: SourceRecord): void {
    const { submitted, sender } = this.#options
    const token = submitted.submit(record.sourcePartition, record.sourceOffset)
    try {
      sender.send(record, token)
    } catch (error) {
      submitted.retract(token)
      throw error
    }
  }

  #throwIfProducerFailed(): void {
    const { failure } = this.#options.producer
    if (failure !== null) throw runtimeErrors.PRODUCER_FAILED({ reason: failure.message }, failure)
  }

  async #guarded(wait: () => Promise<void>): Promise<void> {
    try {
      await wait()
    } catch (error) {
      this.#throwIfProducerFailed()
      throw error
    }
  }

  /** What was sent is waited for, within the limit, and its offsets are committed; then everything is closed. */
  async #finish(): Promise<void> {
    const { task, producer, committer, clock, flushTimeoutMs, logger } = this.#options
    try {
      await withTimeout(clock, flushTimeoutMs, (limit) => producer.flush(limit))
    } catch (error) {
      logger.warn('Not all records were acknowledged before the task ended; they are sent again when it starts', {
        error: toError(error),
      })
    }
    await committer.commit()
    try {
      await task.stop()
    } catch (error) {
      logger.warn('The task did not stop cleanly', { error: toError(error) })
    }
  }
}
