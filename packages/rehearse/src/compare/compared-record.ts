import type { DecodedRecord } from './decoded-record.ts'
import { isObject, type JsonObject } from './json-value.ts'
import { comparePlaces, type Place, placeOf } from './place.ts'

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
    const { payload } = decoded.value
    const found = isObject(payload) ? identityOf(payload) : { id: null, place: null }
    this.#last.set(stream, { key, ...found })
    return found
  }
}

function identityOf(payload: JsonObject): { readonly id: string | null; readonly place: Place | null } {
  const place = placeOf(payload['source'])
  if (place !== null) {
    // The row of a statement is that of the event before it, in Debezium only.
    const row = 'ddl' in payload ? '' : `:${place.row}`
    return { id: `${place.file}:${place.position}${row}`, place: 'ddl' in payload ? { ...place, row: 0 } : place }
  }
  const { status, id } = payload
  const isTransaction = typeof status === 'string' && typeof id === 'string'
  return { id: isTransaction ? `${status} ${id}` : null, place: null }
}

/** What is known about where the rehearsal began and ended. */
export class Window {
  readonly #from: Place | null
  /** The offset is within a transaction: which of its records are before it cannot be told from their places. */
  readonly #isWithin: boolean
  readonly #startMs: number
  #first: Place | null = null
  #last: Place | null = null

  constructor({ from, isWithin, startMs }: { from: Place | null; isWithin: boolean; startMs: number }) {
    this.#from = from
    this.#isWithin = isWithin
    this.#startMs = startMs
  }

  /** Called with each record of the rehearsal. */
  made({ place }: ComparedRecord): void {
    if (place === null) return
    this.#first ??= place
    this.#last = place
  }

  /** Whether a record of the topic is before the offset: it has no counterpart. */
  isBefore(place: Place): boolean {
    const order = this.#from === null ? null : comparePlaces(place, this.#from)
    return order !== null && order < 0
  }

  /** Whether a place is in the binary log of another server, so that nothing is known about it. */
  isForeign(place: Place | null): boolean {
    const known = this.#last ?? this.#from
    return place !== null && known !== null && comparePlaces(place, known) === null
  }

  /** Whether the rehearsal must have made a record of the topic. */
  contains({ place, timestampMs }: ComparedRecord): boolean {
    if (place === null) return false
    const [from, first, last] = [this.#from, this.#first, this.#last]
    if (last === null || !isAtMost(place, last)) return false
    // What Kafka Connect sends after it has stored an offset is after that offset.
    if (timestampMs !== null && timestampMs > this.#startMs + SKEW_MS) return true
    if (from === null) return false
    const start = this.#isWithin ? first : from
    const order = start === null ? null : comparePlaces(place, start)
    return order !== null && order > 0
  }

  /** Whether the other side has passed the place of a record: it has sent a later one. */
  static isPassed(place: Place | null, latest: Place | null): boolean {
    const order = place === null || latest === null ? null : comparePlaces(place, latest)
    return order !== null && order < 0
  }
}

/** By so much clocks may differ. */
const SKEW_MS = 5_000

function isAtMost(place: Place, last: Place): boolean {
  const order = comparePlaces(place, last)
  return order !== null && order <= 0
}
