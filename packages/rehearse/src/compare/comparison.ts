import { type LogRecord, partitionForKey } from '@tributary/kafka'
import type { ShadowRecord } from '@tributary/runtime'
import { nextTurn } from '@tributary/support'
import { type ComparedRecord, RecordPlaces } from './compared-record.ts'
import { type DecodedRecord, decodeHeaders } from './decoded-record.ts'
import { contentOf } from './deliberate.ts'
import { keyOfQueue, Pairing, type Waiting } from './pairing.ts'
import type { PartReader } from './part-readers.ts'
import { comparePlaces, type Place } from './place.ts'
import { RecordDifferences } from './record-differences.ts'
import { kindOfEvent, Tally } from './tally.ts'
import { isPlacePassed, type Window } from './window.ts'

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

  /** Waiting records before the offset, by topic. */
  readonly #early = new Map<string, Waiting[]>()
  /** Records after the end that were not kept. */
  #unreached = 0

  constructor(options: ComparisonOptions) {
    this.#options = options
    this.#differences = new RecordDifferences({
      isKeyLoose: options.keys.isAvro,
      isValueLoose: options.values.isAvro,
    })
    this.#pairing = new Pairing({
      fingerprint: ({ decoded }) => contentOf(decoded.value?.payload ?? null),
      onPair: (ours, theirs, isLate) => this.#compare(ours, theirs, isLate),
    })
  }

  /** Bytes of records that wait for their counterpart. */
  get bytes(): { readonly ours: number; readonly theirs: number } {
    return { ours: this.#pairing.bytes('ours'), theirs: this.#pairing.bytes('theirs') }
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
    const { keys, values, window } = this.#options
    const decoded = { key: keys.theirs(key), value: values.theirs(value), headers: decodeHeaders(headers) }
    const keyText = textOfKey(decoded)
    const { id, place } = this.#places.theirs.identify(`${topic}\0${partition}`, keyText, decoded)
    if (place !== null) {
      if (this.#latest === null || (comparePlaces(place, this.#latest) ?? 1) > 0) this.#latest = place
    }
    const bytes = sizeOf(key, value)
    const compared = { topic, key: keyText, id, place, decoded, partition, offset, timestampMs: timestamp, bytes }
    if (place !== null && window.isAfterEnd(place)) {
      if (window.standing(compared, false) === 'unreached') this.#unreached += 1
      return
    }
    const waiting = this.#pairing.add('theirs', compared)
    if (waiting !== null && place !== null && window.isBefore(place)) this.#keepEarly(waiting)
  }

  /** Keeps few records before the offset: the rehearsal begins there, and repeats only the last ones at most. */
  #keepEarly(waiting: Waiting): void {
    const { topic } = waiting.record
    const early = this.#early.get(topic) ?? []
    this.#early.set(topic, early)
    early.push(waiting)
    const oldest = early.length > EARLY_MAX ? early.shift() : undefined
    if (oldest !== undefined) this.#pairing.remove('theirs', oldest)
  }

  /** A registry's ids are part of the bytes of a key, so that its partition cannot be predicted. */
  #partitionOf(topic: string, key: Buffer | null): number | null {
    const count = this.#options.partitionsOf(topic)
    if (count === null || count === 1) return count === null ? null : 0
    return this.#options.keys.isAvro || key === null ? null : partitionForKey(key, count)
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
    for (const ours of this.#pairing.waiting('ours')) if (!this.#isPassed(ours)) return true
    return false
  }

  /** Kafka Connect has sent a later record. */
  #isPassed(ours: Waiting): boolean {
    return isPlacePassed(ours.record.place, this.#latest) || this.#pairing.isPassed(ours)
  }

  /**
   * Ends the comparison: judges the records without a counterpart.
   *
   * @param isComplete whether the topics were read up to a moment at which the connector must have sent all of them
   */
  async finish(isComplete: (place: Place | null) => boolean): Promise<FinishedComparison> {
    const late = await this.#judgeOurs(isComplete)
    return { late, ...(await this.#judgeTheirs()) }
  }

  /** @returns how many records the connector may not have sent yet */
  async #judgeOurs(isComplete: (place: Place | null) => boolean): Promise<number> {
    const candidates = new Candidates(this.#pairing)
    let late = 0
    for (const [i, ours] of this.#pairing.leftovers('ours').entries()) {
      if (i % JUDGED_PER_TURN === 0) await nextTurn()
      const { record } = ours
      const theirs = record.id === null ? candidates.take(ours) : null
      if (theirs !== null) {
        this.#pairing.remove('ours', ours)
        this.#pairing.remove('theirs', theirs)
        this.#compare(record, theirs.record, false)
      } else if (this.#isPassed(ours) || isComplete(record.place)) {
        this.tally.single('missing', record)
      } else {
        late += 1
      }
    }
    return late
  }

  async #judgeTheirs(): Promise<Omit<FinishedComparison, 'late'>> {
    const counts = { unplaced: 0, unreached: this.#unreached }
    for (const [i, theirs] of this.#pairing.leftovers('theirs').entries()) {
      if (i % JUDGED_PER_TURN === 0) await nextTurn()
      const standing = this.#options.window.standing(theirs.record, this.#pairing.isBetween(theirs))
      if (standing === 'inside') this.tally.single('extra', theirs.record)
      else if (standing !== 'outside') counts[standing] += 1
    }
    return counts
  }
}

/** Statements and rows of one topic before the offset. */
const EARLY_MAX = 500

/** So that a command with many records still reacts to Ctrl-C. */
const JUDGED_PER_TURN = 1_000

export interface FinishedComparison {
  /** Records of the rehearsal that the connector may not have sent yet. */
  readonly late: number
  /**
   * Records of topics without a known place, of which the rehearsal may or may not be expected to have a counterpart.
   */
  readonly unplaced: number
  /** Records that Kafka Connect wrote while the rehearsal ran, beyond the last one that the rehearsal made. */
  readonly unreached: number
}

/** Records of topics without an id, and without a counterpart of the same content. */
class Candidates {
  readonly #pairing: Pairing
  readonly #queues: ReadonlyMap<string, Waiting[]>

  constructor(pairing: Pairing) {
    this.#pairing = pairing
    const unnamed = pairing.leftovers('theirs').filter(({ record }) => record.id === null)
    this.#queues = Map.groupBy(unnamed, ({ record }) => keyOfQueue(record))
  }

  /** The first record that may have the same event as a record of the rehearsal, with other content. */
  take(ours: Waiting): Waiting | null {
    const queue = this.#queues.get(keyOfQueue(ours.record)) ?? []
    const index = queue.slice(0, CANDIDATES_MAX).findIndex((theirs) => this.#pairing.isPossible(ours, theirs))
    return index < 0 ? null : (queue.splice(index, 1)[0] ?? null)
  }
}

/** The limit of records of one key to search: all records of a table without a key have the same key. */
const CANDIDATES_MAX = 100

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
