import { createKafka, kafkaOptionsFromProperties } from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import { historyClientProperties } from './history-client.ts'
import { KafkaSchemaHistory } from './kafka-schema-history.ts'
import type { SchemaHistory } from './schema-history.ts'

export interface KafkaHistorySettings {
  /** `schema.history.internal.kafka.bootstrap.servers` */
  readonly bootstrapServers: string
  readonly topic: string
  /** The connector's properties: `schema.history.internal.producer.…` sets up the connection (TLS, SASL). */
  readonly properties: Readonly<Record<string, string>>
  readonly clientId: string
  /** Asked before each write, which waits while it returns false. */
  readonly mayWrite: () => boolean
  readonly logger: Logger
  readonly clock: Clock
}

const SERVERS_SETTING = 'schema.history.internal.kafka.bootstrap.servers'
const SECURITY_SETTING =
  'schema.history.internal.producer.security.protocol and schema.history.internal.consumer.security.protocol'
/** Logger of all connections to brokers, also those of the worker and of the task. */
const CLIENT_LOGGER = 'org.apache.kafka.clients'

/** Opens the schema history of a connector on the brokers that its configuration names. */
export function openKafkaSchemaHistory(settings: KafkaHistorySettings): SchemaHistory {
  const { bootstrapServers, topic, properties, clientId, mayWrite, logger, clock } = settings
  const options = kafkaOptionsFromProperties(historyClientProperties(properties, bootstrapServers))
  const clientLogger = logger.child({ logger: CLIENT_LOGGER })
  const names = { serversSetting: SERVERS_SETTING, securitySetting: SECURITY_SETTING }
  const kafka = createKafka({ ...options, ...names, clientId, mayWrite, logger: clientLogger, clock })
  return new KafkaSchemaHistory({ kafka, topic, servers: bootstrapServers, clock, logger })
}
