import type { ProducerOptions } from '../api/producer.ts'
import type { BatchLimit, TopicLimits } from './partition.ts'

/** Kafka's default of max.message.bytes: batches are no larger while the setting of the topic is unknown. */
const DEFAULT_MESSAGE_BYTES_MAX = 1_048_588

const BATCH_BYTES_MAX = 4 * 2 ** 20

/**
 * A broker closes the connection of a request above socket.request.max.bytes (100 MiB by default) without an answer, so
 * larger batches are not tried. The rest is for what surrounds a batch.
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

/** What may be offered to a broker whose limit is unknown. */
export function offerLimit({ requestBytesMax = Infinity }: LimitOptions): BatchLimit {
  return requestBytesMax <= REQUEST_BYTES_MAX
    ? { wireBytesMax: requestBytesMax, limitName: 'max.request.size of the producer' }
    : { wireBytesMax: REQUEST_BYTES_MAX, limitName: 'socket.request.max.bytes of the brokers' }
}

/** So old may the limit be by which a record is refused. */
export const LIMIT_AGE_MS: number = 60_000
