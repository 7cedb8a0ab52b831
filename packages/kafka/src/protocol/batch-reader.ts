import { crc32c } from '@node-rs/crc32'
import type { RecordHeader } from '../api/records.ts'
import { decompressRecords } from './compression.ts'
import { BATCH_HEADER_BYTES, LOG_APPEND_TIME } from './record-batch.ts'

/** A record of a batch. Key, value and headers are views of the bytes of the batch. */
export interface BatchRecord {
  readonly offsetDelta: number
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
}

/** A batch whose header is read; `readRecords` decodes its records. */
export interface ReceivedBatch {
  readonly baseOffset: bigint
  /** Offset of its last record, which compaction may have removed. */
  readonly lastOffset: bigint
  readonly attributes: number
  readonly producerId: bigint
  readonly recordCount: number
  /** The whole batch; its checksum is verified. */
  readonly bytes: Buffer
}

/**
 * Returns the complete batches of a Fetch response. Skips the last batch if the size limit of the request cut it off.
 * Throws RangeError for invalid bytes.
 */
export function readBatches(bytes: Buffer): ReceivedBatch[] {
  const batches: ReceivedBatch[] = []
  let at = 0
  while (bytes.length - at >= BATCH_LENGTH_END) {
    const end = at + BATCH_LENGTH_END + bytes.readInt32BE(at + 8)
    if (end > bytes.length) break
    batches.push(readBatch(bytes.subarray(at, end)))
    at = end
  }
  return batches
}

/** baseOffset and batchLength, which batchLength does not count. */
const BATCH_LENGTH_END = 12

function readBatch(bytes: Buffer): ReceivedBatch {
  if (bytes.length < BATCH_HEADER_BYTES) throw new RangeError(`a batch has only ${bytes.length} bytes`)
  const baseOffset = bytes.readBigInt64BE(0)
  const magic = bytes.readInt8(16)
  if (magic !== 2)
    throw new RangeError(
      `message format ${magic} at offset ${baseOffset} is not supported, only 2 (Kafka 0.11 and later)`,
    )
  if (crc32c(bytes.subarray(21)) !== bytes.readUInt32BE(17))
    throw new RangeError(`wrong checksum at offset ${baseOffset}`)
  return {
    baseOffset,
    lastOffset: baseOffset + BigInt(bytes.readInt32BE(23)),
    attributes: bytes.readInt16BE(21),
    producerId: bytes.readBigInt64BE(43),
    recordCount: bytes.readInt32BE(57),
    bytes,
  }
}

/** Decompresses and decodes the records. Throws an error of the codec or a RangeError for invalid bytes. */
export function readRecords(batch: ReceivedBatch): BatchRecord[] {
  const { bytes, attributes } = batch
  const baseTimestamp = Number(bytes.readBigInt64BE(27))
  const appendTimestamp = attributes & LOG_APPEND_TIME ? Number(bytes.readBigInt64BE(35)) : null
  const cursor = new RecordCursor(decompressRecords(bytes.subarray(BATCH_HEADER_BYTES), attributes))
  if (batch.recordCount > RECORDS_MAX) {
    throw new RangeError(`the batch at offset ${batch.baseOffset} has more than ${RECORDS_MAX} records`)
  }
  const records: BatchRecord[] = []
  for (let i = 0; i < batch.recordCount; i++) {
    const end = cursor.varint() + cursor.at
    cursor.at += 1
    const timestamp = appendTimestamp ?? baseTimestamp + cursor.varint()
    if (appendTimestamp !== null) cursor.varint()
    const offsetDelta = cursor.varint()
    const record = {
      offsetDelta,
      timestamp,
      key: cursor.field(),
      value: cursor.field(),
      headers: recordHeaders(cursor),
    }
    if (cursor.at !== end)
      throw new RangeError(`record ${i} of the batch at offset ${batch.baseOffset} has a wrong length`)
    records.push(record)
  }
  return records
}

/** Decodes headers from the bytes of a record after their count. Throws RangeError at the end of the bytes. */
export function readHeaders(bytes: Buffer, count: number): readonly RecordHeader[] {
  return headersAt(new RecordCursor(bytes), count)
}

function recordHeaders(cursor: RecordCursor): readonly RecordHeader[] {
  return headersAt(cursor, cursor.varint())
}

function headersAt(cursor: RecordCursor, count: number): readonly RecordHeader[] {
  if (count === 0) return NO_HEADERS
  // Two bytes each: lengths of key and value.
  if (count < 0 || count > cursor.remaining / 2) throw new RangeError(`a record has ${count} headers`)
  return Array.from({ length: count }, () => ({ key: cursor.field() ?? Buffer.alloc(0), value: cursor.field() }))
}

const NO_HEADERS: readonly RecordHeader[] = []

/** A batch of 16 MiB with records of 16 bytes has as many. Each becomes an object. */
const RECORDS_MAX = 1_000_000

/** Reads the bytes of records. Throws RangeError at their end. */
class RecordCursor {
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get remaining(): number {
    return this.#bytes.length - this.at
  }

  /** A zigzag varint of up to 2^53. */
  varint(): number {
    const bytes = this.#bytes
    let value = 0
    let scale = 1
    for (;;) {
      const byte = bytes[this.at++]
      if (byte === undefined) throw new RangeError('a record exceeds its batch')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) break
      scale *= 0x80
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** Bytes preceded by their length; null for length -1. */
  field(): Buffer | null {
    const length = this.varint()
    if (length < 0) return null
    const start = this.at
    this.at += length
    if (this.at > this.#bytes.length) throw new RangeError('a record exceeds its batch')
    return this.#bytes.subarray(start, this.at)
  }
}
