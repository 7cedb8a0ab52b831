import { readBatches, readRecords, type BatchRecord } from '@tributary/kafka'
import { isControl, isTransactional, NO_PRODUCER_ID, type BatchHeader } from '../batch/batch-header.ts'
import { keepRecords } from '../batch/kept-records.ts'
import type { Compaction } from './compactions.ts'
import type { ClosedSegment, LogBatch, PartitionLog } from './partition-log.ts'

/** The settings of a compacted topic; times in milliseconds, Infinity: no limit. */
export interface CompactionLimits {
  readonly deleteRetentionMs: number
  readonly minLagMs: number
  readonly maxLagMs: number
  /** Which part of the log must be new. */
  readonly minDirtyRatio: number
}

/**
 * Removes records whose key has a newer one, as Kafka's log cleaner does: in closed segments without open transactions,
 * when enough of them is new. Offsets stay. Records of aborted transactions go at once; tombstones and markers of
 * transactions without records go when an earlier run has seen them `deleteRetentionMs` ago.
 *
 * Returns the run, or null if nothing was due. Throws the error of the storage; the log is complete then, and a later
 * run continues.
 */
export function compactLog(log: PartitionLog, limits: CompactionLimits, nowMs: number): Compaction | null {
  const segments = cleanable(log, limits, nowMs)
  const last = segments.at(-1)
  if (last === undefined || !isDue(segments, log, limits, nowMs)) return null
  const cleaner = new Cleaner(log, log.compactions.horizon(limits.deleteRetentionMs, nowMs))
  for (const segment of segments) if (segment.endOffset > log.compactions.upTo) cleaner.learn(segment)
  for (const segment of segments) cleaner.clean(segment)
  const run = { upTo: last.endOffset, atMs: nowMs }
  log.compactions.add(run)
  log.compactions.prune(limits.deleteRetentionMs, nowMs)
  return run
}

function cleanable(log: PartitionLog, { minLagMs }: CompactionLimits, nowMs: number): readonly ClosedSegment[] {
  const all = log.closedSegments
  const isTooNew = ({ endOffset, maxTimestamp }: ClosedSegment): boolean =>
    endOffset > log.stableOffset || (minLagMs > 0 && nowMs - Number(maxTimestamp) <= minLagMs)
  const first = all.findIndex(isTooNew)
  return first < 0 ? all : all.slice(0, first)
}

function isDue(
  segments: readonly ClosedSegment[],
  { compactions }: PartitionLog,
  { minDirtyRatio, maxLagMs }: CompactionLimits,
  nowMs: number,
): boolean {
  const dirty = segments.filter(({ endOffset }) => endOffset > compactions.upTo)
  const [oldest] = dirty
  if (oldest === undefined) return false
  const bytesOf = (some: readonly ClosedSegment[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0)
  return bytesOf(dirty) > minDirtyRatio * bytesOf(segments) || nowMs - oldest.createdAtMs > maxLagMs
}

class Cleaner {
  readonly #log: PartitionLog
  /** Tombstones and markers before it are removed. */
  readonly #horizon: number
  /** Key → offset of its newest record in the new part of the log. */
  readonly #newest = new Map<string, number>()
  /** Producers whose current transaction still has records. */
  readonly #withRecords = new Set<bigint>()

  constructor(log: PartitionLog, horizon: number) {
    this.#log = log
    this.#horizon = horizon
  }

  learn({ batches }: ClosedSegment): void {
    for (const batch of batches) {
      if (isControl(batch.header)) continue
      for (const { key, offsetDelta } of recordsOf(batch)) {
        const offset = batch.header.baseOffset + offsetDelta
        if (key !== null && !this.#isAborted(batch.header, offset)) this.#newest.set(key.toString('latin1'), offset)
      }
    }
  }

  clean({ baseOffset, batches }: ClosedSegment): void {
    const kept = batches.map((batch) => (isControl(batch.header) ? this.#marker(batch) : this.#data(batch)))
    const isUnchanged = kept.every((bytes, i) => bytes === batches[i])
    if (isUnchanged) return
    const written = kept.flatMap((each) => (each === null ? [] : Buffer.isBuffer(each) ? [each] : [each.stored.read()]))
    this.#log.replaceSegment(baseOffset, written)
  }

  /** The batch itself if all its records stay, another one if some do, null if none does. */
  #data(batch: LogBatch): LogBatch | Buffer | null {
    const { header, stored } = batch
    const records = recordsOf(batch)
    const kept = records.filter((record) => this.#keeps(header, record))
    if (kept.length === 0 && !this.#isLastOfProducer(header)) return null
    if (isTransactional(header)) this.#withRecords.add(header.producerId)
    return kept.length === records.length ? batch : keepRecords(stored.read(), kept)
  }

  /** A marker is needed as long as its transaction has records: they would be part of an open one without it. */
  #marker(batch: LogBatch): LogBatch | null {
    const { producerId, lastOffset } = batch.header
    const hadRecords = this.#withRecords.delete(producerId)
    return hadRecords || lastOffset >= this.#horizon ? batch : null
  }

  #keeps(header: BatchHeader, { key, value, offsetDelta }: BatchRecord): boolean {
    const offset = header.baseOffset + offsetDelta
    if (key === null || this.#isAborted(header, offset)) return false
    if (offset < (this.#newest.get(key.toString('latin1')) ?? 0)) return false
    return value !== null || offset >= this.#horizon
  }

  #isAborted(header: BatchHeader, offset: number): boolean {
    return isTransactional(header) && this.#log.isAborted(header.producerId, offset)
  }

  /** Its last sequence number must survive a restart. */
  #isLastOfProducer({ producerId, lastOffset }: BatchHeader): boolean {
    if (producerId === NO_PRODUCER_ID) return false
    return this.#log.producers.get(producerId)?.batches.at(-1)?.lastOffset === lastOffset
  }
}

function recordsOf({ stored }: LogBatch): readonly BatchRecord[] {
  return readBatches(stored.read()).flatMap((batch) => readRecords(batch))
}
