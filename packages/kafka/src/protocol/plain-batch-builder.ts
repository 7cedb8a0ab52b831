import type { OutgoingRecord } from '../api/records.ts'
import {
  RECORD_LENGTH_BYTES_MAX,
  recordBodyBytes,
  type BatchBuilder,
  type BatchLimits,
  type EncodedBatch,
} from './batch-builder.ts'
import type { BufferPool } from './buffer-pool.ts'
import { BATCH_HEADER_BYTES, writeBatchHeader } from './record-batch.ts'
import { RecordWriter } from './record-writer.ts'
import { WORD_BYTES } from './words.ts'

/** A batch of records as they are. A codec, when there is one, is applied to the finished batch (`compressBatch`). */
export class PlainBatchBuilder implements BatchBuilder {
  recordCount = 0
  maxTimestamp = 0
  readonly #pool: BufferPool
  readonly #bytesMax: number
  readonly #out: RecordWriter
  #baseTimestamp = 0

  /** `startBytes`: what the batch is expected to grow to. */
  constructor(pool: BufferPool, limits: BatchLimits, startBytes: number) {
    this.#pool = pool
    this.#bytesMax = Math.min(limits.batchBytesMax, limits.wireBytesMax)
    this.#out = new RecordWriter(pool.take(startBytes), BATCH_HEADER_BYTES)
  }

  get recordBytes(): number {
    return this.#out.position - BATCH_HEADER_BYTES
  }

  append(record: OutgoingRecord, timestamp: number): boolean {
    const out = this.#out
    const count = this.recordCount
    if (count === 0) this.#baseTimestamp = this.maxTimestamp = timestamp
    const timestampDelta = timestamp - this.#baseTimestamp
    const bodyBytes = recordBodyBytes(record, timestampDelta, count)
    const endMax = out.position + RECORD_LENGTH_BYTES_MAX + bodyBytes
    if (endMax > this.#bytesMax && count > 0) return false
    const bufferBytes = endMax + WORD_BYTES
    if (bufferBytes > out.bytes.length) out.moveTo(this.#pool.grow(out.bytes, out.position, bufferBytes))

    out.varint(bodyBytes)
    out.byte(0)
    out.varint(timestampDelta)
    out.varint(count)
    out.part(record.key)
    out.part(record.value)
    out.headers(record.headers)
    this.recordCount = count + 1
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp
    return true
  }

  finish(): EncodedBatch {
    const { bytes, position } = this.#out
    writeBatchHeader(bytes, position, {
      attributes: 0,
      recordCount: this.recordCount,
      baseTimestamp: this.#baseTimestamp,
      maxTimestamp: this.maxTimestamp,
    })
    return { buffer: bytes, length: position }
  }
}
