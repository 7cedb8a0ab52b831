import { ConfigDef, type ConfigMap, type ConfigValues } from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'
import { variableOf } from './environment.ts'
import { workerKeys } from './worker-keys.ts'

/** A converter's class and its options, as the worker or a connector names them. */
export interface ConverterSpec {
  readonly className: string
  readonly options: ConfigMap
}

/** The settings of a worker, checked. */
export interface WorkerConfig {
  readonly bootstrapServers: readonly string[]
  readonly groupId: string
  readonly configTopic: StorageTopicConfig
  readonly offsetTopic: StorageTopicConfig
  readonly statusTopic: StorageTopicConfig
  readonly keyConverter: ConverterSpec
  readonly valueConverter: ConverterSpec
  readonly headerConverter: ConverterSpec
  readonly offsetFlushIntervalMs: number
  readonly offsetFlushTimeoutMs: number
  readonly shutdownTimeoutMs: number
  /** Null: all interfaces. */
  readonly restHost: string | null
  readonly restPort: number
  readonly advertisedHost: string | null
  readonly advertisedPort: number | null
  /** All properties as given: clients find theirs in them. */
  readonly properties: ConfigMap
}

export interface StorageTopicConfig {
  readonly name: string
  readonly partitions: number
  /** Null: three, or as many as there are brokers. */
  readonly replicationFactor: number | null
  readonly configs: ConfigMap
}

const definition = new ConfigDef(workerKeys)

const MEANINGS: Readonly<Record<string, string>> = {
  'config.storage.topic':
    'the topic where connector configurations will be stored (single partition, compacted, as many replicas as you can)',
  'offset.storage.topic': 'the topic where connector offsets will be stored (many partitions, compacted)',
}

/** Reads the worker's settings; every refusal names the setting and how to set it. */
export function parseWorkerConfig(properties: ConfigMap): WorkerConfig {
  if ((properties['bootstrap.servers'] ?? '').trim() === '') throw runtimeErrors.WORKER_NO_BROKER({})
  for (const [property, meaning] of Object.entries(MEANINGS)) {
    if ((properties[property] ?? '').trim() !== '') continue
    throw runtimeErrors.WORKER_SETTING_MISSING({ property, meaning, variable: variableOf(property) })
  }
  for (const { errors } of definition.validate(properties)) {
    if (errors[0] !== undefined) throw runtimeErrors.WORKER_SETTING_INVALID({ reason: errors[0] })
  }
  return typedConfig(definition.parse(properties), properties)
}

function typedConfig(values: ConfigValues, properties: ConfigMap): WorkerConfig {
  const listener = parseListener(values.list('listeners'))
  return {
    bootstrapServers: values.list('bootstrap.servers'),
    groupId: values.string('group.id'),
    configTopic: storageTopic('config', 1, values, properties),
    offsetTopic: storageTopic('offset', values.integer('offset.storage.partitions'), values, properties),
    statusTopic: storageTopic('status', values.integer('status.storage.partitions'), values, properties),
    keyConverter: converterSpec('key.converter', values.string('key.converter'), properties),
    valueConverter: converterSpec('value.converter', values.string('value.converter'), properties),
    headerConverter: converterSpec('header.converter', values.string('header.converter'), properties),
    offsetFlushIntervalMs: values.integer('offset.flush.interval.ms'),
    offsetFlushTimeoutMs: values.integer('offset.flush.timeout.ms'),
    shutdownTimeoutMs: values.integer('task.shutdown.graceful.timeout.ms'),
    restHost: listener === null ? values.optionalString('rest.host.name') : listener.host,
    restPort: listener === null ? values.integer('rest.port') : listener.port,
    advertisedHost: values.optionalString('rest.advertised.host.name'),
    advertisedPort: values.optionalInteger('rest.advertised.port'),
    properties,
  }
}

/** `key.converter` with everything behind `key.converter.`. */
export function converterSpec(property: string, className: string, properties: ConfigMap): ConverterSpec {
  return { className, options: withPrefix(properties, `${property}.`) }
}

/** Properties behind a prefix, without it. */
export function withPrefix(properties: ConfigMap, prefix: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith(prefix)) found[name.slice(prefix.length)] = value
  }
  return found
}

function storageTopic(
  kind: 'config' | 'offset' | 'status',
  partitions: number,
  values: ConfigValues,
  properties: ConfigMap,
): StorageTopicConfig {
  const {
    topic,
    partitions: _partitions,
    'replication.factor': _factor,
    'cleanup.policy': _policy,
    ...configs
  } = withPrefix(properties, `${kind}.storage.`)
  return {
    name: topic ?? values.string(`${kind}.storage.topic`),
    partitions,
    replicationFactor: values.optionalInteger(`${kind}.storage.replication.factor`),
    configs,
  }
}

/** The first http listener; the form is Connect's. */
function parseListener(listeners: readonly string[]): { host: string | null; port: number } | null {
  for (const listener of listeners) {
    const match = /^(.*):\/\/\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)$/.exec(listener)
    if (match === null) {
      const reason = `Listener doesn't have the right format (protocol://hostname:port): ${listener}`
      throw runtimeErrors.WORKER_SETTING_INVALID({ reason })
    }
    if (match[1]?.toLowerCase() !== 'http') {
      const reason = `listeners=${listener}: only http is supported by this version; put a TLS proxy in front`
      throw runtimeErrors.WORKER_SETTING_INVALID({ reason })
    }
    return { host: match[2] === '' ? null : (match[2] ?? null), port: Number(match[3]) }
  }
  return null
}
