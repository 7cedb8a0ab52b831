import { present } from '@tributary/support'
import type { PartitionStorage, StoredBatch } from '../storage/broker-storage.ts'
import { isCommitMarker, isControl, placeBatch, readBatchHeader } from '../batch/batch-header.ts'
import { NO_PRODUCER_ID, type BatchHeader } from '../batch/batch-header.ts'
import { Compactions } from './compactions.ts'
import { ProducerStates } from './producer-states.ts'

/** A batch of the log. */
export interface LogBatch {
  readonly header: BatchHeader
  readonly stored: StoredBatch
}

export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: number
  /** The offset of its marker. */
  readonly lastOffset: number
}

export interface LogRead {
  readonly batches: readonly LogBatch[]
  readonly bytes: number
}

interface Segment {
  readonly baseOffset: number
  /** Position of its first batch in the log's list. */
  first: number
  bytes: number
  /** The greatest one of its first batch; -1: none. */
  firstTimestamp: bigint
  maxTimestamp: bigint
  readonly createdAtMs: number
}

/** A segment that gets no more batches. */
export interface ClosedSegment {
  readonly baseOffset: number
  /** The base offset of the next segment. */
  readonly endOffset: number
  readonly bytes: number
  readonly maxTimestamp: bigint
  readonly createdAtMs: number
  readonly batches: readonly LogBatch[]
}

/** The leader never moves. */
export const LEADER_EPOCH = 0

/**
 * The log of one partition: batches in the order of their offsets, what is known of its producers, and where
 * transactions are open or aborted.
 *
 * `startOffset` ≤ `stableOffset` ≤ `endOffset`. Offsets are below 2^53.
 */
export class PartitionLog {
  readonly producers: ProducerStates = new ProducerStates()
  readonly compactions: Compactions = new Compactions()
  readonly #storage: PartitionStorage
  #batches: LogBatch[] = []
  #segments: Segment[] = []
  #aborted: AbortedTransaction[] = []
  #startOffset = 0
  #endOffset = 0

  /** Reads what the storage has of an earlier run. */
  constructor(storage: PartitionStorage, nowMs: number) {
    this.#storage = storage
    for (const [i, { baseOffset, batches }] of storage.recover().entries()) {
      if (i === 0) this.#startOffset = baseOffset
      this.#endOffset = baseOffset
      this.#segments.push(emptySegment(baseOffset, this.#batches.length, nowMs))
      for (const stored of batches) {
        const bytes = stored.read()
        const header = readBatchHeader(bytes)
        this.#add({ header, stored }, nowMs)
        this.#apply(header, bytes)
      }
    }
  }

  get startOffset(): number {
    return this.#startOffset
  }

  get endOffset(): number {
    return this.#endOffset
  }

