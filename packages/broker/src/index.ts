/**
 * A small Kafka-compatible broker for development and tests: one node, no replication.
 *
 *     await using broker = await startBroker({ port: 9092 })
 *     const worker = { 'bootstrap.servers': broker.bootstrapServers }
 */
export { brokerErrors } from './errors.ts'
export { startBroker } from './shell/start-broker.ts'
export type { BrokerOptions, BrokerTls, DevelopmentBroker } from './shell/start-broker.ts'
