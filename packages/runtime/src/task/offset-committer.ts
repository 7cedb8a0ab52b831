import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import { doneOr, StoppedError, throwIfStopped, toError, withTimeout, type Clock, type Logger } from '@tributary/support'
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
  /** Records are sent within a window that begins with the one of this token. */
  readonly onWindowStart: (token: number) => void
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

/**
 * Stores offsets: at an interval, earlier when many records were acknowledged since, and once more at the end. A commit that fails
 * is logged and made up for by the next one with what is newest then; it never fails the task, since every record that it stands
 * for is safe.
 *
 * It says how far records may be sent: so far beyond what is stored, that a crash repeats few of them. While offsets cannot be stored,
 * that far beyond what is acknowledged, since an offset topic that is away must not stop the data.
 */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions
  #last: Promise<unknown> = Promise.resolve()
  /** `submitted.completed` when the last commit began. */
  #completedAtCommit = 0
  /** The last commit has failed or takes long, or nobody stores offsets any more. */
  #isStuck = false
  /** Ends the waiting for the interval; null while nobody waits. */
  #wake: (() => void) | null = null

  constructor(options: OffsetCommitterOptions) {
    this.#options = options
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
    } finally {
      this.#onStuck()
    }
  }

  /** To be called when records were acknowledged. */
  onAcknowledged(): void {
    if (this.#isStuck) this.#onStuck()
    if (this.#wake !== null && this.#hasManyRecords) this.#wake()
  }

  /** After a failure the interval alone counts: one that lasts would be met, and told, a hundred times a second. */
  get #hasManyRecords(): boolean {
    const { submitted, recordsBetweenCommits } = this.#options
    return submitted.completed - this.#completedAtCommit >= recordsBetweenCommits && !this.#isStuck
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    if (this.#hasManyRecords) return throwIfStopped(signal)
    const { clock, intervalMs } = this.#options
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
    const late = clock.after(LATE_AFTER_MS, () => this.#onStuck())
    try {
      const records = this.#records(offsets)
      await withTimeout(clock, timeoutMs, (limit) => log.write(records, limit), signal)
    } catch (thrown) {
      submitted.restoreCommittable(offsets)
      this.#warn(toError(thrown), signal)
      this.#onStuck()
      return false
    } finally {
      late.cancel()
    }
    this.#onStored(completed)
    await this.#tellSource()
    return true
  }

  #onStored(completed: number): void {
    this.#isStuck = false
    this.#options.onWindowStart(completed)
  }

  #onStuck(): void {
    const { submitted, onWindowStart } = this.#options
    this.#isStuck = true
    onWindowStart(submitted.completed)
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
