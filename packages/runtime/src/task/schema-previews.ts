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
import type { Converters } from './prepare-ahead.ts'

export interface SchemaPreviewsOptions {
  readonly converters: Converters
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Tells the log what will become of schemas before a record has them: a change of a table that the registry will refuse is told when
 * the change is read, which may be long before the next row, and in any case before the task fails on it.
 *
 * It runs beside the task's loop and changes nothing. A registry that does not answer ends it for the schemas announced so far: their
 * records meet it again.
 */
export class SchemaPreviews {
  readonly #options: SchemaPreviewsOptions
  /** By what has changed, in the order of the changes: of several changes the last one counts. */
  readonly #announced = new Map<string, SchemaAnnouncement>()
  /** Announcements that found no room. */
  #passedOver = 0
  #work: Promise<void> | null = null
  /** Somebody has waited for the work in vain. */
  #isLate = false

  constructor(options: SchemaPreviewsOptions) {
    this.#options = options
  }

  announce(announcements: readonly SchemaAnnouncement[], signal: AbortSignal): void {
    const { keyConverter, valueConverter } = this.#options.converters
    if (keyConverter.checkCompatibility === undefined && valueConverter.checkCompatibility === undefined) return
    for (const announcement of announcements) {
      this.#announced.delete(announcement.source)
      if (this.#announced.size < ANNOUNCED_MAX) this.#announced.set(announcement.source, announcement)
      else this.#passedOver++
    }
    if (this.#announced.size > 0) this.#work ??= this.#run(signal)
  }

  /** Resolves when all that was announced is told; never rejects. */
  async settled(): Promise<void> {
    await this.#work
  }

  /**
   * Resolves when all that was announced is told, or that takes so long that records go on without it: they are held up once, however
   * many there are.
   *
   * @throws StoppedError when the signal fires
   */
  async toldOrLate(signal: AbortSignal): Promise<void> {
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
    // Beside the loop from here on, also what a schema is put together with.
    await nextTurn()
    try {
      for (let next = this.#take(); next !== null; next = this.#take()) {
        const { topic, keySchema, valueSchema } = next.schemas()
        await this.#preview(converters.keyConverter, keySchema, topic, signal)
        await this.#preview(converters.valueConverter, valueSchema, topic, signal)
      }
    } catch (error) {
      this.#announced.clear()
      if (!signal.aborted) this.#tellFailure(error)
    } finally {
      if (this.#passedOver > 0 && !signal.aborted) {
        logger.info(
          `Whether the next schemas of ${this.#passedOver} more changes will be accepted is not looked at: ${ANNOUNCED_MAX} are at a time`,
        )
      }
      this.#passedOver = 0
      this.#isLate = false
      this.#work = null
    }
  }

  #take(): SchemaAnnouncement | null {
    const [first = null] = this.#announced.values()
    if (first !== null) this.#announced.delete(first.source)
    return first
  }

  #tellFailure(error: unknown): void {
    const { logger } = this.#options
    if (error instanceof CodedError || error instanceof StoppedError) {
      const reason = error instanceof StoppedError ? NO_ANSWER : describeError(error)
      logger.info(`Whether the next schemas will be accepted cannot be said: ${reason}`)
    } else {
      logger.error('Looking whether the next schemas will be accepted has failed; this is a fault of Tributary', {
        error: toError(error),
      })
    }
  }

  async #preview(converter: Converter, schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    if (converter.checkCompatibility === undefined) return
    const preview = await withTimeout(
      clock,
      ANSWER_MS_MAX,
      async (limit) => converter.checkCompatibility?.(schema, topic, limit) ?? null,
      signal,
    )
    if (preview === null) return
    if (preview.isAccepted) logger.info(`The table behind ${topic} has changed, and so has its schema. ${preview.text}`)
    else logger.warn(`The next record for ${topic} would fail the task, since its table has changed. ${preview.text}`)
  }
}

/** A script that changes thousands of tables is not told table by table. */
const ANNOUNCED_MAX = 100
/** Four requests that a registry answers in some hundredths of a second; records with new schemas wait as long for all previews. */
const ANSWER_MS_MAX = 3_000
const NO_ANSWER = `the registry did not answer within ${ANSWER_MS_MAX / 1000} s`
