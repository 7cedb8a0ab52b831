import type { ProducerOptions } from '../api/producer.ts'
import type { BatchLimit, TopicLimits } from './partition.ts'

/** Kafka's default of max.message.bytes: batches are no larger while the setting of the topic is unknown. */
const DEFAULT_MESSAGE_BYTES_MAX = 1_048_588

const BATCH_BYTES_MAX = 4 * 2 ** 20

/**
 * A broker closes the connection at a request above socket.request.max.bytes (100 MiB by default) without an answer. So
 * the producer does not try larger batches. The margin is for the rest of the request.
 */
const REQUEST_BYTES_MAX = 100 * 2 ** 20 - 64 * 2 ** 10

type LimitOptions = Pick<ProducerOptions, 'batchBytesMax' | 'requestBytesMax'>

/** `messageBytes`: max.message.bytes of the topic; undefined: it could not be read. */
export function topicLimits(
  options: LimitOptions,
  messageBytes: number | undefined,
  refusedBytes: number = Infinity,
): TopicLimits {
  const { batchBytesMax = BATCH_BYTES_MAX, requestBytesMax = Infinity } = options
  const bytes = messageBytes ?? DEFAULT_MESSAGE_BYTES_MAX
  return {
    batchBytesMax,
    wireBytesMax: Math.min(bytes, requestBytesMax, refusedBytes - 1),
    limitName: bytes <= requestBytesMax ? 'max.message.bytes of the topic' : 'max.request.size of the producer',
    isKnown: messageBytes !== undefined && messageBytes < refusedBytes,
    refusedBytes,
    checkedAtMs: -Infinity,
  }
}

/** The limit was read again; undefined: it could not be read. */
export function updateLimits(limits: TopicLimits, options: LimitOptions, messageBytes: number | undefined): void {
  if (messageBytes !== undefined) {
    const { wireBytesMax, limitName, isKnown } = topicLimits(options, messageBytes, limits.refusedBytes)
    Object.assign(limits, { wireBytesMax, limitName, isKnown })
    return
  }
  limits.isKnown = false
  limits.wireBytesMax = Math.min(limits.wireBytesMax, limits.refusedBytes - 1)
}

/** The limit of a record that may be offered to a broker whose limit is unknown. */
export function offerLimit({ requestBytesMax = Infinity }: LimitOptions): BatchLimit {
  return requestBytesMax <= REQUEST_BYTES_MAX
    ? { wireBytesMax: requestBytesMax, limitName: 'max.request.size of the producer' }
    : { wireBytesMax: REQUEST_BYTES_MAX, limitName: 'socket.request.max.bytes of the brokers' }
}

/** The maximum age of a limit that refuses a record. */
export const LIMIT_AGE_MS: number = 60_000
