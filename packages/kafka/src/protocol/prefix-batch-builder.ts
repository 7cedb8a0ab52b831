import type { HeaderRun, OutgoingRecord, RecordHeader, RecordPart } from '../api/records.ts'
import {
  NULL_LENGTH,
  partBytes,
  RECORD_LENGTH_BYTES_MAX,
  recordBodyBytes,
  type BatchBuilder,
  type BatchLimits,
  type EncodedBatch,
} from './batch-builder.ts'
import type { BufferPool } from './buffer-pool.ts'
import { LongTextWriter } from './long-text-writer.ts'
import type { Lz4BlockWriter } from './lz4-block-writer.ts'
import { BLOCK_BYTES_MAX, Lz4FrameWriter } from './lz4-frame-writer.ts'
import { BATCH_HEADER_BYTES, CODEC_ATTRIBUTE, writeBatchHeader } from './record-batch.ts'
import { WORD_BYTES, WORDED_BYTES_MAX } from './words.ts'

/**
 * A batch that is LZ4 from the first byte: a prefix that an earlier record of the block has is written as a match to
 * it, and so are repetitions within a long value; all other bytes are literals. No compressor runs, and prefixes are
 * not copied: docs/adr/0004-compression.md.
 */
export class PrefixBatchBuilder implements BatchBuilder {
  recordCount = 0
  maxTimestamp = 0
  readonly #pool: BufferPool
  readonly #recordBytesMax: number
  readonly #frameEndMax: number
  readonly #frame: Lz4FrameWriter
  readonly #block: Lz4BlockWriter
  readonly #longTexts: LongTextWriter
  #baseTimestamp = 0

  /**
   * Whether a record can be the first of such a batch: its prefixes are long enough to save something, and it fits
   * whatever its bytes are. Other records need a builder without compression or with a codec.
   */
  static suits(record: OutgoingRecord, limits: BatchLimits): boolean {
    const { key, value } = record
    const prefixBytes = (key?.prefix.length ?? 0) + (value?.prefix.length ?? 0)
    if (prefixBytes < PREFIX_BYTES_MIN) return false
    return recordBodyBytes(record, 0, 0) * BLOCK_GROWTH_MAX + 200 < Math.min(limits.wireBytesMax, BLOCK_BYTES_MAX)
  }

  /** `startBytes`: the size that the batch is expected to reach, compressed. */
  constructor(pool: BufferPool, limits: BatchLimits, startBytes: number) {
    this.#pool = pool
    this.#recordBytesMax = limits.batchBytesMax - BATCH_HEADER_BYTES
    this.#frameEndMax = limits.wireBytesMax
    this.#frame = new Lz4FrameWriter(pool.take(startBytes), BATCH_HEADER_BYTES)
    this.#block = this.#frame.block
    this.#longTexts = new LongTextWriter(this.#block)
  }

  get recordBytes(): number {
    return this.#frame.position
  }

  append(record: OutgoingRecord, timestamp: number): boolean {
    const { key, value, headers } = record
    const count = this.recordCount
    const block = this.#block
    if (count === 0) this.#baseTimestamp = this.maxTimestamp = timestamp
    const timestampDelta = timestamp - this.#baseTimestamp
    const bodyBytes = recordBodyBytes(record, timestampDelta, count)
    if (!this.#makeRoom(bodyBytes + RECORD_LENGTH_BYTES_MAX)) return false

    block.varint(bodyBytes)
    block.byte(0)
    block.varint(timestampDelta)
    block.varint(count)
    if (key === null) block.byte(NULL_LENGTH)
    else this.#writeKey(key)
    if (value === null) block.byte(NULL_LENGTH)
    else this.#writeValue(value)
    if ('count' in headers) this.#writeHeaderRun(headers)
    else this.#writeHeaders(headers)
    this.recordCount = count + 1
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp
    return true
  }

  /** Makes room for a record of up to so many bytes, in one block. False when the batch has none for it. */
  #makeRoom(bytes: number): boolean {
    const frame = this.#frame
    const block = this.#block
    const isFirst = this.recordCount === 0
    const endMax = frame.endMax(bytes)
    const bufferBytes = Lz4FrameWriter.bufferBytes(endMax)
    if (!isFirst && (bytes * BLOCK_GROWTH_MAX >= BLOCK_BYTES_MAX || !this.#isWithinLimits(bytes, bufferBytes)))
      return false
    if (bufferBytes > block.bytes.length) block.moveTo(this.#pool.grow(block.bytes, block.end, bufferBytes))
    if (!isFirst && !frame.blockHasRoom(bytes, endMax)) frame.nextBlock()
    return true
  }

  #isWithinLimits(bytes: number, frameEnd: number): boolean {
    return this.#frame.position + bytes <= this.#recordBytesMax && frameEnd <= this.#frameEndMax
  }

  #writeKey(key: RecordPart): void {
    const block = this.#block
    block.varint(partBytes(key))
    if (key.prefix.length > 0) block.prefix(key.prefix)
    this.#literals(key, key.start)
  }

  #writeValue(value: RecordPart): void {
    const block = this.#block
    block.varint(partBytes(value))
    if (value.prefix.length > 0) block.prefix(value.prefix)
    if (this.#longTexts.suits(value)) this.#longTexts.write(value)
    else this.#literals(value, value.start)
  }

  #writeHeaderRun(headers: HeaderRun): void {
    this.#block.varint(headers.count)
    if (headers.end > 0) this.#literals(headers, 0)
  }

  #literals({ buffer, view, end }: Pick<RecordPart, 'buffer' | 'view' | 'end'>, start: number): void {
    const isWorded = end - start <= WORDED_BYTES_MAX && view !== undefined && end + WORD_BYTES <= view.byteLength
    if (isWorded) this.#block.wordedLiterals(view, start, end)
    else this.#block.literals(buffer, start, end)
  }

  #writeHeaders(headers: readonly RecordHeader[]): void {
    const block = this.#block
    block.varint(headers.length)
    for (const { key, value } of headers) {
      block.varint(key.length)
      block.literals(key, 0, key.length)
      if (value === null) {
        block.byte(NULL_LENGTH)
      } else {
        block.varint(value.length)
        block.literals(value, 0, value.length)
      }
    }
  }

  finish(): EncodedBatch {
    const length = this.#frame.finish()
    const buffer = this.#block.bytes
    writeBatchHeader(buffer, length, {
      attributes: CODEC_ATTRIBUTE.lz4,
      recordCount: this.recordCount,
      baseTimestamp: this.#baseTimestamp,
      maxTimestamp: this.maxTimestamp,
    })
    return { buffer, length }
  }
}

/** Twice what a record may grow to by length bytes: one that so much larger fits is far from any limit. */
const BLOCK_GROWTH_MAX = 1.01
/** With less than this to be saved in a record a codec does better. */
const PREFIX_BYTES_MIN = 100
