import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import {
  BackOff,
  doneOr,
  StoppedError,
  throwIfStopped,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import { offsetJson, offsetKey } from '../../storage/offset-record.ts'
import type { TextRecord } from '../../storage/topic-writer.ts'
import type { TaskMeters } from '../task-meters.ts'
import type { SubmittedRecords } from './submitted-records.ts'

/** Where offsets are stored: the offsets topic. It has a producer of its own, so that offsets do not wait for data. */
export interface OffsetLog {
  /**
   * Resolves when the brokers have acknowledged the records.
   *
   * @throws StoppedError when the signal fires first
   */
  write(records: readonly TextRecord[], signal: AbortSignal): Promise<void>
}

export interface OffsetCommitterOptions {
  readonly connectorName: string
  readonly submitted: SubmittedRecords
  readonly log: OffsetLog
  /** The producer of the records; its send window advances after each commit. */
  readonly window: Pick<Producer, 'moveWindow'>
  /** Called before offsets are sent; what it throws fails the commit. */
  readonly onCommitting: (offsets: readonly SourceOffset[]) => void
  /** Called after offsets were stored; what it throws is logged. */
  readonly onCommitted: (offsets: readonly SourceOffset[]) => Promise<void>
  /** A commit is due when this many records were acknowledged since the last one. */
  readonly recordsBetweenCommits: number
  /** A commit is due at the latest this long after the last one: `offset.flush.interval.ms`. */
  readonly intervalMs: number
  /** The limit of one commit: `offset.flush.timeout.ms`. */
  readonly timeoutMs: number
  readonly meters: Pick<TaskMeters, 'commits' | 'failedCommits' | 'commitMs' | 'commitWindow'>
  readonly clock: Clock
  readonly logger: Logger
}

/** After this time the send window no longer waits for a commit. */
const LATE_AFTER_MS = 1_000
/** The pause before the first retry of a failed commit. The pauses grow up to the interval. */
const FIRST_PAUSE_MS = 1_000

/**
 * Stores offsets: at an interval, earlier when many records were acknowledged, and once more when the task stops. A
 * failed commit is logged, and the next one stores the newest offsets instead. It never fails the task: the records of
 * those offsets are acknowledged.
 *
 * Each commit moves the start of the producer's send window to the stored offset, so that a crash repeats no more
 * records than the window contains. While offsets cannot be stored, the window follows the acknowledged records: an
 * unreachable offsets topic must not stop the data.
 */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions
  #last: Promise<unknown> = Promise.resolve()
  /** `submitted.completed` when the last commit started. */
  #completedAtCommit = 0
  /** The last commit failed, or the current one is late: the window follows the acknowledged records. */
  #isStuck = false
  /** The pause before the retry; null when the last commit did not fail. */
  #pauseMs: number | null = null
  readonly #pauses: BackOff
  /** Ends the wait for the interval; null while `run` does not wait. */
  #wake: (() => void) | null = null

  constructor(options: OffsetCommitterOptions) {
    this.#options = options
    const { intervalMs } = options
    this.#pauses = new BackOff({ initialMs: Math.min(FIRST_PAUSE_MS, intervalMs), maxMs: intervalMs })
  }

  /** The last commit failed, and none has succeeded since. */
  get isFailing(): boolean {
    return this.#pauseMs !== null
  }

  /** Commits whenever a commit is due, until the signal fires. Abandons a commit in progress then. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#untilDue(signal)
        await this.commit(signal)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  /** Call it after records were acknowledged. */
  onAcknowledged(): void {
    if (this.#isStuck) this.#followAcknowledged()
    this.#wakeWhenDue()
  }

  #wakeWhenDue(): void {
    if (this.#wake !== null && this.#hasManyRecords) this.#wake()
  }

  get #hasManyRecords(): boolean {
    const { submitted, recordsBetweenCommits } = this.#options
    return submitted.completed - this.#completedAtCommit >= recordsBetweenCommits
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options
    if (this.#pauseMs !== null) return clock.sleep(this.#pauseMs, signal)
    if (this.#hasManyRecords) return throwIfStopped(signal)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(intervalMs, resolve)
    this.#wake = resolve
    try {
      await doneOr(promise, signal)
    } finally {
      timer.cancel()
      this.#wake = null
    }
  }

  /** Stores the committable offsets, after a commit in progress. False: it failed, and they remain committable. */
  commit(signal?: AbortSignal): Promise<boolean> {
    const commit = this.#last.then(() => this.#commit(signal))
    this.#last = commit
    return commit
  }

  async #commit(signal: AbortSignal | undefined): Promise<boolean> {
    const { submitted, log, clock, timeoutMs, meters, onCommitting } = this.#options
    const { completed } = submitted
    this.#completedAtCommit = completed
    const offsets = submitted.takeCommittable()
    if (offsets.size === 0) return true
    const startMs = clock.now()
    const late = clock.after(LATE_AFTER_MS, () => this.#followAcknowledged())
    try {
      onCommitting([...offsets.values()])
      const records = this.#records(offsets)
      await withTimeout(clock, timeoutMs, (limit) => log.write(records, limit), signal)
    } catch (thrown) {
      submitted.restoreCommittable(offsets)
      late.cancel()
      this.#warn(toError(thrown), signal)
      this.#onFailed()
      return false
    }
    const nowMs = clock.now()
    meters.commitMs.observe(nowMs - startMs)
    meters.commitWindow.record(nowMs - startMs, nowMs)
    this.#onStored(completed)
    await this.#notifySource([...offsets.values()])
    late.cancel()
    return true
  }

  #onStored(completed: number): void {
    this.#options.meters.commits.add(1)
    this.#isStuck = false
    this.#pauseMs = null
    this.#pauses.reset()
    this.#options.window.moveWindow(completed)
    // `commit` was possibly called from outside, while `run` waits: records acknowledged since may make one due.
    this.#wakeWhenDue()
  }

  #onFailed(): void {
    this.#options.meters.failedCommits.add(1)
    this.#pauseMs = this.#pauses.next()
    this.#followAcknowledged()
    // `commit` was possibly called from outside, while `run` waits for the interval: retry earlier.
    this.#wake?.()
  }

  #followAcknowledged(): void {
    const { submitted, window } = this.#options
    this.#isStuck = true
    window.moveWindow(submitted.completed)
  }

  /** A source that fails here does not undo the commit. */
  async #notifySource(offsets: readonly SourceOffset[]): Promise<void> {
    const { onCommitted, logger } = this.#options
    try {
      await onCommitted(offsets)
    } catch (error) {
      logger.warn('The source failed to handle the commit of its offsets', { error: toError(error) })
    }
  }

  #records(offsets: ReadonlyMap<SourcePartition, SourceOffset>): readonly TextRecord[] {
    return Array.from(offsets, ([partition, offset]) => ({
      key: offsetKey(this.#options.connectorName, partition),
      value: offsetJson(offset.toDocument()),
    }))
  }

  #warn(error: Error, signal: AbortSignal | undefined): void {
    const { logger, timeoutMs } = this.#options
    if (signal?.aborted) return
    const why =
      error instanceof StoppedError
        ? `the brokers did not acknowledge them within ${timeoutMs} ms`
        : 'the error follows'
    const message = `Offsets could not be stored (${why}). The next commit tries again; until then a restart repeats records`
    logger.warn(message, error instanceof StoppedError ? {} : { error })
  }
}
