import type { ConfigMap, SourceRecord } from '@tributary/connect-api'
import { recordSizeOf } from '@tributary/kafka'
import type { Counter, Logger, Meter } from '@tributary/support'
import type { ErrorPolicy } from './error-policy.ts'
import { LargeFields, replacedFieldsOf } from './large-fields.ts'
import { recordPlace } from './record-text.ts'

export interface LargeRecordsOptions {
  readonly policy: Pick<ErrorPolicy, 'tooLarge'>
  /** The configuration of the connector, with values instead of references. */
  readonly config: ConfigMap
  readonly logger: Logger
  readonly meter: Meter
}

/** Whether the error is RECORD_FAILED because the record is too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && recordSizeOf(error.cause) !== null
}

/** The target size, as a share of the limit: compression differs between the parts of a record. */
const MARGIN = 0.95

/** The share to keep if the broker has not returned its limit. */
const PART_WITHOUT_LIMIT = 0.5

/**
 * Shrinks records that are too large for the brokers, if the connector is configured so
 * (`errors.record.too.large=placeholder`). A header of the record names the replaced fields, and each such record is
 * counted and logged.
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
   * Returns a smaller record after a refusal; null: the refusal has another reason, the connector is configured
   * otherwise, or no field is left to replace.
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

  /** Called when a smaller record was sent instead of the one that was refused with the error. */
  onSent(record: SourceRecord, error: unknown): void {
    this.#replaced.add(1)
    const fields = replacedFieldsOf(record)
    const size = recordSizeOf(error instanceof Error ? error.cause : null)
    this.#options.logger.warn(
      `A record was too large (${size?.bytes ?? 0} bytes), and has placeholders instead of values in the fields ${fields}: ${recordPlace(record)} (errors.record.too.large=placeholder)`,
    )
  }
}
