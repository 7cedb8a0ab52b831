/**
 * A client of a Kafka cluster: producer, topic reader and administration.
 *
 *     const kafka = createKafka({ ...kafkaOptionsFromProperties(properties), logger, clock: systemClock })
 *     await using producer = await kafka.producer({ onDelivered: (tokens) => committer.acknowledge(tokens) })
 *     const topic = await producer.topic('inventory.customers')
 *     topic.send({ key, value, headers: [], partition: null, timestamp: null, token: 1 })
 *     if (producer.isFull) await producer.ready(signal)
 *     await producer.flush(signal)
 */
export type { Admin, ClusterDescription, NewTopic, TopicDescription } from './api/admin.ts'
export type { BrokerSocket, OpenSocket, OpenSocketOptions } from './api/broker-socket.ts'
export { recordSizeOf, recordTooLarge, type RecordSize } from './api/record-too-large.ts'
export { kafkaErrors } from './api/errors.ts'
export type {
  GroupClient,
  GroupDescription,
  GroupMember,
  GroupOptions,
  GroupProtocol,
  HeartbeatResult,
  JoinedGroup,
  JoinResult,
} from './api/group.ts'
export type { Kafka, KafkaOptions, PasswordLogin, SaslOptions, TokenLogin } from './api/kafka.ts'
export type {
  Assertion,
  AwsCredentials,
  AwsIamTokens,
  Grant,
  RefreshWindow,
  TokenEndpoint,
  TokenFile,
  TokenSettings,
  UnsecuredTokens,
} from './api/token-settings.ts'
export type { TlsOptions, TlsVersion } from './api/tls-options.ts'
export type { CodecReader, CodecSample } from './api/codec-reader.ts'
export type {
  Compression,
  Producer,
  ProducerOptions,
  ProducerTopic,
  SendWindowLimits,
  TopicOptions,
} from './api/producer.ts'
export type { HeaderRun, LogRecord, OutgoingRecord, RecordHeader, RecordPart } from './api/records.ts'
export { ProducerStats } from './api/producer-stats.ts'
export { textPart } from './api/text-part.ts'
export type { TopicReader, TopicReaderOptions } from './api/topic-reader.ts'
export type { TransactionalProducer, TransactionalProducerOptions } from './api/transactional-producer.ts'
export { clientRefusal } from './client-refusal.ts'
export type { ClientRefusal, ClientToCheck } from './client-refusal.ts'
export { kafkaOptionsFromProperties } from './config/client-properties.ts'
export type { KafkaConnectionOptions } from './config/client-properties.ts'
export { producerOptionsFromProperties } from './config/producer-properties.ts'
export { tlsOptionsFromProperties } from './config/tls-properties.ts'
export { createKafka } from './create-kafka.ts'
export { HeaderBlock } from './protocol/header-block.ts'
export { partitionForKey } from './protocol/murmur2.ts'
export { readBatches, readRecords } from './protocol/batch-reader.ts'
export type { BatchRecord, ReceivedBatch } from './protocol/batch-reader.ts'
