import type { ComparedRecord } from './compared-record.ts'
import { comparePlaces, type Place } from './place.ts'

/** The meaning of a record on a topic that the rehearsal has not made. */
export type Standing =
  /** The record is before the offset, or after the end: the rehearsal need not make it. */
  | 'outside'
  /** The rehearsal had to make it. */
  | 'inside'
  /** It was written while the rehearsal ran, after the last record that the rehearsal has made. */
  | 'unreached'
  /** The record has no place, or one in the binary log of another server: its meaning is unknown. */
  | 'unplaced'

export interface WindowOptions {
  /** The place of the stored offset; null: it has none. */
  readonly from: Place | null
  /** The offset is within a transaction: the places of its records do not show which ones are before the offset. */
  readonly isWithin: boolean
  /** When the offset was read, in milliseconds since 1970. */
  readonly startMs: number
}

/** The begin and the end of the rehearsal, as far as they are known. */
export class Window {
  readonly #options: WindowOptions
  #first: Place | null = null
  #last: Place | null = null
  #endMs = Infinity

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** Called with each record of the rehearsal. */
  made({ place }: ComparedRecord): void {
    if (place === null) return
    this.#first ??= place
    this.#last = place
  }

  /** The source is no longer read, since a time in milliseconds since 1970. */
  end(atMs: number): void {
    this.#endMs = Math.min(this.#endMs, atMs)
  }

  /** Whether a record of the topic is before the offset: it has no counterpart. */
  isBefore(place: Place): boolean {
    const { from } = this.#options
    const order = from === null ? null : comparePlaces(place, from)
    return order !== null && order < 0
  }

  /** Whether a record of the topic is after all that the rehearsal will ever have made. */
  isAfterEnd(place: Place): boolean {
    if (this.#endMs === Infinity || this.#last === null) return false
    return (comparePlaces(place, this.#last) ?? 0) > 0
  }

  /** @param isBetween whether records before and after it in its partition have counterparts */
  standing(record: ComparedRecord, isBetween: boolean): Standing {
    if (record.place === null) {
      if (isBetween) return 'inside'
      return this.#isMeanwhile(record) ? 'unplaced' : 'outside'
    }
    if (this.#isForeign(record.place)) return 'unplaced'
    if (this.#contains(record.place, record)) return 'inside'
    const order = this.#last === null ? 1 : (comparePlaces(record.place, this.#last) ?? 1)
    return order > 0 && this.#isMeanwhile(record) && !this.isBefore(record.place) ? 'unreached' : 'outside'
  }

  /** Whether the record was certainly written while the source was read, although clocks differ. */
  #isMeanwhile({ timestampMs }: ComparedRecord): boolean {
    if (timestampMs === null) return true
    return this.#isAfterStart(timestampMs) && timestampMs <= this.#endMs - SKEW_MS
  }

  #isAfterStart(timestampMs: number): boolean {
    return timestampMs > this.#options.startMs + SKEW_MS
  }

  #isForeign(place: Place): boolean {
    const known = this.#last ?? this.#options.from
    return known !== null && comparePlaces(place, known) === null
  }

  #contains(place: Place, { timestampMs }: ComparedRecord): boolean {
    const [{ from, isWithin }, first, last] = [this.#options, this.#first, this.#last]
    if (last === null || !isAtMost(place, last)) return false
    // What Kafka Connect sends after it has stored an offset is after that offset.
    if (timestampMs !== null && this.#isAfterStart(timestampMs)) return true
    if (from === null) return false
    const start = isWithin ? first : from
    const order = start === null ? null : comparePlaces(place, start)
    return order !== null && order > 0
  }
}

/** The largest difference between clocks. */
const SKEW_MS = 5_000

function isAtMost(place: Place, last: Place): boolean {
  const order = comparePlaces(place, last)
  return order !== null && order <= 0
}

/** Whether the other side has passed the place of a record: it has sent a later one. */
export function isPlacePassed(place: Place | null, latest: Place | null): boolean {
  const order = place === null || latest === null ? null : comparePlaces(place, latest)
  return order !== null && order < 0
}
