import type { LogRecord } from '@tributary/kafka'
import type { ViewPlace } from '../server/view.ts'
import { KEY, type KeyMap } from '../state/key-map.ts'
import type { Hash64 } from '../state/row-hash.ts'
import type { TablePlan } from '../table-plan.ts'
import { type Decoders, readRecord, type TopicRecord, withExactNumbers } from './topic-record.ts'

/** Which keys this pass is about: those whose hash ends with these bits. */
export interface Share {
  readonly bits: number
  readonly residue: number
}

export function isInShare({ bits, residue }: Share, high: number): boolean {
  return ((high >>> SHARE_SHIFT) & ((1 << bits) - 1)) === residue
}

/** The lowest bits of the hash choose the part of the map. */
const SHARE_SHIFT = 8

export interface TopicStateOptions {
  readonly plan: TablePlan
  readonly decoders: Decoders
  readonly map: KeyMap
  readonly place: ViewPlace
  readonly tombstonesOnDelete: boolean
  /**
   * Ends of the partitions before the view was opened. What precedes them was committed before: also records whose
   * place is in the binlog of an earlier server.
   */
  readonly endsBefore: ReadonlyMap<number, bigint>
  readonly isWanted: (high: number) => boolean
}

/** The state of the keys of a topic at the place of a view: of each key the last record, deletes applied. */
export class TopicState {
  readonly #options: TopicStateOptions
  readonly #key: Hash64 = { low: 0, high: 0 }
  readonly #row: Hash64 = { low: 0, high: 0 }
  /** Of each partition: what the last record before a tombstone was. */
  readonly #last = new Map<number, 'contained' | 'unknown' | 'later'>()
  /** Of each partition: the first record that the view may not contain. */
  readonly #resume = new Map<number, bigint>()
  truncations = 0

  constructor(options: TopicStateOptions) {
    this.#options = options
  }

  /** From where the partitions have to be read for a later view. */
  resumeFrom(ends: ReadonlyMap<number, bigint>): ReadonlyMap<number, bigint> {
    return new Map([...ends].map(([partition, end]) => [partition, this.#resume.get(partition) ?? end]))
  }

  apply(record: LogRecord): void {
    withExactNumbers((isExact) => this.#apply(record, readRecord(record, this.#options.decoders, isExact)))
  }

  #apply(record: LogRecord, read: TopicRecord): void {
    const containment = this.#containmentOf(record, read)
    this.#last.set(record.partition, containment)
    if (containment !== 'contained') {
      if (!this.#resume.has(record.partition)) this.#resume.set(record.partition, record.offset)
    }
    if (read.tag === 'other' || containment === 'later') return
    if (read.tag === 'truncate') {
      this.truncations += 1
      this.#options.map.clearRows()
      return
    }
    const { plan, map, isWanted } = this.#options
    const texts = plan.keyOfRecord(read.key)
    // A key without the fields of the table's: of an earlier definition.
    if (texts === null) return
    plan.hashKey(texts, this.#key)
    if (!isWanted(this.#key.high)) return
    if (read.tag === 'row') plan.hashRecord(read.row, this.#row)
    map.add(this.#key)
    this.#put(record, read.tag, containment === 'unknown')
  }

  /** A tombstone has no place: it follows the delete that it belongs to. */
  #containmentOf({ partition, offset }: LogRecord, read: TopicRecord): 'contained' | 'unknown' | 'later' {
    if (read.tag === 'tombstone' || read.tag === 'other') return this.#last.get(partition) ?? 'contained'
    const containment = this.#options.place.containmentOf(read.place)
    const isOld = offset < (this.#options.endsBefore.get(partition) ?? 0n)
    return containment === 'later' && isOld ? 'contained' : containment
  }

  #put({ partition, offset }: LogRecord, tag: 'row' | 'delete' | 'tombstone', isUncertain: boolean): void {
    const { part, slot } = this.#options.map
    let flags = part.flags[slot] as number
    if (part.offset[slot] !== -1 && part.partition[slot] !== partition) flags |= KEY.mixed
    if (isUncertain) {
      part.flags[slot] = flags | KEY.uncertain
      if (part.offset[slot] !== -1) return
    } else if (tag === 'row') {
      part.flags[slot] = (flags & ~KEY.awaitsTombstone) | KEY.live
      part.rowLow[slot] = this.#row.low
      part.rowHigh[slot] = this.#row.high
    } else {
      const awaits = tag === 'delete' && this.#options.tombstonesOnDelete ? KEY.awaitsTombstone : 0
      part.flags[slot] = (flags & ~(KEY.live | KEY.awaitsTombstone)) | awaits
    }
    part.offset[slot] = Number(offset)
    part.partition[slot] = partition
  }
}
