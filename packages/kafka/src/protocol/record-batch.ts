import { crc32c } from '@node-rs/crc32'

/*
 * RecordBatch, magic 2 (protocol guide, "Record Batch"):
 *
 *   at  0  baseOffset            INT64   0, set by the broker
 *   at  8  batchLength           INT32   bytes after this field
 *   at 12  partitionLeaderEpoch  INT32   -1, set by the broker
 *   at 16  magic                 INT8    2
 *   at 17  crc                   UINT32  CRC-32C of all bytes after it
 *   at 21  attributes            INT16   bits 0-2 codec, 3 timestamp type, 4 transactional, 5 control
 *   at 23  lastOffsetDelta       INT32
 *   at 27  baseTimestamp         INT64
 *   at 35  maxTimestamp          INT64
 *   at 43  producerId            INT64
 *   at 51  producerEpoch         INT16
 *   at 53  baseSequence          INT32
 *   at 57  recordCount           INT32
 *   at 61  records               compressed as a whole when a codec is set
 */
export const BATCH_HEADER_BYTES = 61
export const CODEC_MASK = 0b111
export const LOG_APPEND_TIME: number = 1 << 3
export const TRANSACTIONAL: number = 1 << 4
export const CONTROL: number = 1 << 5

/** The codec numbers in the attributes. */
export const CODEC_ATTRIBUTE = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const

export interface BatchHeader {
  readonly attributes: number
  readonly recordCount: number
  /** Milliseconds since 1970. */
  readonly baseTimestamp: number
  readonly maxTimestamp: number
}

export interface ProducerState {
  readonly producerId: bigint
  readonly epoch: number
  /** Its batches belong to transactions. */
  readonly isTransactional?: boolean
}

/** Writes the header of a batch whose records end at `end`, except producer state and checksum (`stampBatch`). */
export function writeBatchHeader(bytes: Buffer, end: number, header: BatchHeader): void {
  bytes.writeBigInt64BE(0n, 0)
  bytes.writeInt32BE(end - 12, 8)
  bytes.writeInt32BE(-1, 12)
  bytes.writeInt8(2, 16)
  bytes.writeInt16BE(header.attributes, 21)
  bytes.writeInt32BE(header.recordCount - 1, 23)
  bytes.writeBigInt64BE(BigInt(header.baseTimestamp), 27)
  bytes.writeBigInt64BE(BigInt(header.maxTimestamp), 35)
  bytes.writeInt32BE(header.recordCount, 57)
}

/**
 * Writes producer state and sequence number, then the checksum. `batch` is exactly the batch. Called before the first
 * attempt to produce it, and again only when its sequence number or epoch changes.
 */
export function stampBatch(batch: Buffer, producer: ProducerState, sequence: number): void {
  // Compression has written the attributes anew.
  if (producer.isTransactional === true) batch.writeInt16BE(batch.readInt16BE(21) | TRANSACTIONAL, 21)
  batch.writeBigInt64BE(producer.producerId, 43)
  batch.writeInt16BE(producer.epoch, 51)
  batch.writeInt32BE(sequence, 53)
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17)
}

/** The sequence number after a batch. Sequence numbers count records and wrap from 2^31 - 1 to 0. */
export function sequenceAfter(sequence: number, recordCount: number): number {
  return (sequence + recordCount) & 0x7fffffff
}
