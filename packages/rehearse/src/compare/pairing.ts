import type { ComparedRecord } from './compared-record.ts'

export type SideName = 'ours' | 'theirs'

/** A record without a counterpart. */
export interface Waiting {
  readonly record: ComparedRecord
  readonly fingerprint: string
  /** Greater for later records. Theirs: the offset in the partition; ours: a count. */
  readonly order: number
}

export interface PairingOptions {
  /** Of records without an id: equal for records with the same content. */
  readonly fingerprint: (record: ComparedRecord) => string
  /** `isLate`: a later record of the key in the same partition was paired before, so that the order differs. */
  readonly onPair: (ours: ComparedRecord, theirs: ComparedRecord, isLate: boolean) => void
}

/** The last pair of a partition. */
interface Bounds {
  ours: number
  theirs: number
}

/**
 * The waiting records of one key in one topic. It exists only while a record waits: later ones have a greater order.
 */
interface Queue {
  readonly waiting: Record<SideName, Map<string, Waiting[]>>
  readonly bounds: Map<number | null, Bounds>
  size: number
}

/** The pairs of one partition of a topic. */
interface PartitionPairs {
  oursLast: number
  theirsFirst: number
  theirsLast: number
}

/**
 * Finds for each record of one side that of the other with the same topic, key and id, or without an id the same
 * content. Keeps only records that have none yet.
 *
 * Both sides have the records of a key in the same order within a partition, so the record that waits longest is nearly
 * always the counterpart. Content cannot distinguish equal records: records without an id are paired in order only, and
 * not with a record that was written before the change.
 */
export class Pairing {
  readonly #options: PairingOptions
  readonly #queues = new Map<string, Queue>()
  readonly #partitions = new Map<string, PartitionPairs>()
  readonly #counts: Record<SideName, number> = { ours: 0, theirs: 0 }
  readonly #bytes: Record<SideName, number> = { ours: 0, theirs: 0 }
  #made = 0

  constructor(options: PairingOptions) {
    this.#options = options
  }

  /** Bytes of the records of a side that wait. */
  bytes(side: SideName): number {
    return this.#bytes[side]
  }

  /** Records of a side that wait. */
  count(side: SideName): number {
    return this.#counts[side]
  }

  /** @returns the record as it waits; null: it has its counterpart */
  add(side: SideName, record: ComparedRecord): Waiting | null {
    const fingerprint = record.id ?? this.#options.fingerprint(record)
    const own: Waiting = { record, fingerprint, order: side === 'ours' ? this.#made++ : Number(record.offset) }
    const queueKey = keyOfQueue(record)
    const queue = this.#queues.get(queueKey) ?? newQueue()
    const waiting = queue.waiting[side === 'ours' ? 'theirs' : 'ours'].get(fingerprint) ?? []
    const found = waiting.find((each) => {
      const [ours, theirs] = side === 'ours' ? [own, each] : [each, own]
      return record.id !== null || (isInOrder(queue, ours, theirs) && isAfterChange(ours.record, theirs.record))
    })
    if (found === undefined) {
      this.#keep(side, queueKey, queue, own)
      return own
    }
    const [ours, theirs] = side === 'ours' ? [own, found] : [found, own]
    const isLate = !isInOrder(queue, ours, theirs)
    this.#widen(queue, ours, theirs)
    this.remove(side === 'ours' ? 'theirs' : 'ours', found)
    this.#options.onPair(ours.record, theirs.record, isLate)
    return null
  }

  /** A record no longer waits. */
  remove(side: SideName, { record, fingerprint, order }: Waiting): void {
    const queueKey = keyOfQueue(record)
    const queue = this.#queues.get(queueKey)
    const list = queue?.waiting[side].get(fingerprint)
    const index = list?.findIndex((each) => each.order === order && each.record === record) ?? -1
    if (queue === undefined || list === undefined || index < 0) return
    list.splice(index, 1)
    if (list.length === 0) queue.waiting[side].delete(fingerprint)
    queue.size -= 1
    if (queue.size === 0) this.#queues.delete(queueKey)
    this.#counts[side] -= 1
    this.#bytes[side] -= record.bytes
  }

  #keep(side: SideName, queueKey: string, queue: Queue, own: Waiting): void {
    if (queue.size === 0) this.#queues.set(queueKey, queue)
    queue.size += 1
    const list = queue.waiting[side].get(own.fingerprint)
    if (list === undefined) queue.waiting[side].set(own.fingerprint, [own])
    else list.push(own)
    this.#counts[side] += 1
    this.#bytes[side] += own.record.bytes
  }

