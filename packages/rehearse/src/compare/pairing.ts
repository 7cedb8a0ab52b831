import type { ComparedRecord } from './compared-record.ts'

export type SideName = 'ours' | 'theirs'

interface Waiting {
  readonly record: ComparedRecord
  readonly fingerprint: string
  /** A later record of its key was paired. */
  isPassed: boolean
}

export interface PairingOptions {
  /** Of records without an id: equal for records with the same content. */
  readonly fingerprint: (record: ComparedRecord) => string
  /** `isLate`: a later record of the key was paired before, so that the order differs. */
  readonly onPair: (ours: ComparedRecord, theirs: ComparedRecord, isLate: boolean) => void
}

/**
 * Finds for each record of one side that of the other with the same topic, key and id, or without an id the same
 * content. Keeps only records that have none yet.
 *
 * Both sides have the records of a key in their order, so the record that waits longest is nearly always the one.
 */
export class Pairing {
  readonly #options: PairingOptions
  readonly #waiting: Record<SideName, Map<string, Waiting[]>> = { ours: new Map(), theirs: new Map() }
  readonly #counts: Record<SideName, number> = { ours: 0, theirs: 0 }
  #bytes = 0

  constructor(options: PairingOptions) {
    this.#options = options
  }

  /** Bytes of the records that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Records of a side that wait. */
  count(side: SideName): number {
    return this.#counts[side]
  }

  add(side: SideName, record: ComparedRecord): void {
    const other: SideName = side === 'ours' ? 'theirs' : 'ours'
    const fingerprint = record.id ?? this.#options.fingerprint(record)
    const queueKey = `${record.topic}\0${record.key}`
    const candidates = this.#waiting[other].get(queueKey)
    const found = candidates?.findIndex((each) => each.fingerprint === fingerprint) ?? -1
    const waiting = candidates?.[found]
    if (candidates === undefined || waiting === undefined) {
      this.#keep(side, queueKey, { record, fingerprint, isPassed: false })
      return
    }
    for (const earlier of candidates.slice(0, found)) earlier.isPassed = true
    candidates.splice(found, 1)
    if (candidates.length === 0) this.#waiting[other].delete(queueKey)
    this.#counts[other] -= 1
    this.#bytes -= waiting.record.bytes
    for (const earlier of this.#waiting[side].get(queueKey) ?? []) earlier.isPassed = true
    const [ours, theirs] = side === 'ours' ? [record, waiting.record] : [waiting.record, record]
    this.#options.onPair(ours, theirs, waiting.isPassed)
  }

  #keep(side: SideName, queueKey: string, waiting: Waiting): void {
    const queue = this.#waiting[side].get(queueKey)
    if (queue === undefined) this.#waiting[side].set(queueKey, [waiting])
    else queue.push(waiting)
    this.#counts[side] += 1
    this.#bytes += waiting.record.bytes
  }

  /** What waits, in the order of arrival for each key. */
  leftovers(side: SideName): readonly ComparedRecord[] {
    return [...this.#waiting[side].values()].flat().map(({ record }) => record)
  }

  /** Whether a later record of its key was paired. */
  isPassed(side: SideName, record: ComparedRecord): boolean {
    const queue = this.#waiting[side].get(`${record.topic}\0${record.key}`) ?? []
    return queue.find((each) => each.record === record)?.isPassed ?? false
  }
}
