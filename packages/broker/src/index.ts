/**
 * A small Kafka-compatible broker for development and tests: one node, no replication.
 *
 *     await using broker = await startBroker({ port: 9092 })
 *     const worker = { 'bootstrap.servers': broker.bootstrapServers }
 */
export { brokerErrors } from './errors.ts'
// The parts without sockets, files and clock, for a simulation.
export { BrokerCore } from './core/broker-core.ts'
export type { CoreOptions, Incoming } from './core/broker-core.ts'
export { ErrorCode } from './protocol/error-code.ts'
export { MessageCodec } from './protocol/message-codec.ts'
export type { ApiName, RequestOf, ResponseOf } from './protocol/message-types.ts'
export { ClientConnection } from './shell/client-connection.ts'
export type { ClientSocket } from './shell/client-socket.ts'
export type { BrokerStorage, PartitionStorage, StoredBatch, StoredSegment } from './storage/broker-storage.ts'
export type { JournalEntry } from './storage/journal-entry.ts'
export { startBroker } from './shell/start-broker.ts'
export type { BrokerOptions, BrokerTls, DevelopmentBroker } from './shell/start-broker.ts'
