import type { OutgoingRecord, RecordPart } from '../api/records.ts'
import {
  NULL_LENGTH,
  partBytes,
  recordBodyBytes,
  writeHeaders,
  writeRest,
  type BatchBuilder,
  type BatchLimits,
  type EncodedBatch,
} from './batch-builder.ts'
import type { BufferPool } from './buffer-pool.ts'
import { EarlierTexts } from './earlier-texts.ts'
import { Lz4BlockWriter } from './lz4-block-writer.ts'
import { BATCH_HEADER_BYTES, CODEC_ATTRIBUTE, writeBatchHeader } from './record-batch.ts'
import { RepetitionWriter } from './repetition-writer.ts'
import { writeVarint } from './varint.ts'

/*
 * LZ4 frame (lz4_Frame_format.md), as Java's KafkaLZ4BlockInputStream takes it:
 *
 *   magic        04 22 4d 18
 *   flags        60   version 1, independent blocks, no checksums, no content size
 *   block size   60   blocks of up to 1 MiB, uncompressed
 *   checksum     51   second byte of xxHash32 of the two bytes before
 *   block        size (4 bytes, lowest first), bytes
 *   end mark     00 00 00 00
 */
const FRAME_HEADER: Uint8Array = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51)
const BLOCK_SIZE_AT = BATCH_HEADER_BYTES + 7
const BLOCK_AT = BLOCK_SIZE_AT + 4
const END_MARK_BYTES = 4
/** One block a batch. Java refuses a block that is larger than the frame says, compressed or not. */
const BLOCK_BYTES_MAX = 2 ** 20

const LENGTH_BYTES_MAX = 5

/**
 * A batch that is LZ4 from the first byte: the prefixes of keys and values are written as matches, and so are the fields of a
 * value that are those of an earlier one; all else is literals. Nothing is searched for, and the prefixes are not even copied:
 * docs/adr/0004-compression.md and 0014-texts-that-resemble.md.
 */
export class RepeatBatchBuilder implements BatchBuilder {
  recordCount = 0
  maxTimestamp = 0
  readonly #pool: BufferPool
  readonly #blockBytesMax: number
  readonly #endMax: number
  readonly #block: Lz4BlockWriter
  readonly #earlier: EarlierTexts
  readonly #repetition: RepetitionWriter
  #baseTimestamp = 0

  /**
   * Whether a record can be the first of such a batch: it has a prefix that is worth it, and surely fits. The others are
   * left to a builder that compresses.
   */
  static suits(record: OutgoingRecord, limits: BatchLimits): boolean {
    const { key, value } = record
    const prefixBytes = (key?.prefix.length ?? 0) + (value?.prefix.length ?? 0)
    if (prefixBytes < PREFIX_BYTES_MIN) return false
    // Twice what it may grow to by length bytes: such a record is far from any limit.
    return recordBodyBytes(record, 0, 0) * 1.01 + 200 < Math.min(limits.wireBytesMax, BLOCK_BYTES_MAX)
  }

  /** `startBytes`: what the batch is expected to grow to, compressed. */
  constructor(pool: BufferPool, limits: BatchLimits, startBytes: number) {
    this.#pool = pool
    this.#blockBytesMax = Math.min(limits.batchBytesMax - BATCH_HEADER_BYTES, BLOCK_BYTES_MAX)
    this.#endMax = Math.min(limits.wireBytesMax - END_MARK_BYTES, BLOCK_AT + BLOCK_BYTES_MAX)
    this.#block = new Lz4BlockWriter(pool.take(startBytes), BLOCK_AT)
    this.#earlier = new EarlierTexts(this.#block)
    this.#repetition = new RepetitionWriter(this.#block)
  }

  get recordBytes(): number {
    return this.#block.position
  }

  append(record: OutgoingRecord, timestamp: number): boolean {
    const { key, value } = record
    const count = this.recordCount
    const block = this.#block
    if (count === 0) this.#baseTimestamp = this.maxTimestamp = timestamp
    const timestampDelta = timestamp - this.#baseTimestamp
    const bodyBytes = recordBodyBytes(record, timestampDelta, count)
    const endMax = block.endMax(bodyBytes + LENGTH_BYTES_MAX)
    if (count > 0 && (block.position + bodyBytes + LENGTH_BYTES_MAX > this.#blockBytesMax || endMax > this.#endMax)) {
      return false
    }
    if (endMax + END_MARK_BYTES > block.bytes.length) {
      block.moveTo(this.#pool.grow(block.bytes, block.end, endMax + END_MARK_BYTES))
    }

    const bytes = block.bytes
    let at = writeVarint(bytes, block.end, bodyBytes)
    bytes[at++] = 0
    at = writeVarint(bytes, at, timestampDelta)
    block.end = writeVarint(bytes, at, count)
    if (key === null) bytes[block.end++] = NULL_LENGTH
    else writeRepeatingPart(block, key)
    if (value === null) bytes[block.end++] = NULL_LENGTH
    else this.#writeValue(value)
    if (record.headers.length === 0) bytes[block.end++] = 0
    else block.end = writeHeaders(bytes, block.end, record.headers)
    this.recordCount = count + 1
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp
    return true
  }

  #writeValue(value: RecordPart): void {
    const block = this.#block
    block.end = writeVarint(block.bytes, block.end, partBytes(value))
    if (value.prefix.length > 0) block.repeat(value.prefix)
    const { text } = value
    if (text !== undefined && text !== null && text.marks.count > 0 && value.start === 0)
      this.#earlier.write(value, text)
    else if (this.#repetition.suits(value)) this.#repetition.write(value)
    else block.end = writeRest(block.bytes, block.end, value)
  }

  finish(): EncodedBatch {
    const block = this.#block
    block.close()
    const { bytes: buffer, end } = block
    buffer.set(FRAME_HEADER, BATCH_HEADER_BYTES)
    buffer.writeUInt32LE(end - BLOCK_AT, BLOCK_SIZE_AT)
    buffer.writeUInt32LE(0, end)
    const length = end + END_MARK_BYTES
    writeBatchHeader(buffer, length, {
      attributes: CODEC_ATTRIBUTE.lz4,
      recordCount: this.recordCount,
      baseTimestamp: this.#baseTimestamp,
      maxTimestamp: this.maxTimestamp,
    })
    return { buffer, length }
  }
}

/** With less than this to be saved in a record a searching compressor does better. */
const PREFIX_BYTES_MIN = 100

function writeRepeatingPart(block: Lz4BlockWriter, part: RecordPart): void {
  block.end = writeVarint(block.bytes, block.end, partBytes(part))
  if (part.prefix.length > 0) block.repeat(part.prefix)
  block.end = writeRest(block.bytes, block.end, part)
}
