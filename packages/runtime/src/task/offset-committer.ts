import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import { StoppedError, toError, withTimeout, type Clock, type Logger } from '@tributary/support'
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
  /** Called after offsets were stored; what it throws is logged. */
  readonly onCommitted: () => Promise<void>
  /** `offset.flush.interval.ms` */
  readonly intervalMs: number
  /** How long one commit may take: `offset.flush.timeout.ms`. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Stores offsets: at an interval, and once more at the end. A commit that fails is logged and tried again at the next
 * interval with what is newest then; it never fails the task, since every record that it stands for is safe.
 */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: OffsetCommitterOptions) {
    this.#options = options
  }

  /** Commits at the interval until the signal fires; a commit that is under way then is given up. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options
    try {
      for (;;) {
        await clock.sleep(intervalMs, signal)
        await this.commit(signal)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
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
    const offsets = submitted.takeCommittable()
    if (offsets.size === 0) return true
    try {
      const records = this.#records(offsets)
      await withTimeout(clock, timeoutMs, (limit) => log.write(records, limit), signal)
    } catch (thrown) {
      submitted.restoreCommittable(offsets)
      this.#warn(toError(thrown), signal)
      return false
    }
    await this.#tellSource()
    return true
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
