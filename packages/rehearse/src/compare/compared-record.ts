import type { DecodedRecord } from './decoded-record.ts'
import { isObject, type JsonValue } from './json-value.ts'
import { kindOfPayload } from './payload-kind.ts'
import { type Place, placeOf } from './place.ts'

/** A record of one side that waits for that of the other. */
export interface ComparedRecord {
  readonly topic: string
  /** The bytes of the key in hexadecimal form, or a text that is the same on both sides. */
  readonly key: string
  /** The same on both sides, and different for the records of one key that are different events. Null: content decides. */
  readonly id: string | null
  readonly place: Place | null
  readonly decoded: DecodedRecord
  /** Of the record in the topic; of the rehearsal's record the one that it would have. Null: unknown. */
  readonly partition: number | null
  /** Null: made by the rehearsal. */
  readonly offset: bigint | null
  /** Theirs: when it was written. Ours: when the change was made. Milliseconds since 1970; null: unknown. */
  readonly timestampMs: number | null
  readonly bytes: number
}

/** Gives tombstones, which have no place of their own, that of the record of their key before them. */
export class RecordPlaces {
  /** By topic: the key, the id and the place of its last record with a value. One record, as a tombstone follows at once. */
  readonly #last = new Map<string, { readonly key: string; readonly id: string | null; readonly place: Place | null }>()

  /** @param stream topic, and partition where records are read from partitions */
  identify(
    stream: string,
    key: string,
    decoded: DecodedRecord,
  ): { readonly id: string | null; readonly place: Place | null } {
    if (decoded.value === null) {
      const last = this.#last.get(stream)
      if (last?.key !== key || last.id === null) return { id: null, place: null }
      return { id: `${last.id} tombstone`, place: last.place }
    }
    const found = identityOf(decoded.value.payload)
    this.#last.set(stream, { key, ...found })
    return found
  }
}

function identityOf(payload: JsonValue): { readonly id: string | null; readonly place: Place | null } {
  const kind = kindOfPayload(payload)
  if (!isObject(payload) || kind === 'flat') return { id: null, place: null }
  if (kind === 'transaction') return { id: JSON.stringify([payload['status'], payload['id']]), place: null }
  const place = placeOf(payload['source'])
  if (place === null) return { id: null, place: null }
  // The row of a statement is that of the event before it, in Debezium only.
  const isStatement = kind === 'statement'
  const row = isStatement ? '' : `:${place.row}`
  return { id: `${place.file}:${place.position}${row}`, place: isStatement ? { ...place, row: 0 } : place }
}
