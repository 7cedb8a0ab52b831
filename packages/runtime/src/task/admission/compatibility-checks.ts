import type { Converter, Schema, SchemaAnnouncement } from '@tributary/connect-api'
import {
  CodedError,
  describeError,
  doneOr,
  nextTurn,
  StoppedError,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import type { Converters } from './registrations.ts'

export interface CompatibilityChecksOptions {
  readonly converters: Converters
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Logs whether the registry will accept the schemas of changed tables, as soon as the change is read: that may be long
 * before the next row, and is in any case before the task fails on it.
 *
 * The checks run beside the task's loop and register nothing. When the registry does not answer, the announced schemas
 * are not checked; their records will wait for the registry.
 */
export class CompatibilityChecks {
  readonly #options: CompatibilityChecksOptions
  /** By changed table, in the order of the changes: the last of several changes counts. */
  readonly #announced = new Map<string, SchemaAnnouncement>()
  /** Announcements beyond the limit. */
  #ignored = 0
  #work: Promise<void> | null = null
  /** A record has waited for the current work up to the limit. */
  #isLate = false

  constructor(options: CompatibilityChecksOptions) {
    this.#options = options
  }

  announce(announcements: readonly SchemaAnnouncement[], signal: AbortSignal): void {
    const { keyConverter, valueConverter } = this.#options.converters
    if (keyConverter.checkCompatibility === undefined && valueConverter.checkCompatibility === undefined) return
    for (const announcement of announcements) {
      this.#announced.delete(announcement.source)
      if (this.#announced.size < ANNOUNCED_MAX) this.#announced.set(announcement.source, announcement)
      else this.#ignored++
    }
    if (this.#announced.size > 0) this.#work ??= this.#run(signal)
  }

  /** Resolves when no check is in progress; never rejects. */
  async settled(): Promise<void> {
    await this.#work
  }

  /**
   * Resolves when the announced schemas are checked, or at a limit: records wait for the checks once, however many
   * checks there are.
   *
   * @throws StoppedError when the signal fires
   */
  async settledOrLate(signal: AbortSignal): Promise<void> {
    const work = this.#work
    if (work === null || this.#isLate) return
    try {
      await withTimeout(this.#options.clock, ANSWER_MS_MAX, (limit) => doneOr(work, limit), signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof StoppedError)) throw error
      this.#isLate = this.#work === work
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { converters, logger } = this.#options
    // From here on, the check runs beside the loop, and so does building the schemas.
    await nextTurn()
    try {
      for (let next = this.#take(); next !== null; next = this.#take()) {
        const { topic, keySchema, valueSchema } = next.schemas()
        await this.#check(converters.keyConverter, keySchema, topic, signal)
        await this.#check(converters.valueConverter, valueSchema, topic, signal)
      }
    } catch (error) {
      this.#announced.clear()
      if (!signal.aborted) this.#logFailure(error)
    } finally {
      if (this.#ignored > 0 && !signal.aborted) {
        logger.info(
          `The schemas of ${this.#ignored} more changed tables are not checked with the registry: the limit is ${ANNOUNCED_MAX} at a time`,
        )
      }
      this.#ignored = 0
      this.#isLate = false
      this.#work = null
    }
  }

  #take(): SchemaAnnouncement | null {
    const [first = null] = this.#announced.values()
    if (first !== null) this.#announced.delete(first.source)
    return first
  }

  #logFailure(error: unknown): void {
    const { logger } = this.#options
    if (error instanceof CodedError || error instanceof StoppedError) {
      const reason = error instanceof StoppedError ? NO_ANSWER : describeError(error)
      logger.info(`The schemas of changed tables could not be checked with the registry: ${reason}`)
    } else {
      logger.error('Checking the schemas of changed tables has failed; this is a bug of Tributary', {
        error: toError(error),
      })
    }
  }

  async #check(converter: Converter, schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    if (converter.checkCompatibility === undefined) return
    const compatibility = await withTimeout(
      clock,
      ANSWER_MS_MAX,
      async (limit) => converter.checkCompatibility?.(schema, topic, limit) ?? null,
      signal,
    )
    if (compatibility === null) return
    if (compatibility.isAccepted)
      logger.info(`The table of topic ${topic} has changed, and so has its schema. ${compatibility.text}`)
    else
      logger.warn(
        `The next record for ${topic} would fail the task, since its table has changed. ${compatibility.text}`,
      )
  }
}

/** A script that changes thousands of tables does not fill the log. */
const ANNOUNCED_MAX = 100
/** For four requests, which a registry answers in some hundredths of a second each. Also limits the wait of records. */
const ANSWER_MS_MAX = 3_000
const NO_ANSWER = `the registry did not answer within ${ANSWER_MS_MAX / 1000} s`
