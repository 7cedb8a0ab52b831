import { Writer, type Reader } from '@platformatic/kafka'

/*
 * Fetch Request (Version: 12) => replica_id max_wait_ms min_bytes max_bytes isolation_level session_id session_epoch
 * [topics] [forgotten_topics_data] rack_id TAG_BUFFER
 *   replica_id => INT32
 *   max_wait_ms => INT32
 *   min_bytes => INT32
 *   max_bytes => INT32
 *   isolation_level => INT8
 *   session_id => INT32
 *   session_epoch => INT32
 *   topics => topic [partitions] TAG_BUFFER
 *     topic => COMPACT_STRING
 *     partitions => partition current_leader_epoch fetch_offset last_fetched_epoch log_start_offset partition_max_bytes TAG_BUFFER
 *       partition => INT32
 *       current_leader_epoch => INT32
 *       fetch_offset => INT64
 *       last_fetched_epoch => INT32
 *       log_start_offset => INT64
 *       partition_max_bytes => INT32
 *   forgotten_topics_data => topic [partitions] TAG_BUFFER
 *   rack_id => COMPACT_STRING
 *
 * Version 12 (Kafka 2.7) is the last with topic names instead of ids. The library's codec decodes every record into
 * objects with BigInts and verifies no checksum; this one returns the bytes of the batches.
 */
export const FETCH_API_KEY = 1
export const FETCH_VERSION = 12

export interface FetchQuery {
  readonly topic: string
  readonly partitions: readonly { readonly partition: number; readonly offset: bigint }[]
  /** How long the broker waits for a first byte. */
  readonly maxWaitMs: number
  /** Size limit of the response; a single larger batch is returned nevertheless (KIP-74). */
  readonly maxBytes: number
  /** Returns records only up to the first open transaction, and lists the aborted ones. */
  readonly isCommittedOnly: boolean
}

/** No fetch session (KIP-227): each request lists all partitions. */
const NO_SESSION_ID = 0
const NO_SESSION_EPOCH = -1

export function fetchRequest(query: FetchQuery): Buffer[] {
  const { topic, partitions, maxWaitMs, maxBytes, isCommittedOnly } = query
  const writer = Writer.create()
    .appendInt32(-1)
    .appendInt32(maxWaitMs)
    .appendInt32(1)
    .appendInt32(maxBytes)
    .appendInt8(isCommittedOnly ? 1 : 0)
    .appendInt32(NO_SESSION_ID)
    .appendInt32(NO_SESSION_EPOCH)
    .appendArray([topic], (w, name) => {
      w.appendString(name).appendArray([...partitions], (entry, { partition, offset }) => {
        entry.appendInt32(partition).appendInt32(-1).appendInt64(offset).appendInt32(-1).appendInt64(-1n)
        entry.appendInt32(maxBytes)
      })
    })
    .appendArray([], () => undefined)
    .appendString('')
    .appendTaggedFields()
  return [writer.buffer]
}

export interface FetchedPartition {
  readonly partition: number
  readonly errorCode: number
  /** The offset after the last replicated record. */
  readonly highWatermark: bigint
  /** The offset of the first open transaction, or the high watermark. */
  readonly lastStableOffset: bigint
  readonly logStartOffset: bigint
  readonly abortedTransactions: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[]
  /** Consecutive batches; the last may be cut. */
  readonly records: Buffer
}

export interface FetchResponse {
  readonly errorCode: number
  readonly partitions: readonly FetchedPartition[]
}

/*
 * Fetch Response (Version: 12) => throttle_time_ms error_code session_id [responses] TAG_BUFFER
 *   throttle_time_ms => INT32
 *   error_code => INT16
 *   session_id => INT32
 *   responses => topic [partitions] TAG_BUFFER
 *     topic => COMPACT_STRING
 *     partitions => partition_index error_code high_watermark last_stable_offset log_start_offset [aborted_transactions] preferred_read_replica records TAG_BUFFER
 *       partition_index => INT32
 *       error_code => INT16
 *       high_watermark => INT64
 *       last_stable_offset => INT64
 *       log_start_offset => INT64
 *       aborted_transactions => producer_id first_offset TAG_BUFFER
 *         producer_id => INT64
 *         first_offset => INT64
 *       preferred_read_replica => INT32
 *       records => COMPACT_RECORDS
 */
export function parseFetchResponse(reader: Reader): FetchResponse {
  reader.readInt32()
  const errorCode = reader.readInt16()
  reader.readInt32()
  const partitions: FetchedPartition[] = []
  reader.readArray((r) => {
    r.readString()
    r.readArray(() => partitions.push(readPartition(r)))
  })
  reader.readTaggedFields()
  return { errorCode, partitions }
}

function readPartition(reader: Reader): FetchedPartition {
  const partition = reader.readInt32()
  const errorCode = reader.readInt16()
  const highWatermark = reader.readInt64()
  const lastStableOffset = reader.readInt64()
  const logStartOffset = reader.readInt64()
  const abortedTransactions = reader.readArray((r) => ({ producerId: r.readInt64(), firstOffset: r.readInt64() }))
  // preferred_read_replica is set only for clients that send their rack.
  reader.readInt32()
  const records = reader.readBytes()
  return { partition, errorCode, highWatermark, lastStableOffset, logStartOffset, abortedTransactions, records }
}
