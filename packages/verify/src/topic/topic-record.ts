import type { LogRecord } from '@tributary/kafka'
import { isObject, type JsonObject, type JsonValue, NeedsExactNumbers } from '../forms/json-value.ts'
import type { ChangePlace } from '../server/view.ts'
import type { RecordDecoder } from './record-decoder.ts'

/** What a record does to the state of its key. */
export type TopicRecord =
  | { readonly tag: 'row'; readonly key: JsonObject; readonly place: ChangePlace; readonly row: JsonObject }
  | { readonly tag: 'delete'; readonly key: JsonObject; readonly place: ChangePlace }
  | { readonly tag: 'tombstone'; readonly key: JsonObject }
  /** The table was emptied. */
  | { readonly tag: 'truncate'; readonly place: ChangePlace }
  /** It changes nothing. */
  | { readonly tag: 'other' }

export interface Decoders {
  readonly key: RecordDecoder
  readonly value: RecordDecoder
}

/**
 * Reads a record as the connectors make it: an envelope with `after`, `source` and `op`.
 *
 * @throws VERIFY_RECORD
 */
export function readRecord(record: LogRecord, { key: keys, value: values }: Decoders, isExact: boolean): TopicRecord {
  const key = keys.read(record, isExact)
  const value = values.read(record, isExact)
  if (value === null) return key === null ? { tag: 'other' } : { tag: 'tombstone', key }
  const place = placeOf(value['source'])
  if (place === null) return { tag: 'other' }
  const { op, after } = value
  if (op === 't') return { tag: 'truncate', place }
  if (key === null) return { tag: 'other' }
  if (op === 'd') return { tag: 'delete', key, place }
  return isObject(after) ? { tag: 'row', key, place, row: after } : { tag: 'other' }
}

function placeOf(source: JsonValue | undefined): ChangePlace | null {
  if (!isObject(source)) return null
  const { file, pos, gtid } = source
  if (typeof file !== 'string' || typeof pos !== 'number') return null
  return { file, position: pos, gtid: typeof gtid === 'string' ? gtid : null }
}

/** Runs work that may need the spelling of numbers: again with it, when it does. */
export function withExactNumbers<T>(work: (isExact: boolean) => T): T {
  try {
    return work(false)
  } catch (error) {
    if (!(error instanceof NeedsExactNumbers)) throw error
    return work(true)
  }
}
