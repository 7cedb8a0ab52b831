import type { OutgoingRecord } from '../api/records.ts'
import {
  NULL_LENGTH,
  RECORD_LENGTH_BYTES_MAX,
  recordBodyBytes,
  writeHeaders,
  writePart,
  type BatchBuilder,
  type BatchLimits,
  type EncodedBatch,
} from './batch-builder.ts'
import type { BufferPool } from './buffer-pool.ts'
import { BATCH_HEADER_BYTES, writeBatchHeader } from './record-batch.ts'
import { writeVarint } from './varint.ts'

/** A batch of records as they are. A codec, when there is one, is applied to the finished batch (`compressBatch`). */
export class PlainBatchBuilder implements BatchBuilder {
  recordCount = 0
  maxTimestamp = 0
  readonly #pool: BufferPool
  readonly #bytesMax: number
  #buffer: Buffer
  #end = BATCH_HEADER_BYTES
  #baseTimestamp = 0

  /** `startBytes`: what the batch is expected to grow to. */
  constructor(pool: BufferPool, limits: BatchLimits, startBytes: number) {
    this.#pool = pool
    this.#bytesMax = Math.min(limits.batchBytesMax, limits.wireBytesMax)
    this.#buffer = pool.take(startBytes)
  }

  get recordBytes(): number {
    return this.#end - BATCH_HEADER_BYTES
  }

  append(record: OutgoingRecord, timestamp: number): boolean {
    const { key, value } = record
    const count = this.recordCount
    if (count === 0) this.#baseTimestamp = this.maxTimestamp = timestamp
    const timestampDelta = timestamp - this.#baseTimestamp
    const bodyBytes = recordBodyBytes(record, timestampDelta, count)
    const endMax = this.#end + RECORD_LENGTH_BYTES_MAX + bodyBytes
    if (endMax > this.#bytesMax && count > 0) return false
    if (endMax > this.#buffer.length) this.#buffer = this.#pool.grow(this.#buffer, this.#end, endMax)

    const bytes = this.#buffer
    let at = writeVarint(bytes, this.#end, bodyBytes)
    bytes[at++] = 0
    at = writeVarint(bytes, at, timestampDelta)
    at = writeVarint(bytes, at, count)
    if (key === null) bytes[at++] = NULL_LENGTH
    else at = writePart(bytes, at, key)
    if (value === null) bytes[at++] = NULL_LENGTH
    else at = writePart(bytes, at, value)
    if (record.headers.length === 0) bytes[at++] = 0
    else at = writeHeaders(bytes, at, record.headers)
    this.#end = at
    this.recordCount = count + 1
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp
    return true
  }

  finish(): EncodedBatch {
    writeBatchHeader(this.#buffer, this.#end, {
      attributes: 0,
      recordCount: this.recordCount,
      baseTimestamp: this.#baseTimestamp,
      maxTimestamp: this.maxTimestamp,
    })
    return { buffer: this.#buffer, length: this.#end }
  }
}
