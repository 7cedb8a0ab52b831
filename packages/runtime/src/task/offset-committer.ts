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
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import type { TextRecord } from '../storage/topic-writer.ts'
import type { SubmittedRecords } from './submitted-records.ts'

/** Where offsets are written: the offset topic, by a producer of its own, so that data that waits does not hold them up. */
export interface OffsetLog {
  /** Resolves when the records are safe; rejects with StoppedError when the signal fires first. */
  write(records: readonly TextRecord[], signal: AbortSignal): Promise<void>
}

export interface OffsetCommitterOptions {
  readonly connectorName: string
  readonly submitted: SubmittedRecords
  readonly log: OffsetLog
  /** Of the records that offsets are stored of. */
  readonly window: Pick<Producer, 'moveWindow'>
  /** Called after offsets were stored; what it throws is logged. */
  readonly onCommitted: () => Promise<void>
  /** A commit is due when so many records were acknowledged since the one before. */
  readonly recordsBetweenCommits: number
  /** A commit is due so long after the one before at the latest: `offset.flush.interval.ms`. */
  readonly intervalMs: number
  /** How long one commit may take: `offset.flush.timeout.ms`. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** A commit that takes longer holds up no records any more. */
const LATE_AFTER_MS = 1_000
/** Before the first try after a failed commit. Others follow after longer and longer ones, up to the interval. */
const FIRST_PAUSE_MS = 1_000

/**
 * Stores offsets: at an interval, earlier when many records were acknowledged since, and once more at the end. A commit that fails
 * is logged and made up for by the next one with what is newest then; it never fails the task, since every record that it stands
 * for is safe.
 *
 * It moves the producer's send window: to what is stored, so that a crash repeats no more than lies in the window; while offsets cannot
 * be stored, to what is acknowledged, since an offset topic that is away must not stop the data.
 */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions
  #last: Promise<unknown> = Promise.resolve()
  /** `submitted.completed` when the last commit began. */
  #completedAtCommit = 0
  /** The last commit has failed, or the one under way takes long: the window follows what is acknowledged. */
  #isStuck = false
  /** Of the next try, when the last commit has failed. */
  #pauseMs: number | null = null
  readonly #pauses: BackOff
  /** Ends the waiting for the interval; null while nobody waits. */
  #wake: (() => void) | null = null

  constructor(options: OffsetCommitterOptions) {
    this.#options = options
    const { intervalMs } = options
    this.#pauses = new BackOff({ initialMs: Math.min(FIRST_PAUSE_MS, intervalMs), maxMs: intervalMs })
  }

  /** Commits whenever it is due until the signal fires; a commit that is under way then is given up. */
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

  /** To be called when records were acknowledged. */
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

  /** Stores what is committable, after commits that are under way. False: it could not be, and is kept for the next one. */
  commit(signal?: AbortSignal): Promise<boolean> {
    const commit = this.#last.then(() => this.#commit(signal))
    this.#last = commit
    return commit
  }

  async #commit(signal: AbortSignal | undefined): Promise<boolean> {
    const { submitted, log, clock, timeoutMs } = this.#options
    const { completed } = submitted
    this.#completedAtCommit = completed
    const offsets = submitted.takeCommittable()
    if (offsets.size === 0) return true
    const late = clock.after(LATE_AFTER_MS, () => this.#followAcknowledged())
    try {
      const records = this.#records(offsets)
      await withTimeout(clock, timeoutMs, (limit) => log.write(records, limit), signal)
    } catch (thrown) {
      submitted.restoreCommittable(offsets)
      late.cancel()
      this.#warn(toError(thrown), signal)
      this.#onFailed()
      return false
    }
    this.#onStored(completed)
    await this.#tellSource()
    late.cancel()
    return true
  }

  #onStored(completed: number): void {
    this.#isStuck = false
    this.#pauseMs = null
    this.#pauses.reset()
    this.#options.window.moveWindow(completed)
    // This may be a commit from outside, and what came during it is beyond the window now.
    this.#wakeWhenDue()
  }

  #onFailed(): void {
    this.#pauseMs = this.#pauses.next()
    this.#followAcknowledged()
    // It may wait for the interval: the failure was one of a commit from outside.
    this.#wake?.()
  }

  #followAcknowledged(): void {
    const { submitted, window } = this.#options
    this.#isStuck = true
    window.moveWindow(submitted.completed)
  }

  /** The offsets are stored, whatever the source makes of it. */
  async #tellSource(): Promise<void> {
    const { onCommitted, logger } = this.#options
    try {
      await onCommitted()
    } catch (error) {
      logger.warn('The source failed to take note of stored offsets', { error: toError(error) })
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
      error instanceof StoppedError ? `the brokers did not acknowledge them within ${timeoutMs} ms` : 'see below'
    const message = `Offsets could not be stored (${why}). The next commit tries again; until then a restart repeats records`
    logger.warn(message, error instanceof StoppedError ? {} : { error })
  }
}
