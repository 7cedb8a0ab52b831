/** Positions in a batch: packages/kafka/src/protocol/record-batch.ts has its grammar. */
const AT = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  epoch: 51,
  baseSequence: 53,
  recordCount: 57,
} as const

export const BATCH_HEADER_BYTES = 61
/** The fields that batchLength does not count. */
export const BATCH_PREFIX_BYTES = 12
export const CODEC_BITS = 0b111
export const LOG_APPEND_TIME_BIT: number = 1 << 3
export const TRANSACTIONAL_BIT: number = 1 << 4
export const CONTROL_BIT: number = 1 << 5
export const NO_PRODUCER_ID = -1n

/** The header of a batch. Times in milliseconds since 1970. */
export interface BatchHeader {
  readonly baseOffset: number
  readonly lastOffset: number
  /** The whole batch, in bytes. */
  readonly length: number
  readonly leaderEpoch: number
  readonly magic: number
  readonly crc: number
  readonly attributes: number
  readonly lastOffsetDelta: number
  readonly baseTimestamp: bigint
  readonly maxTimestamp: bigint
  readonly producerId: bigint
  readonly epoch: number
  readonly baseSequence: number
  readonly recordCount: number
}

/** `batch` has at least BATCH_HEADER_BYTES bytes. */
export function readBatchHeader(batch: Buffer): BatchHeader {
  const baseOffset = Number(batch.readBigInt64BE(0))
  const lastOffsetDelta = batch.readInt32BE(AT.lastOffsetDelta)
  return {
    baseOffset,
    lastOffset: baseOffset + lastOffsetDelta,
    length: BATCH_PREFIX_BYTES + batch.readInt32BE(AT.length),
    leaderEpoch: batch.readInt32BE(AT.leaderEpoch),
    magic: batch.readInt8(AT.magic),
    crc: batch.readUInt32BE(AT.crc),
    attributes: batch.readInt16BE(AT.attributes),
    lastOffsetDelta,
    baseTimestamp: batch.readBigInt64BE(AT.baseTimestamp),
    maxTimestamp: batch.readBigInt64BE(AT.maxTimestamp),
    producerId: batch.readBigInt64BE(AT.producerId),
    epoch: batch.readInt16BE(AT.epoch),
    baseSequence: batch.readInt32BE(AT.baseSequence),
    recordCount: batch.readInt32BE(AT.recordCount),
  }
}

/** Writes what a broker sets; the checksum does not cover it. */
export function placeBatch(batch: Buffer, baseOffset: number, leaderEpoch: number): void {
  batch.writeBigInt64BE(BigInt(baseOffset), 0)
  batch.writeInt32BE(leaderEpoch, AT.leaderEpoch)
}

/** Marks all records with the time of the append. The checksum has to be written after it. */
export function setAppendTime(batch: Buffer, timeMs: number): void {
  batch.writeInt16BE(batch.readInt16BE(AT.attributes) | LOG_APPEND_TIME_BIT, AT.attributes)
  batch.writeBigInt64BE(BigInt(timeMs), AT.maxTimestamp)
}

export function writeChecksum(batch: Buffer, crc: number): void {
  batch.writeUInt32BE(crc, AT.crc)
}

/** The bytes that the checksum covers. */
export function checkedBytes(batch: Buffer): Buffer {
  return batch.subarray(AT.attributes)
}

/** The batch with other records, which are not compressed. The checksum has to be written after it. */
export function withRecords(batch: Buffer, records: readonly Buffer[]): Buffer {
  const all = Buffer.concat([batch.subarray(0, BATCH_HEADER_BYTES), ...records])
  all.writeInt32BE(all.length - BATCH_PREFIX_BYTES, AT.length)
  all.writeInt16BE(all.readInt16BE(AT.attributes) & ~CODEC_BITS, AT.attributes)
  all.writeInt32BE(records.length, AT.recordCount)
  return all
}

export function isTransactional({ attributes }: BatchHeader): boolean {
  return (attributes & TRANSACTIONAL_BIT) !== 0
}

export function isControl({ attributes }: BatchHeader): boolean {
  return (attributes & CONTROL_BIT) !== 0
}

export interface MarkerFields {
  readonly producerId: bigint
  readonly epoch: number
  readonly isCommit: boolean
  readonly timeMs: number
}

const MARKER_BYTES = 78

/**
 * A control batch that ends a transaction; `checksum` computes CRC-32C.
 *
 *     record => length 16 (zigzag varint), attributes 0, timestampDelta 0, offsetDelta 0,
 *               key length 4: version INT16 0, type INT16 (0 abort, 1 commit),
 *               value length 6: version INT16 0, coordinatorEpoch INT32 0, no headers
 */
export function markerBatch(fields: MarkerFields, checksum: (bytes: Buffer) => number): Buffer {
  const { producerId, epoch, isCommit, timeMs } = fields
  const batch = Buffer.alloc(MARKER_BYTES)
  batch.writeInt32BE(MARKER_BYTES - BATCH_PREFIX_BYTES, AT.length)
  batch.writeInt8(2, AT.magic)
  batch.writeInt16BE(TRANSACTIONAL_BIT | CONTROL_BIT, AT.attributes)
  batch.writeBigInt64BE(BigInt(timeMs), AT.baseTimestamp)
  batch.writeBigInt64BE(BigInt(timeMs), AT.maxTimestamp)
  batch.writeBigInt64BE(producerId, AT.producerId)
  batch.writeInt16BE(epoch, AT.epoch)
  batch.writeInt32BE(-1, AT.baseSequence)
  batch.writeInt32BE(1, AT.recordCount)
  const record = batch.subarray(BATCH_HEADER_BYTES)
  record.set([2 * 16, 0, 0, 0, 2 * 4, 0, 0, 0, isCommit ? 1 : 0, 2 * 6], 0)
  writeChecksum(batch, checksum(checkedBytes(batch)))
  return batch
}

/** Whether a control batch commits. Throws RangeError for another control record. */
export function isCommitMarker(batch: Buffer): boolean {
  const type = batch.readInt16BE(BATCH_HEADER_BYTES + 7)
  if (type !== 0 && type !== 1) throw new RangeError(`a control record of type ${type}`)
  return type === 1
}
