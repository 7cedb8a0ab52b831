import type { Converter, Schema, SchemaAnnouncement } from '@tributary/connect-api'
import {
  CodedError,
  describeError,
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
  readonly #announced: SchemaAnnouncement[] = []
  #work: Promise<void> | null = null

  constructor(options: SchemaPreviewsOptions) {
    this.#options = options
  }

  announce(announcements: readonly SchemaAnnouncement[], signal: AbortSignal): void {
    const { keyConverter, valueConverter } = this.#options.converters
    if (keyConverter.preview === undefined && valueConverter.preview === undefined) return
    this.#announced.push(...announcements.slice(0, ANNOUNCED_MAX - this.#announced.length))
    if (this.#announced.length > 0) this.#work ??= this.#run(signal)
  }

  /** Resolves when all that was announced is told; never rejects. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { converters, logger } = this.#options
    // Beside the loop from here on, also what a schema is put together with.
    await nextTurn()
    try {
      for (let next = this.#announced.shift(); next !== undefined; next = this.#announced.shift()) {
        const { topic, keySchema, valueSchema } = next()
        await this.#preview(converters.keyConverter, keySchema, topic, signal)
        await this.#preview(converters.valueConverter, valueSchema, topic, signal)
      }
    } catch (error) {
      this.#announced.length = 0
      if (signal.aborted) return
      const reason = error instanceof StoppedError ? NO_ANSWER : describeError(toError(error))
      logger.info(`Whether the next schemas will be accepted cannot be said: ${reason}`)
    } finally {
      this.#work = null
    }
  }

  async #preview(converter: Converter, schema: Schema | null, topic: string, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    if (converter.preview === undefined) return
    const preview = await withTimeout(
      clock,
      ANSWER_MS_MAX,
      async (limit) => converter.preview?.(schema, topic, limit) ?? null,
      signal,
    ).catch((error: unknown) => {
      // A schema that cannot be written at all is no matter of the registry.
      if (error instanceof CodedError && !error.isRetriable) return { isAccepted: false, text: error.message }
      throw error
    })
    if (preview === null) return
    if (preview.isAccepted) logger.info(`The table behind ${topic} has changed, and so has its schema. ${preview.text}`)
    else logger.warn(`The next record for ${topic} will fail the task, since its table has changed. ${preview.text}`)
  }
}

/** A script that changes thousands of tables is not told table by table. */
const ANNOUNCED_MAX = 100
/** Four requests that a registry answers in some hundredths of a second; a record with such a schema waits as long. */
const ANSWER_MS_MAX = 3_000
const NO_ANSWER = `the registry did not answer within ${ANSWER_MS_MAX / 1000} s`
