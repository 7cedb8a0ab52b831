export { startKafka } from './kafka/start-kafka.ts'
export type { KafkaServer, StartKafkaOptions } from './kafka/start-kafka.ts'
export { runKafkaTool } from './kafka/run-java.ts'
export { startFaultProxy } from './network/fault-proxy.ts'
