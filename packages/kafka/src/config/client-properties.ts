import { kafkaErrors } from '../api/errors.ts'
import type { KafkaOptions } from '../api/kafka.ts'
import { PropertyReader, type Properties } from './property-reader.ts'
import { saslOptions } from './sasl-properties.ts'
import { tlsOptions } from './tls-properties.ts'

/** The connection settings in the properties of a Java client; the caller adds logger and clock. */
export type KafkaConnectionOptions = Omit<KafkaOptions, 'logger' | 'clock'>

const DEFAULT_CLIENT_ID = 'tributary'

/**
 * Reads the properties of a Java Kafka client, under their Java names: bootstrap.servers, client.id, security.protocol,
 * sasl.*, ssl.*, request.timeout.ms, metadata.max.age.ms, socket.connection.setup.timeout.ms. It ignores others.
 *
 * Throws SETTING_MISSING, SETTING_INVALID, or SETTING_UNSUPPORTED for a setting that cannot be ignored without
 * weakening or breaking the connection.
 */
export function kafkaOptionsFromProperties(properties: Properties): KafkaConnectionOptions {
  const reader = new PropertyReader(properties)
  const protocol = reader.choice('security.protocol', SECURITY_PROTOCOLS, 'PLAINTEXT')
  const requestTimeoutMs = reader.milliseconds('request.timeout.ms', 1)
  const metadataMaxAgeMs = reader.milliseconds('metadata.max.age.ms', 0)
  const connectTimeoutMs = reader.milliseconds('socket.connection.setup.timeout.ms', 1)
  const usesTls = protocol === 'SSL' || protocol === 'SASL_SSL'
  const usesSasl = protocol === 'SASL_PLAINTEXT' || protocol === 'SASL_SSL'
  return {
    bootstrapServers: bootstrapServers(reader),
    clientId: reader.text('client.id') ?? DEFAULT_CLIENT_ID,
    ...(usesTls && { tls: tlsOptions(reader) }),
    ...(usesSasl && { sasl: saslOptions(reader, protocol) }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(metadataMaxAgeMs !== undefined && { metadataMaxAgeMs }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  }
}

const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const

function bootstrapServers(reader: PropertyReader): readonly string[] {
  const servers = (reader.text('bootstrap.servers') ?? '')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '')
  if (servers.length > 0) return servers
  throw kafkaErrors.SETTING_MISSING({
    name: 'bootstrap.servers',
    why: ': it names the Kafka brokers as host:port,host:port',
  })
}
