import { readBatch, type SeenBatch } from './record-batches.ts'
import { parseChange } from './source-plugin.ts'

export interface Violation {
  readonly rule: string
  readonly text: string
  readonly atMs: number
  readonly step: number
}

/** What is in one partition of the topic of a source. */
interface SeenPartition {
  /** The greatest change that was appended, with all smaller ones of the partition; for readers of all records. */
  appended: number
  /** The last change of the run that wrote last. */
  last: number
  lastRun: number
  /** The same for readers of committed records. */
  committed: number
  /** Changes with an acknowledged record. */
  readonly acknowledged: Set<number>
  /** All smaller changes of the partition are acknowledged, too. */
  acknowledgedUpTo: number
  /** By producer id: changes of its open transaction. */
  readonly open: Map<bigint, number[]>
}

interface SeenSource {
  readonly partitions: SeenPartition[]
  /** The run that wrote last, in any partition. */
  run: number
  readonly runs: Set<number>
  /** The offset that a task would start from. */
  offset: number
  readonly openOffsets: Map<bigint, number>
}

export interface CheckerOptions {
  readonly isExactlyOnce: boolean
  readonly partitions: number
  readonly offsetTopic: string
  readonly now: () => { readonly ms: number; readonly step: number }
  readonly onViolation: (violation: Violation) => void
}

/**
 * Follows what the brokers write, record by record. It knows the changes only by their numbers: the changes 1 to n of a
 * source have to be in its topic, change k in partition k modulo the number of partitions.
 *
 * At least once, for readers of all records:
 * - a run of a task writes consecutive changes, and leaves out none before its first one;
 * - when a run has written, no earlier run writes any more;
 * - a stored offset has acknowledged records of all changes up to it, and never goes back.
 *
 * Exactly once, for readers of committed records: each change is there once, in order, and the committed offset is that
 * of the last committed change.
 */
export class Checker {
  readonly #options: CheckerOptions
  readonly #sources = new Map<string, SeenSource>()
  readonly #changed = new Set<string>()

  constructor(options: CheckerOptions) {
    this.#options = options
  }

  /** The offset from which a task of the source would start. */
  offset(source: string): number {
    return this.#of(source).offset
  }

  /** All changes up to this one are in the topic, for the readers that the delivery promises them to. */
  delivered(source: string): number {
    const { isExactlyOnce, partitions: count } = this.#options
    const { partitions } = this.#of(source)
    let upTo = Infinity
    for (const [index, partition] of partitions.entries()) {
      const last = isExactlyOnce ? partition.committed : partition.appended
      // The next change of this partition is missing.
      upTo = Math.min(upTo, nextIn(index, last, count) - 1)
    }
    return upTo
  }

  onAppend(topic: string, partition: number, bytes: Buffer): void {
    const { offsetTopic } = this.#options
    if (topic !== offsetTopic && !topic.startsWith('data.')) return
    const batch = readBatch(bytes)
    if (topic === offsetTopic) this.#onOffsets(batch)
    else this.#onData(topic.slice('data.'.length), partition, batch)
  }

  onAcknowledged(topic: string, partition: number, bytes: Buffer): void {
    if (!topic.startsWith('data.') || this.#options.isExactlyOnce) return
    const seen = this.#partition(topic.slice('data.'.length), partition)
    for (const { value } of readBatch(bytes).records) seen.acknowledged.add(parseChange(value ?? '').change)
    for (;;) {
      const next = nextIn(partition, seen.acknowledgedUpTo, this.#options.partitions)
      if (!seen.acknowledged.delete(next)) break
      seen.acknowledgedUpTo = next
    }
  }

  /** To be called after each step: all markers of a transaction are written in one. */
  checkStep(): void {
    for (const source of this.#changed) {
      const committed = this.delivered(source)
      const { offset, partitions } = this.#of(source)
      const last = Math.max(...partitions.map((each) => each.committed))
      if (last !== committed) {
        this.#violate('committed in order', `${source}: change ${last} is committed, and ${committed + 1} is not`)
      }
      if (offset !== committed) {
        this.#violate('committed offset', `${source}: offset ${offset} is committed with change ${committed}`)
      }
    }
    this.#changed.clear()
  }

  #onData(source: string, index: number, batch: SeenBatch): void {
    const seen = this.#partition(source, index)
    if (this.#options.isExactlyOnce) {
      this.#onTransactional(source, index, batch)
      return
    }
    if (batch.isTransactional) this.#violate('delivery', `${source}: a transaction without exactly-once delivery`)
    for (const { value } of batch.records) {
      const { change, run } = parseChange(value ?? '')
      this.#onRun(source, run, change)
      const { partitions } = this.#options
      if (change % partitions !== index) this.#violate('partition', `${source}: change ${change} is in ${index}`)
      const expected = seen.lastRun === run ? seen.last + partitions : null
      const isGap = change > nextIn(index, seen.appended, partitions)
      if ((expected !== null && change !== expected) || isGap) {
        const after = `after change ${seen.last} of run ${seen.lastRun}, with all up to ${seen.appended} written`
        this.#violate('order', `${source}-${index}: run ${run} writes change ${change} ${after}`)
      }
      seen.last = change
      seen.lastRun = run
      seen.appended = Math.max(seen.appended, change)
    }
  }

  #onRun(source: string, run: number, change: number): void {
    const seen = this.#of(source)
    if (run === seen.run) return
    if (seen.runs.has(run)) {
      this.#violate('two writers', `${source}: run ${run} writes change ${change} after run ${seen.run} has written`)
    }
    seen.runs.add(run)
    seen.run = run
  }

