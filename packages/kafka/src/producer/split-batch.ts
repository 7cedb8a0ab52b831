import type { OutgoingRecord, RecordPart } from '../api/records.ts'
import { readBatches, readRecords, type BatchRecord } from '../protocol/batch-reader.ts'
import type { EncodedBatch } from '../protocol/batch-builder.ts'
import type { BufferPool } from '../protocol/buffer-pool.ts'
import { PlainBatchBuilder } from '../protocol/plain-batch-builder.ts'
import { sequenceAfter } from '../protocol/record-batch.ts'
import { Batch, NO_SEQUENCE } from './batch.ts'

/** Half of a split batch, not compressed yet. */
export interface BatchPart {
  readonly batch: Batch
  readonly plain: EncodedBatch
}

/**
 * Splits a batch that the broker rejected as too large into two. This happens when max.message.bytes of the topic was
 * lowered after the producer read it, so it need not be fast.
 */
export function splitBatch(batch: Batch, pool: BufferPool): readonly BatchPart[] {
  const { tokens } = batch.content
  const records = recordsOf(batch)
  const middle = Math.ceil(records.length / 2)
  const halves = [
    { records: records.slice(0, middle), tokens: tokens.slice(0, middle), skipped: 0 },
    { records: records.slice(middle), tokens: tokens.slice(middle), skipped: middle },
  ]
  const parts = halves.map((half) => {
    const plain = encodePlain(half.records, pool)
    const content = {
      ...batch.content,
      recordCount: half.records.length,
      recordBytes: Math.round((batch.content.recordBytes * half.records.length) / records.length),
      tokens: half.tokens,
    }
    const part = new Batch(content)
    if (batch.sequence !== NO_SEQUENCE) part.sequence = sequenceAfter(batch.sequence, half.skipped)
    for (const waiter of batch.waiters) waiter.waitFor(part)
    return { batch: part, plain }
  })
  for (const waiter of batch.waiters) waiter.release()
  return parts
}

/** Decodes the records of an encoded batch. */
export function recordsOf(batch: Batch): readonly BatchRecord[] {
  return readBatches(batch.bytes).flatMap(readRecords)
}

function encodePlain(records: readonly BatchRecord[], pool: BufferPool): EncodedBatch {
  const unlimited = { batchBytesMax: Infinity, wireBytesMax: Infinity }
  const builder = new PlainBatchBuilder(pool, unlimited, 1)
  for (const record of records) builder.append(outgoing(record), record.timestamp)
  return builder.finish()
}

function outgoing(record: BatchRecord): OutgoingRecord {
  const { key, value, headers, timestamp } = record
  return { key: asPart(key), value: asPart(value), headers, timestamp, partition: null, token: 0 }
}

const NO_PREFIX = new Uint8Array(0)

function asPart(bytes: Buffer | null): RecordPart | null {
  return bytes && { prefix: NO_PREFIX, buffer: bytes, start: 0, end: bytes.length }
}
