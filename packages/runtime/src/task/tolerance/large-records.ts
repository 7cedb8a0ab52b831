import type { ConfigMap, SourceRecord } from '@tributary/connect-api'
import { recordSizeOf } from '@tributary/kafka'
import type { Counter, Logger, Meter } from '@tributary/support'
import type { ErrorPolicy } from './error-policy.ts'
import { LargeFields, replacedFieldsOf } from './large-fields.ts'
import { recordPlace } from './record-text.ts'

export interface LargeRecordsOptions {
  readonly policy: Pick<ErrorPolicy, 'tooLarge'>
  /** Of the connector, with values instead of references. */
  readonly config: ConfigMap
  readonly logger: Logger
  readonly meter: Meter
}

/** Whether an error is RECORD_FAILED of a record that is too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && recordSizeOf(error.cause) !== null
}

/** So much smaller than the limit: compression is not the same for every part of a record. */
const MARGIN = 0.95

/** When the broker has not returned its limit. */
const PART_WITHOUT_LIMIT = 0.5

/**
 * Makes records fit that are too large for the brokers, if the connector wants that
 * (`errors.record.too.large=placeholder`). Every replaced field is named in a header of the record, counted, and
 * logged.
 */
export class LargeRecords {
  readonly #replaced: Counter
  readonly #options: LargeRecordsOptions
  readonly #fields: LargeFields

  constructor(options: LargeRecordsOptions) {
    this.#options = options
    this.#fields = new LargeFields(options.config)
    this.#replaced = options.meter.counter('records.tooLarge.replaced')
  }

  /**
   * Returns a smaller record after a refusal; null: the refusal has another reason, the connector does not want that, or
   * nothing is left to replace.
   *
   * @param error RECORD_FAILED of the record
   */
  smaller(record: SourceRecord, error: unknown): SourceRecord | null {
    if (this.#options.policy.tooLarge !== 'placeholder') return null
    const size = recordSizeOf(error instanceof Error ? error.cause : null)
    if (size === null) return null
    const part = size.limit === null ? PART_WITHOUT_LIMIT : (size.limit / size.bytes) * MARGIN
    return this.#fields.shrink(record, part)
  }

  /** A smaller record was sent instead of the one that was refused with the error. */
  onSent(record: SourceRecord, error: unknown): void {
    this.#replaced.add(1)
    const fields = replacedFieldsOf(record)
    const size = recordSizeOf(error instanceof Error ? error.cause : null)
    this.#options.logger.warn(
      `A record was too large (${size?.bytes ?? 0} bytes), and has placeholders instead of values in the fields ${fields}: ${recordPlace(record)} (errors.record.too.large=placeholder)`,
    )
  }
}
