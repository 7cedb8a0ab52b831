import type { CodedError } from '@tributary/support'
import { kafkaErrors } from './errors.ts'

/** The size of a record that the producer or the broker refused, as a batch of its own. */
export interface RecordSize {
  readonly topic: string
  readonly bytes: number
  /** Null: the broker has lowered it, and did not return it. */
  readonly limit: number | null
}

/** The sizes, by error: a coded error has only texts. */
const sizes = new WeakMap<Error, RecordSize>()

/** RECORD_TOO_LARGE, from which `recordSizeOf` returns the size. */
export function recordTooLarge(values: Parameters<typeof kafkaErrors.RECORD_TOO_LARGE>[0]): CodedError {
  const error = kafkaErrors.RECORD_TOO_LARGE(values)
  sizes.set(error, {
    topic: String(values.topic),
    bytes: Number(values.bytes),
    limit: typeof values.limit === 'number' ? values.limit : null,
  })
  return error
}

/** Null: the error is not RECORD_TOO_LARGE. */
export function recordSizeOf(error: unknown): RecordSize | null {
  return error instanceof Error ? (sizes.get(error) ?? null) : null
}
