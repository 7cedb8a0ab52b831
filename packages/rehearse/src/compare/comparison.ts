import { type LogRecord, partitionForKey } from '@tributary/kafka'
import type { ShadowRecord } from '@tributary/runtime'
import { type ComparedRecord, RecordPlaces, Window } from './compared-record.ts'
import { type DecodedRecord, decodeHeaders } from './decoded-record.ts'
import { reasonFor } from './deliberate.ts'
import { Pairing } from './pairing.ts'
import type { PartReader } from './part-readers.ts'
import { comparePlaces, type Place } from './place.ts'
import { RecordDifferences } from './record-differences.ts'
import { kindOfEvent, Tally } from './tally.ts'

export interface ComparisonOptions {
  readonly keys: PartReader
  readonly values: PartReader
  readonly window: Window
  /** Of a topic; null: not known yet. */
  readonly partitionsOf: (topic: string) => number | null
}

/** Compares the records of the rehearsal with those of the topics, as both arrive. */
export class Comparison {
  readonly tally: Tally = new Tally()
  readonly #options: ComparisonOptions
  readonly #pairing: Pairing
  readonly #differences: RecordDifferences
  readonly #places = { ours: new RecordPlaces(), theirs: new RecordPlaces() }
  /** The last place of a record in any topic: everything before it was sent. */
  #latest: Place | null = null

  constructor(options: ComparisonOptions) {
    this.#options = options
    this.#differences = new RecordDifferences({
      isKeyLoose: options.keys.isAvro,
      isValueLoose: options.values.isAvro,
    })
    this.#pairing = new Pairing({
      fingerprint: fingerprintOf,
      onPair: (ours, theirs, isLate) => this.#compare(ours, theirs, isLate),
    })
  }

  /** Bytes of records that wait for their counterpart. */
  get bytes(): number {
    return this.#pairing.bytes
  }

  /** Records of the rehearsal that wait for their counterpart. */
  get waiting(): number {
    return this.#pairing.count('ours')
  }

  made(record: ShadowRecord): void {
    const { topic, key, value, headers, partition, changedAtMs } = record
    const { keys, values, window } = this.#options
    const decoded = { key: keys.ours(key), value: values.ours(value), headers: decodeHeaders(headers) }
    const keyText = textOfKey(decoded)
    const identity = this.#places.ours.identify(topic, keyText, decoded)
    const compared: ComparedRecord = {
      topic,
      key: keyText,
      ...identity,
      decoded,
      partition: partition ?? this.#partitionOf(topic, key),
      offset: null,
      timestampMs: changedAtMs,
      bytes: sizeOf(key, value),
    }
    this.tally.rehearsed += 1
    window.made(compared)
    this.#pairing.add('ours', compared)
  }

  /** A record of a topic. The schemas that it needs must have been loaded. */
  found(record: LogRecord): void {
    const { topic, key, value, headers, partition, offset, timestamp } = record
    const { keys, values } = this.#options
    const decoded = { key: keys.theirs(key), value: values.theirs(value), headers: decodeHeaders(headers) }
    const keyText = textOfKey(decoded)
    const { id, place } = this.#places.theirs.identify(`${topic}\0${partition}`, keyText, decoded)
    if (place !== null) {
      if (this.#latest === null || (comparePlaces(place, this.#latest) ?? 1) > 0) this.#latest = place
    }
    const bytes = sizeOf(key, value)
    const compared = { topic, key: keyText, id, place, decoded, partition, offset, timestampMs: timestamp, bytes }
    this.#pairing.add('theirs', compared)
  }

  /** A registry's ids are part of the bytes of a key, so that its partition cannot be predicted. */
  #partitionOf(topic: string, key: Buffer | null): number | null {
    const count = this.#options.keys.isAvro || key === null ? null : this.#options.partitionsOf(topic)
    return count === null || key === null ? null : partitionForKey(key, count)
  }

  #compare(ours: ComparedRecord, theirs: ComparedRecord, isLate: boolean): void {
    const found = [...this.#differences.between(theirs, ours)]
    if (isLate)
      found.push({ kind: 'order', path: '', theirs: 'before the record of its key that precedes it', ours: undefined })
    // A stored offset may be before what was sent.
    if (theirs.place !== null && this.#options.window.isBefore(theirs.place)) {
      found.push({ kind: 'repeated', path: kindOfEvent(theirs), theirs: 'once', ours: 'again' })
    }
    this.tally.pair(theirs, found)
  }

  /** Whether a record of the rehearsal waits that the connector may still send. */
  get mayStillArrive(): boolean {
    return this.#pairing.leftovers('ours').some(({ place }) => !Window.isPassed(place, this.#latest))
  }

  /**
   * Ends the comparison: judges the records without a counterpart.
   *
   * @param isComplete whether the topics were read up to a moment at which the connector must have sent all of them
   * @returns how many records of the rehearsal the connector has not sent yet, as far as is known
   */
  finish(isComplete: (place: Place | null) => boolean): FinishedComparison {
    const { window } = this.#options
    const candidates = new Set(this.#pairing.leftovers('theirs'))
    let late = 0
    for (const ours of this.#pairing.leftovers('ours')) {
      const theirs = ours.id === null ? counterpart(ours, candidates) : null
      if (theirs !== null) {
        candidates.delete(theirs)
        this.#compare(ours, theirs, false)
      } else if (Window.isPassed(ours.place, this.#latest) || isComplete(ours.place)) {
        this.tally.single('missing', ours)
      } else {
        late += 1
      }
    }
    let unplaced = 0
    for (const theirs of candidates) {
      if (window.contains(theirs)) this.tally.single('extra', theirs)
      else if (window.isForeign(theirs.place)) unplaced += 1
      else if (theirs.place === null && this.#pairing.isPassed('theirs', theirs)) unplaced += 1
    }
    return { late, unplaced }
  }
}

export interface FinishedComparison {
  /** Records of the rehearsal that the connector may not have sent yet. */
  readonly late: number
  /** Records of topics without a known place, of which the rehearsal may or may not be expected to have a counterpart. */
  readonly unplaced: number
}

/** A record of the same key without an id that was written after the change was made. */
function counterpart(ours: ComparedRecord, candidates: ReadonlySet<ComparedRecord>): ComparedRecord | null {
  for (const theirs of candidates) {
    if (theirs.topic !== ours.topic || theirs.key !== ours.key || theirs.id !== null) continue
    if ((theirs.timestampMs ?? 0) >= (ours.timestampMs ?? Infinity) - SKEW_MS) return theirs
  }
  return null
}

/** Times of events have seconds, and clocks differ. */
const SKEW_MS = 2_000

/** Content without the fields that differ on purpose. */
function fingerprintOf({ decoded }: ComparedRecord): string {
  const payload = decoded.value?.payload ?? null
  const masked = (name: string, value: unknown): unknown => {
    const number = typeof value === 'number' ? value : undefined
    const isMasked =
      number !== undefined &&
      reasonFor({ kind: 'value', path: `value.${name}`, theirs: number, ours: number }, payload) !== null
    return isMasked ? null : value
  }
  return JSON.stringify(payload, masked)
}

/** Numbers as texts: in Avro that is read as JSON, decimals are texts. */
function textOfKey({ key }: Pick<DecodedRecord, 'key'>): string {
  if (key === null) return 'null'
  return JSON.stringify(key.payload, (_, value: unknown) => (typeof value === 'number' ? String(value) : value))
}

function sizeOf(key: Buffer | null, value: Buffer | null): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + OVERHEAD_BYTES
}

/** Objects of a record that waits. */
const OVERHEAD_BYTES = 500
