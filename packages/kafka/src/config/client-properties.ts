import { kafkaErrors } from '../api/errors.ts'
import type { KafkaOptions, SaslOptions } from '../api/kafka.ts'
import { parseJaasConfig } from './jaas-config.ts'
import { PropertyReader, type Properties } from './property-reader.ts'
import { tlsOptions } from './tls-properties.ts'

/** The connection settings in the properties of a Java client; the caller adds logger and clock. */
export type KafkaConnectionOptions = Omit<KafkaOptions, 'logger' | 'clock'>

const DEFAULT_CLIENT_ID = 'tributary'

/**
 * Reads the properties of a Java Kafka client, under their Java names: bootstrap.servers, client.id, security.protocol,
 * sasl.mechanism, sasl.jaas.config, ssl.*, request.timeout.ms, metadata.max.age.ms,
 * socket.connection.setup.timeout.ms. It ignores others.
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

const LOGIN_MODULES: Readonly<Record<SaslOptions['mechanism'], string>> = {
  PLAIN: 'org.apache.kafka.common.security.plain.PlainLoginModule',
  'SCRAM-SHA-256': 'org.apache.kafka.common.security.scram.ScramLoginModule',
  'SCRAM-SHA-512': 'org.apache.kafka.common.security.scram.ScramLoginModule',
}

function saslOptions(reader: PropertyReader, protocol: string): SaslOptions {
  const mechanism = mechanismOf(reader)
  const config = reader.text('sasl.jaas.config')
  if (config === undefined) {
    throw kafkaErrors.SETTING_MISSING({ name: 'sasl.jaas.config', why: `, which security.protocol=${protocol} needs` })
  }
  const { loginModule, options } = parseJaasConfig(config)
  if (loginModule !== LOGIN_MODULES[mechanism]) {
    const reason = `the login module of ${mechanism} is ${LOGIN_MODULES[mechanism]}`
    throw kafkaErrors.SETTING_INVALID({ name: 'sasl.jaas.config', value: loginModule, reason })
  }
  const username = options.get('username')
  const password = options.get('password')
  if (username === undefined || password === undefined || options.get('tokenauth') === 'true') {
    const reason = 'username="…" and password="…" are expected (delegation tokens are not supported)'
    throw kafkaErrors.SETTING_INVALID({ name: 'sasl.jaas.config', value: '(hidden)', reason })
  }
  return { mechanism, username, password }
}

function mechanismOf(reader: PropertyReader): SaslOptions['mechanism'] {
  const value = reader.text('sasl.mechanism')
  switch (value) {
    case 'PLAIN':
    case 'SCRAM-SHA-256':
    case 'SCRAM-SHA-512':
      return value
    case undefined:
      // Java's default is GSSAPI (Kerberos).
      throw kafkaErrors.SETTING_MISSING({
        name: 'sasl.mechanism',
        why: '; its default GSSAPI (Kerberos) is not supported',
      })
    default: {
      const reason = 'Tributary supports PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512'
      const instead = 'Use one of these, or a client certificate (security.protocol=SSL with ssl.keystore.*).'
      throw kafkaErrors.SETTING_UNSUPPORTED({ name: 'sasl.mechanism', value, reason, instead })
    }
  }
}