  /** The end of what a reader of committed records may see: the first record of an open transaction. */
  get stableOffset(): number {
    let stable = this.#endOffset
    for (const { openFrom } of this.producers.all) if (openFrom !== null && openFrom < stable) stable = openFrom
    return stable
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get batches(): readonly LogBatch[] {
    return this.#batches
  }

  /**
   * Appends a checked batch at the end and returns its base offset. Throws the error of the storage; the log is
   * unchanged then.
   */
  append(batch: Buffer, nowMs: number): number {
    placeBatch(batch, this.#endOffset, LEADER_EPOCH)
    const stored = this.#storage.append(batch)
    const header = readBatchHeader(batch)
    this.#add({ header, stored }, nowMs)
    this.#apply(header, batch)
    return header.baseOffset
  }

  /**
   * Begins a segment before a batch that would not fit, or when the last one is too old: by the times of the records, as
   * in Kafka, or by that of the broker for records without a time.
   */
  rollIfDue(batch: Buffer, limits: { readonly segmentBytes: number; readonly segmentMs: number }, nowMs: number): void {
    const last = this.#segments.at(-1)
    if (last === undefined || last.bytes === 0) return
    const isFull = last.bytes + batch.length > limits.segmentBytes
    const { maxTimestamp } = readBatchHeader(batch)
    const hasTime = last.firstTimestamp >= 0n
    const ageMs = hasTime ? Number(maxTimestamp - last.firstTimestamp) : nowMs - last.createdAtMs
    if (isFull || ageMs > limits.segmentMs) this.#roll(nowMs)
  }

  /** The batches from the one with `offset` on, whole ones only, up to `maxBytes` and below `endOffset`. */
  read(offset: number, endOffset: number, maxBytes: number): LogRead {
    const batches: LogBatch[] = []
    let bytes = 0
    for (let i = this.#indexOf(offset); i < this.#batches.length; i++) {
      const batch = present(this.#batches[i], 'a batch of the log')
      if (batch.header.baseOffset >= endOffset) break
      if (bytes + batch.stored.length > maxBytes) break
      batches.push(batch)
      bytes += batch.stored.length
    }
    return { batches, bytes }
  }

  /** The batch that contains `offset`, or the first after it. */
  batchAt(offset: number): LogBatch | undefined {
    return this.#batches[this.#indexOf(offset)]
  }

  /** The base offset of the segment after the one with `offset`, or the end of the log. */
  segmentEnd(offset: number): number {
    return this.#segments.find(({ baseOffset }) => baseOffset > offset)?.baseOffset ?? this.#endOffset
  }

  /** Aborted transactions with records or markers at `from` or later, and records before `to`. */
  abortedBetween(from: number, to: number): readonly AbortedTransaction[] {
    return this.#aborted.filter(({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < to)
  }

  /** Records before `offset` are deleted: at once for readers, in the storage by whole segments. */
  deleteBefore(offset: number): void {
    this.#startOffset = Math.max(this.#startOffset, Math.min(offset, this.#endOffset))
    while (this.#segments.length > 1) {
      const { first, baseOffset } = present(this.#segments[1], 'the second segment')
      if (baseOffset > this.#startOffset) break
      this.#dropOldestSegment(first)
      this.#storage.deleteOldest()
    }
    this.#aborted = this.#aborted.filter(({ lastOffset }) => lastOffset >= this.#startOffset)
  }

  /**
   * Deletes segments by age and size (retention.ms, retention.bytes; Infinity: no limit). Returns whether the start of
   * the log has moved.
   */
  deleteExpired(limits: { readonly retentionMs: number; readonly retentionBytes: number }, nowMs: number): boolean {
    const before = this.#startOffset
    const last = this.#segments.at(-1)
    const isExpired = (segment: Segment): boolean => nowMs - Number(segment.maxTimestamp) > limits.retentionMs
    if (last !== undefined && last.bytes > 0 && isExpired(last)) this.#roll(nowMs)
    for (;;) {
      const [oldest, next] = this.#segments
      if (oldest === undefined || next === undefined) break
      const isTooMuch = this.bytes - oldest.bytes >= limits.retentionBytes
      if (!isExpired(oldest) && !isTooMuch) break
      this.deleteBefore(next.baseOffset)
      if (this.#segments[0] === oldest) break
    }
    return this.#startOffset !== before
  }

  /** All segments but the last, oldest first. */
  get closedSegments(): readonly ClosedSegment[] {
    return this.#segments.slice(0, -1).map((segment, i) => {
      const next = present(this.#segments[i + 1], 'the next segment')
      return { ...segment, endOffset: next.baseOffset, batches: this.#batches.slice(segment.first, next.first) }
    })
  }

  /** Whether a record of the producer belongs to an aborted transaction. */
  isAborted(producerId: bigint, offset: number): boolean {
    return this.#aborted.some(
      (each) => each.producerId === producerId && each.firstOffset <= offset && offset < each.lastOffset,
    )
  }

  /**
   * Replaces the batches of the closed segment that begins with `baseOffset`. Without batches the segment is removed,
   * unless it is the oldest. Throws the error of the storage; the log is unchanged then.
   */
  replaceSegment(baseOffset: number, batches: readonly Buffer[]): void {
    const position = this.#segments.findIndex((each) => each.baseOffset === baseOffset)
    const segment = present(this.#segments[position], 'the segment to replace')
    const next = present(this.#segments[position + 1], 'a segment after the one to replace')
    const stored = this.#storage.replace(position, batches)
    const kept = stored.map((each) => ({ header: readBatchHeader(each.read()), stored: each }))
    const removed = next.first - segment.first
    this.#batches.splice(segment.first, removed, ...kept)
    segment.bytes = stored.reduce((sum, { length }) => sum + length, 0)
    for (const later of this.#segments.slice(position + 1)) later.first += kept.length - removed
    if (kept.length === 0 && position > 0) this.#segments.splice(position, 1)
    // Readers would take later records of a producer for aborted ones until its next marker.
    const markers = new Set(kept.filter(({ header }) => isControl(header)).map(({ header }) => header.lastOffset))
    this.#aborted = this.#aborted.filter(
      ({ lastOffset }) => lastOffset < baseOffset || lastOffset >= next.baseOffset || markers.has(lastOffset),
    )
  }

  #add(batch: LogBatch, nowMs: number): void {
    let segment = this.#segments.at(-1)
    if (segment === undefined) {
      segment = emptySegment(0, 0, nowMs)
      this.#segments.push(segment)
    }
    if (segment.bytes === 0) segment.firstTimestamp = batch.header.maxTimestamp
    segment.bytes += batch.stored.length
    if (batch.header.maxTimestamp > segment.maxTimestamp) segment.maxTimestamp = batch.header.maxTimestamp
    this.#batches.push(batch)
    this.#endOffset = batch.header.lastOffset + 1
  }

  #apply(header: BatchHeader, bytes: Buffer): void {
    if (header.producerId === NO_PRODUCER_ID) return
    if (!isControl(header)) {
      this.producers.record(header)
      return
    }
    const firstOffset = this.producers.recordMarker(header)
    if (firstOffset === null || isCommitMarker(bytes)) return
    this.#aborted.push({ producerId: header.producerId, firstOffset, lastOffset: header.lastOffset })
  }

  #roll(nowMs: number): void {
    this.#storage.roll(this.#endOffset)
    this.#segments.push(emptySegment(this.#endOffset, this.#batches.length, nowMs))
  }

  #dropOldestSegment(count: number): void {
    this.#batches.splice(0, count)
    this.#segments.shift()
    for (const segment of this.#segments) segment.first -= count
  }

  /** Position of the batch that contains the offset, or of the first after it. */
  #indexOf(offset: number): number {
    let low = 0
    let high = this.#batches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (present(this.#batches[middle], 'a batch of the log').header.lastOffset < offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

function emptySegment(baseOffset: number, first: number, createdAtMs: number): Segment {
  return { baseOffset, first, bytes: 0, firstTimestamp: -1n, maxTimestamp: -1n, createdAtMs }
}
