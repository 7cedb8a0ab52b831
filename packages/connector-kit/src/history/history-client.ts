import { clientRefusal } from '@tributary/kafka'

type Config = Readonly<Record<string, string>>

const SERVERS = 'schema.history.internal.kafka.bootstrap.servers'
/** The later one overrides: one client reads and writes the history. */
const PREFIXES = ['schema.history.internal.consumer.', 'schema.history.internal.producer.'] as const

/** The properties of the Kafka client of a schema history, under the names of the Java client. */
export function historyClientProperties(config: Config, bootstrapServers: string): Record<string, string> {
  const client: Record<string, string> = {}
  for (const prefix of PREFIXES) {
    for (const [name, value] of Object.entries(config)) {
      if (name.startsWith(prefix)) client[name.slice(prefix.length)] = value
    }
  }
  return { ...client, 'bootstrap.servers': bootstrapServers }
}

/**
 * Why the Kafka client of a connector's schema history cannot be created, by property; empty when it can. It does not
 * connect.
 */
export function historyClientRefusals(config: Config): Readonly<Record<string, readonly string[]>> {
  const { [SERVERS]: servers } = config
  // Another check refuses a configuration without brokers.
  if (servers === undefined || servers.trim() === '') return {}
  const properties = historyClientProperties(config, servers)
  const refusal = clientRefusal({ properties, config, prefixes: PREFIXES.toReversed() })
  if (refusal === null) return {}
  const { property, error } = refusal
  const isAboutServers = error.message.includes('bootstrap.servers:')
  const name = isAboutServers ? SERVERS : property
  return { [name]: [`Invalid settings of ${name}: ${error.message}`] }
}
