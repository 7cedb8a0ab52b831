import type { SourceRecord } from '@tributary/connect-api'
import { recordSizeOf } from '@tributary/kafka'
import { describeError, type CodedError } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { offsetJson } from '../storage/offset-record.ts'
import { rowText } from './tolerance/record-text.ts'

/** The steps at which a record may fail, under Connect's names. */
export type FailedStage = 'TRANSFORMATION' | 'HEADER_CONVERTER' | 'KEY_CONVERTER' | 'VALUE_CONVERTER' | 'KAFKA_PRODUCE'

/** Where a record failed. */
export interface FailurePlace {
  readonly stage: FailedStage
  /** The class of a transformation; absent: the stage has one class only. */
  readonly className?: string
  /** True: every record with the same topic and schemas fails in the same way. */
  readonly isOfSchema?: boolean
}

/**
 * The error of a record that fails its task, unless the connector tolerates it: names the topic, the position in the
 * source, and the step that failed.
 */
export function recordFailure(failed: SourceRecord, place: FailurePlace, error: unknown): CodedError {
  const { topic, sourceOffset } = failed
  const position = offsetJson(sourceOffset.toDocument())
  // Add the key only here: a user has to find this row in its table. Other errors contain no values.
  const record = recordSizeOf(error) === null ? '' : ` (${rowText(failed)})`
  const failure = runtimeErrors.RECORD_FAILED(
    { topic, record, position, ...TEXTS[place.stage], reason: describeError(error) },
    error,
  )
  places.set(failure, place)
  return failure
}

/** Where the record of an error failed; null: it is not an error of one record. */
export function failurePlace(error: unknown): FailurePlace | null {
  return error instanceof Error ? (places.get(error) ?? null) : null
}

/** The topic of a record that a broker refused as too large, and the bytes of its batch. */
export interface RefusedRecord {
  readonly topic: string
  readonly bytes: number
}

/** The record that a broker, not the producer, has refused as too large; null: the failure has another reason. */
export function refusedRecord(error: unknown): RefusedRecord | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const size = recordSizeOf(each)
    if (size !== null) return size.limit === null ? { topic: size.topic, bytes: size.bytes } : null
  }
  return null
}

/** Beside the errors, since a coded error has no room for more than its texts. */
const places = new WeakMap<Error, FailurePlace>()

/** Connect's texts for a task with `errors.tolerance=none`, and what was done. */
const TOLERANCE_EXCEEDED = 'Tolerance exceeded in error handler'
const CONVERTED = { problem: TOLERANCE_EXCEEDED, doing: 'converted' }
const TEXTS: Readonly<Record<FailedStage, { readonly problem: string; readonly doing: string }>> = {
  TRANSFORMATION: { problem: TOLERANCE_EXCEEDED, doing: 'transformed' },
  HEADER_CONVERTER: CONVERTED,
  KEY_CONVERTER: CONVERTED,
  VALUE_CONVERTER: CONVERTED,
  KAFKA_PRODUCE: { problem: 'Unrecoverable exception from producer send callback', doing: 'sent' },
}