  #widen(queue: Queue, ours: Waiting, theirs: Waiting): void {
    const { topic, partition } = theirs.record
    const bounds = queue.bounds.get(partition)
    queue.bounds.set(partition, {
      ours: Math.max(bounds?.ours ?? -1, ours.order),
      theirs: Math.max(bounds?.theirs ?? -1, theirs.order),
    })
    const name = `${topic}\0${partition}`
    const pairs = this.#partitions.get(name)
    if (pairs === undefined) {
      this.#partitions.set(name, { oursLast: ours.order, theirsFirst: theirs.order, theirsLast: theirs.order })
      return
    }
    pairs.oursLast = Math.max(pairs.oursLast, ours.order)
    pairs.theirsFirst = Math.min(pairs.theirsFirst, theirs.order)
    pairs.theirsLast = Math.max(pairs.theirsLast, theirs.order)
  }

  /** The waiting records, in no order. */
  *waiting(side: SideName): Generator<Waiting> {
    for (const queue of this.#queues.values()) {
      for (const list of queue.waiting[side].values()) yield* list
    }
  }

  /** The waiting records, in their order. */
  leftovers(side: SideName): readonly Waiting[] {
    return [...this.waiting(side)].toSorted((a, b) => a.order - b.order)
  }

  /**
   * Whether Kafka Connect has sent a later record to the partition of a record of the rehearsal, so that it will not
   * send this one. If the partition is unknown, only a later record of the key in a topic with one partition proves it.
   */
  isPassed({ record, order }: Waiting): boolean {
    const { topic, partition } = record
    if (partition !== null) return order < (this.#partitions.get(`${topic}\0${partition}`)?.oursLast ?? -1)
    const bounds = this.#queues.get(keyOfQueue(record))?.bounds
    return record.decoded.key !== null && [...(bounds?.values() ?? [])].some(({ ours }) => order < ours)
  }

  /** Whether records before and after a record of a topic, in its partition, were paired. */
  isBetween({ record, order }: Waiting): boolean {
    const pairs = this.#partitions.get(`${record.topic}\0${record.partition}`)
    return pairs !== undefined && pairs.theirsFirst < order && order < pairs.theirsLast
  }

  /** Whether two records that wait may be of the same event, by their order among the pairs of their key. */
  isPossible(ours: Waiting, theirs: Waiting): boolean {
    const bounds = this.#queues.get(keyOfQueue(ours.record))?.bounds.get(theirs.record.partition)
    const isConsistent = bounds === undefined || ours.order > bounds.ours === theirs.order > bounds.theirs
    return isConsistent && isAfterChange(ours.record, theirs.record)
  }
}

function newQueue(): Queue {
  return { waiting: { ours: new Map(), theirs: new Map() }, bounds: new Map(), size: 0 }
}

/** Of the records that may be each other's counterpart. */
export function keyOfQueue({ topic, key }: ComparedRecord): string {
  return `${topic}\0${key}`
}

function isInOrder(queue: Queue, ours: Waiting, theirs: Waiting): boolean {
  const bounds = queue.bounds.get(theirs.record.partition)
  return bounds === undefined || (ours.order > bounds.ours && theirs.order > bounds.theirs)
}

/** A record is written after its change. */
function isAfterChange(ours: ComparedRecord, theirs: ComparedRecord): boolean {
  return (theirs.timestampMs ?? Infinity) >= (ours.timestampMs ?? -Infinity) - SKEW_MS
}

/** Times of events have seconds, and clocks differ. */
const SKEW_MS = 2_000
