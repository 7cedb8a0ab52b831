import type { ProducerOptions } from '../api/producer.ts'
import type { TransactionalProducerOptions } from '../api/transactional-producer.ts'
import { canCompress } from '../api/codec-support.ts'
import { PropertyReader, type Properties } from './property-reader.ts'

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

/**
 * Reads the properties of a Java producer: compression.type, buffer.memory, batch.size, linger.ms, request.timeout.ms,
 * delivery.timeout.ms, max.request.size, transaction.timeout.ms. It ignores settings that do not change what is delivered (retries,
 * retry.backoff.ms, max.in.flight.requests.per.connection, max.block.ms, serialisers), and those that ask for weaker
 * guarantees than the producer has (acks, enable.idempotence).
 *
 * Throws SETTING_INVALID, or SETTING_UNSUPPORTED for other partitioners and a transactional id.
 */
export function producerOptionsFromProperties(
  properties: Properties,
): Omit<ProducerOptions, 'onDelivered'> & Pick<TransactionalProducerOptions, 'transactionTimeoutMs'> {
  const reader = new PropertyReader(properties)
  const instead = 'Remove it.'
  reader.choice('acks', ['all', '-1', '0', '1'], 'all')
  const partitions = 'Tributary chooses partitions as the default partitioner of Java does'
  reader.refuse('partitioner.class', { unless: [DEFAULT_PARTITIONER], reason: partitions, instead })
  reader.refuse('partitioner.ignore.keys', { unless: ['false'], reason: partitions, instead })
  reader.refuse('transactional.id', {
    unless: [],
    reason: 'the worker chooses it (exactly.once.source.support)',
    instead,
  })
  const compression = reader.choice('compression.type', ['', ...CODECS], '')
  if (compression !== '' && !canCompress(compression)) {
    const missing = `Node.js ${process.versions.node} has no zstd; Node.js 22.15 and later have it`
    reader.refuse('compression.type', {
      unless: [],
      reason: missing,
      instead: 'Use another codec or a later Node.js.',
    })
  }
  return {
    ...(compression !== '' && { compression }),
    ...number(reader, 'buffer.memory', 'bufferBytesMax', 1),
    // 0 means one record per batch, as in Java.
    ...number(reader, 'batch.size', 'batchBytesMax', 0),
    ...number(reader, 'linger.ms', 'lingerMs', 0),
    ...number(reader, 'request.timeout.ms', 'requestTimeoutMs', 1),
    ...number(reader, 'delivery.timeout.ms', 'deliveryTimeoutMs', 1),
    ...number(reader, 'max.request.size', 'requestBytesMax', 1),
    ...number(reader, 'transaction.timeout.ms', 'transactionTimeoutMs', 1),
  }
}

const DEFAULT_PARTITIONER = 'org.apache.kafka.clients.producer.internals.DefaultPartitioner'

type NumberOption =
  | 'bufferBytesMax'
  | 'batchBytesMax'
  | 'lingerMs'
  | 'requestTimeoutMs'
  | 'deliveryTimeoutMs'
  | 'requestBytesMax'
  | 'transactionTimeoutMs'

function number(
  reader: PropertyReader,
  name: string,
  option: NumberOption,
  least: number,
): Partial<Record<NumberOption, number>> {
  const value = name.endsWith('.ms') ? reader.milliseconds(name, least) : reader.wholeNumber(name, least)
  return value === undefined ? {} : { [option]: value }
}
