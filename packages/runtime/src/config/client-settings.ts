import type { ConfigKey, ConfigMap, ConfigType, Importance } from '@tributary/connect-api'
import { adminSettings, producerSettings } from './client-settings.table.ts'
import { withPrefix } from './worker-config.ts'

/** The Kafka clients of a source connector whose settings it may override. */
export type ClientKind = 'producer' | 'admin'

/** The settings of Java's clients, by name and without prefix. */
export const clientSettings: Readonly<Record<ClientKind, ReadonlyMap<string, ConfigKey>>> = {
  producer: readTable('producer', producerSettings),
  admin: readTable('admin', adminSettings),
}

/** What a connector overrides of a client, by the names of the client. */
export function clientOverrides(client: ClientKind, connector: ConfigMap): ConfigMap {
  return withPrefix(connector, `${client}.override.`)
}

function readTable(client: ClientKind, table: string): ReadonlyMap<string, ConfigKey> {
  const keys = table
    .trim()
    .split('\n')
    .map((line): ConfigKey => {
      const [name = '', type = '', importance = '', byDefault = ''] = line.split(' ')
      return {
        name,
        // The table is generated from Kafka's own definitions.
        type: type as ConfigType,
        importance: importance as Importance,
        defaultValue: byDefault === '-' ? null : byDefault,
        documentation: `Setting of Kafka’s ${client}, under its name in Java.`,
      }
    })
  return new Map(keys.map((key) => [key.name, key]))
}

/**
 * The settings that have an effect; those of the connection (`sasl.…`, `ssl.…`) are read, and refused where they are
 * not supported, when the client is created.
 */
const EFFECTIVE: ReadonlySet<string> = new Set([
  'bootstrap.servers',
  'client.id',
  'request.timeout.ms',
  'metadata.max.age.ms',
  'socket.connection.setup.timeout.ms',
  'security.protocol',
])
const PRODUCERS: ReadonlySet<string> = new Set([
  'compression.type',
  'buffer.memory',
  'batch.size',
  'linger.ms',
  'delivery.timeout.ms',
  'max.request.size',
])

/** Values with which a setting asks for nothing else than what the producer does anyway. */
const ALREADY_SO: ReadonlyMap<string, readonly string[]> = new Map([
  ['acks', ['all', '-1']],
  ['enable.idempotence', ['true']],
  ['partitioner.ignore.keys', ['false']],
])

/** Why a setting has no effect, where that is not that Tributary's client has none like it. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['acks', 'the producer always waits for all replicas'],
  ['enable.idempotence', 'the producer is always idempotent'],
  ['retries', 'the producer retries until delivery.timeout.ms'],
  ['max.in.flight.requests.per.connection', 'the producer keeps the order of the records'],
  ['max.block.ms', 'a full producer stops the source'],
  ['key.serializer', 'the converters of the connector write the bytes'],
  ['value.serializer', 'the converters of the connector write the bytes'],
  ['interceptor.classes', 'Java classes cannot be loaded'],
  ['metric.reporters', 'Java classes cannot be loaded'],
])

/** The overrides of a client that have no effect, each with the reason. */
export function overridesWithoutEffect(client: ClientKind, connector: ConfigMap): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(clientOverrides(client, connector))) {
    if (EFFECTIVE.has(name) || name.startsWith('sasl.') || name.startsWith('ssl.')) continue
    if (client === 'producer' && (PRODUCERS.has(name) || name.startsWith('partitioner.class'))) continue
    if (ALREADY_SO.get(name)?.includes(value.trim()) === true) continue
    const isKnown = clientSettings[client].has(name)
    found.set(
      name,
      REASONS.get(name) ?? (isKnown ? `Tributary’s ${client} has no such setting` : `Kafka’s ${client} has none`),
    )
  }
  return found
}