  #onTransactional(source: string, index: number, { producerId, marker, records, isTransactional }: SeenBatch): void {
    const seen = this.#partition(source, index)
    if (!isTransactional) this.#violate('delivery', `${source}: records outside of a transaction`)
    const open = seen.open.get(producerId) ?? []
    if (marker === null) {
      for (const { value } of records) open.push(parseChange(value ?? '').change)
      seen.open.set(producerId, open)
      return
    }
    seen.open.delete(producerId)
    if (marker === 'abort') return
    for (const change of open) {
      const expected = nextIn(index, seen.committed, this.#options.partitions)
      if (change !== expected) {
        this.#violate('exactly once', `${source}-${index}: change ${change} is committed instead of ${expected}`)
      }
      seen.committed = Math.max(seen.committed, change)
    }
    if (open.length > 0) this.#changed.add(source)
  }

  #onOffsets({ producerId, marker, records }: SeenBatch): void {
    if (marker !== null) {
      for (const [source, seen] of this.#sources) {
        const offset = seen.openOffsets.get(producerId)
        if (offset === undefined) continue
        seen.openOffsets.delete(producerId)
        if (marker === 'commit') this.#onOffset(source, offset)
      }
      return
    }
    for (const { key, value } of records) {
      const [, partition] = JSON.parse(key ?? '[]') as readonly [string, { readonly source?: string }?]
      const source = partition?.source
      if (source === undefined || value === null) continue
      const { change } = JSON.parse(value) as { readonly change: number }
      if (this.#options.isExactlyOnce) this.#of(source).openOffsets.set(producerId, change)
      else this.#onOffset(source, change)
    }
  }

  #onOffset(source: string, offset: number): void {
    const seen = this.#of(source)
    if (offset < seen.offset) {
      this.#violate('offset back', `${source}: the stored offset goes back from ${seen.offset} to ${offset}`)
    }
    seen.offset = offset
    if (this.#options.isExactlyOnce) {
      this.#changed.add(source)
      return
    }
    for (const [index, { acknowledgedUpTo }] of seen.partitions.entries()) {
      const next = nextIn(index, acknowledgedUpTo, this.#options.partitions)
      if (next > offset) continue
      this.#violate('early offset', `${source}: offset ${offset} is stored, and change ${next} is not acknowledged`)
    }
  }

  #of(source: string): SeenSource {
    let seen = this.#sources.get(source)
    if (seen === undefined) {
      const partitions = Array.from({ length: this.#options.partitions }, (_, index) => emptyPartition(index))
      seen = { partitions, run: 0, runs: new Set(), offset: 0, openOffsets: new Map() }
      this.#sources.set(source, seen)
    }
    return seen
  }

  #partition(source: string, index: number): SeenPartition {
    const partition = this.#of(source).partitions[index]
    if (partition === undefined) throw new RangeError(`partition ${index} of ${source}`)
    return partition
  }

  #violate(rule: string, text: string): void {
    const { ms, step } = this.#options.now()
    this.#options.onViolation({ rule, text, atMs: ms, step })
  }
}

/** The first change after `change` that belongs to the partition. Changes begin with 1. */
function nextIn(partition: number, change: number, partitions: number): number {
  if (change === 0) return partition === 0 ? partitions : partition
  return change + partitions
}

function emptyPartition(_index: number): SeenPartition {
  return {
    appended: 0,
    last: 0,
    lastRun: 0,
    committed: 0,
    acknowledged: new Set(),
    acknowledgedUpTo: 0,
    open: new Map(),
  }
}
