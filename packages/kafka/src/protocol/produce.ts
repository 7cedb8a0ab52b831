import { Writer, type Reader } from '@platformatic/kafka'

/*
 * Produce Request (Version: 9) => transactional_id acks timeout_ms [topic_data] TAG_BUFFER
 *   transactional_id => COMPACT_NULLABLE_STRING
 *   acks => INT16
 *   timeout_ms => INT32
 *   topic_data => name [partition_data] TAG_BUFFER
 *     name => COMPACT_STRING
 *     partition_data => index records TAG_BUFFER
 *       index => INT32
 *       records => COMPACT_RECORDS
 *
 * Version 9 (Kafka 2.8) has everything that an idempotent producer needs. The library's codec builds batches from
 * message objects; this one puts sealed batches between small chunks, so that they are written to the socket without a
 * copy.
 */
export const PRODUCE_API_KEY = 0
export const PRODUCE_VERSION = 9

export interface ProduceTopicData {
  readonly topic: string
  readonly partitions: readonly { readonly partition: number; readonly batch: Buffer }[]
}

const ACKS_ALL = -1

export interface ProduceRequestOptions {
  readonly topics: readonly ProduceTopicData[]
  /** How long the broker may wait for the other replicas. */
  readonly timeoutMs: number
  /** The id of the producer if the batches belong to a transaction. */
  readonly transactionalId?: string | undefined
}

/** The request body as consecutive chunks. */
export function produceRequest(options: ProduceRequestOptions): Buffer[] {
  const { topics, timeoutMs, transactionalId } = options
  const chunks: Buffer[] = []
  let writer = Writer.create()
    .appendString(transactionalId ?? null)
    .appendInt16(ACKS_ALL)
    .appendInt32(timeoutMs)
    .appendUnsignedVarInt(topics.length + 1)
  for (const { topic, partitions } of topics) {
    writer.appendString(topic).appendUnsignedVarInt(partitions.length + 1)
    for (const { partition, batch } of partitions) {
      writer.appendInt32(partition).appendUnsignedVarInt(batch.length + 1)
      chunks.push(writer.buffer, batch)
      writer = Writer.create().appendTaggedFields()
    }
    writer.appendTaggedFields()
  }
  chunks.push(writer.appendTaggedFields().buffer)
  return chunks
}

export interface ProducedPartition {
  readonly topic: string
  readonly partition: number
  readonly errorCode: number
  readonly baseOffset: bigint
  /** The broker's message; null when it sent none. */
  readonly errorMessage: string | null
}

/*
 * Produce Response (Version: 9) => [responses] throttle_time_ms TAG_BUFFER
 *   responses => name [partition_responses] TAG_BUFFER
 *     name => COMPACT_STRING
 *     partition_responses => index error_code base_offset log_append_time_ms log_start_offset [record_errors] error_message TAG_BUFFER
 *       index => INT32
 *       error_code => INT16
 *       base_offset => INT64
 *       log_append_time_ms => INT64
 *       log_start_offset => INT64
 *       record_errors => batch_index batch_index_error_message TAG_BUFFER
 *         batch_index => INT32
 *         batch_index_error_message => COMPACT_NULLABLE_STRING
 *       error_message => COMPACT_NULLABLE_STRING
 *   throttle_time_ms => INT32
 */
export function parseProduceResponse(reader: Reader): ProducedPartition[] {
  const produced: ProducedPartition[] = []
  reader.readArray((r) => {
    const topic = r.readString()
    r.readArray(() => produced.push(readPartitionResponse(r, topic)))
  })
  // Ignores the throttle time: the broker itself stops reading from a connection that it throttles (KIP-219).
  reader.readInt32()
  reader.readTaggedFields()
  return produced
}

function readPartitionResponse(reader: Reader, topic: string): ProducedPartition {
  const partition = reader.readInt32()
  const errorCode = reader.readInt16()
  const baseOffset = reader.readInt64()
  // log_append_time_ms and log_start_offset
  reader.skip(16)
  const recordErrors = reader.readArray((r) => ({ index: r.readInt32(), message: r.readNullableString() }))
  const errorMessage = reader.readNullableString()
  const [firstError] = recordErrors
  return {
    topic,
    partition,
    errorCode,
    baseOffset,
    errorMessage: errorMessage ?? firstError?.message ?? null,
  }
}
