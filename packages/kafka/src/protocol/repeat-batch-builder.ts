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
 *   block        size (4 bytes, lowest first), bytes; as many as there are
 *   end mark     00 00 00 00
 */
const FRAME_HEADER: Uint8Array = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51)
/** In front of each block; the end mark is that of none. */
const BLOCK_SIZE_BYTES = 4
const FIRST_BLOCK_AT = BATCH_HEADER_BYTES + FRAME_HEADER.length + BLOCK_SIZE_BYTES
/** Java refuses a block that is larger than the frame says, compressed or not. It holds one block at a time. */
const BLOCK_BYTES_MAX = 2 ** 20
/** What the end of a block and the begin of the next take at most: the size, and a token with the first byte of a length each. */
const NEXT_BLOCK_BYTES = BLOCK_SIZE_BYTES + 4

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
  readonly #recordBytesMax: number
  readonly #endMax: number
  readonly #block: Lz4BlockWriter
  readonly #repetition: RepetitionWriter
  #baseTimestamp = 0
  /** Where the bytes of the current block begin. */
  #blockAt = FIRST_BLOCK_AT
  /** Of the blocks before it, uncompressed. */
  #closedBytes = 0

  /**
   * Whether a record can be the first of such a batch: it has a prefix that is worth it, and surely fits. The others are
   * left to a builder that compresses.
   */
  static suits(record: OutgoingRecord, limits: BatchLimits): boolean {
    const { key, value } = record
    const prefixBytes = (key?.prefix.length ?? 0) + (value?.prefix.length ?? 0)
    if (prefixBytes < PREFIX_BYTES_MIN) return false
    return recordBodyBytes(record, 0, 0) * BLOCK_GROWTH_MAX + 200 < Math.min(limits.wireBytesMax, BLOCK_BYTES_MAX)
  }

  /** `startBytes`: what the batch is expected to grow to, compressed. */
  constructor(pool: BufferPool, limits: BatchLimits, startBytes: number) {
    this.#pool = pool
    this.#recordBytesMax = limits.batchBytesMax - BATCH_HEADER_BYTES
    this.#endMax = limits.wireBytesMax - BLOCK_SIZE_BYTES
    this.#block = new Lz4BlockWriter(pool.take(startBytes), FIRST_BLOCK_AT)
    this.#repetition = new RepetitionWriter(this.#block)
  }

  get recordBytes(): number {
    return this.#closedBytes + this.#block.position
  }

  append(record: OutgoingRecord, timestamp: number): boolean {
    const { key, value } = record
    const count = this.recordCount
    const block = this.#block
    if (count === 0) this.#baseTimestamp = this.maxTimestamp = timestamp
    const timestampDelta = timestamp - this.#baseTimestamp
    const bodyBytes = recordBodyBytes(record, timestampDelta, count)
    const bytesMax = bodyBytes + LENGTH_BYTES_MAX
    const endMax = block.endMax(bytesMax) + NEXT_BLOCK_BYTES
    if (count > 0 && !this.#hasRoom(bytesMax, endMax)) return false
    if (endMax + BLOCK_SIZE_BYTES > block.bytes.length) {
      block.moveTo(this.#pool.grow(block.bytes, block.end, endMax + BLOCK_SIZE_BYTES))
    }
    if (count > 0 && (block.position + bytesMax > BLOCK_BYTES_MAX || endMax - this.#blockAt > BLOCK_BYTES_MAX)) {
      this.#beginBlock()
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

  /** For so many bytes, which end at that place at most; a record is never divided between blocks. */
  #hasRoom(bytes: number, endMax: number): boolean {
    const fitsBlock = bytes * BLOCK_GROWTH_MAX < BLOCK_BYTES_MAX
    return fitsBlock && this.recordBytes + bytes <= this.#recordBytesMax && endMax <= this.#endMax
  }

  #beginBlock(): void {
    const block = this.#block
    this.#closedBytes += block.position
    this.#closeBlock()
    this.#blockAt = block.end + BLOCK_SIZE_BYTES
    block.begin(this.#blockAt)
  }

  #closeBlock(): void {
    const block = this.#block
    block.close()
    block.bytes.writeUInt32LE(block.end - this.#blockAt, this.#blockAt - BLOCK_SIZE_BYTES)
  }

  #writeValue(value: RecordPart): void {
    const block = this.#block
    block.end = writeVarint(block.bytes, block.end, partBytes(value))
    if (value.prefix.length > 0) block.repeat(value.prefix)
    if (this.#repetition.suits(value)) this.#repetition.write(value)
    else block.end = writeRest(block.bytes, block.end, value)
  }

  finish(): EncodedBatch {
    this.#closeBlock()
    const { bytes: buffer, end } = this.#block
    buffer.set(FRAME_HEADER, BATCH_HEADER_BYTES)
    buffer.writeUInt32LE(0, end)
    const length = end + BLOCK_SIZE_BYTES
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
/** With less than this to be saved in a record a searching compressor does better. */
const PREFIX_BYTES_MIN = 100

function writeRepeatingPart(block: Lz4BlockWriter, part: RecordPart): void {
  block.end = writeVarint(block.bytes, block.end, partBytes(part))
  if (part.prefix.length > 0) block.repeat(part.prefix)
  block.end = writeRest(block.bytes, block.end, part)
}
