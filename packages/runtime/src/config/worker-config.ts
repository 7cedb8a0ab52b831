import { ConfigDef, type ConfigMap, type ConfigValues } from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'
import { variableOf } from './environment.ts'
import { readRestSettings, type RestSettings } from './rest-settings.ts'
import { readSessionKeySettings, type SessionKeySettings } from './session-key-settings.ts'
import { refuseUnsupportedSettings } from './unsupported-settings.ts'
import { workerKeys } from './worker-keys.ts'

/** The class and the options of a converter, as the configuration of the worker or a connector sets them. */
export interface ConverterSpec {
  readonly className: string
  readonly options: ConfigMap
}

/** The validated settings of a worker. */
export interface WorkerConfig {
  readonly bootstrapServers: readonly string[]
  readonly groupId: string
  readonly sessionTimeoutMs: number
  readonly heartbeatIntervalMs: number
  readonly rebalanceTimeoutMs: number
  readonly groupProtocol: 'eager' | 'compatible' | 'sessioned'
  /** How long the work of a lost worker waits for its return. */
  readonly rebalanceDelayMs: number
  readonly configTopic: StorageTopicConfig
  readonly offsetTopic: StorageTopicConfig
  readonly statusTopic: StorageTopicConfig
  readonly keyConverter: ConverterSpec
  readonly valueConverter: ConverterSpec
  readonly headerConverter: ConverterSpec
  readonly offsetFlushIntervalMs: number
  readonly offsetFlushTimeoutMs: number
  /** The largest number of records that are repeated after a task was killed. */
  readonly offsetFlushMaxRecords: number
  /** `exactly.once.source.support` */
  readonly exactlyOnce: ExactlyOnceSource
  readonly shutdownTimeoutMs: number
  /** 0: the worker decides. */
  readonly taskThreadsMax: number
  readonly topicTracking: TopicTracking
  readonly rest: RestSettings
  /** Who besides local clients may use the REST interface (`refuseCaller`). */
  readonly allowedCallers: { readonly hosts: readonly string[]; readonly origins: readonly string[] }
  readonly advertisedHost: string | null
  readonly advertisedPort: number | null
  /** Whether the other workers use https; null: they use http if a listener has it. */
  readonly isTlsAdvertised: boolean | null
  readonly sessionKeys: SessionKeySettings
  /** All properties, unchanged; Kafka clients read theirs from them. */
  readonly properties: ConfigMap
}

/**
 * `enabled`: tasks deliver exactly once. `preparing`: only the config topic is written in transactions, while workers
 * of the group are changed one after the other.
 */
export type ExactlyOnceSource = 'disabled' | 'preparing' | 'enabled'

/** Whether the worker records the topics of connectors, and whether a request may reset them (KIP-558). */
export interface TopicTracking {
  readonly isEnabled: boolean
  readonly mayReset: boolean
}

export interface StorageTopicConfig {
  readonly name: string
  readonly partitions: number
  /** Null: three, or the number of brokers if there are fewer. */
  readonly replicationFactor: number | null
  readonly configs: ConfigMap
}

const definition = new ConfigDef(workerKeys)

/** Required properties with their purpose. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  [
    'config.storage.topic',
    'the topic where connector configurations will be stored (single partition, compacted, as many replicas as you can)',
  ],
  ['offset.storage.topic', 'the topic where connector offsets will be stored (many partitions, compacted)'],
])

/**
 * Validates the worker's settings. The error names all settings that are missing, or all that are invalid, and how to
 * set them.
 *
 * @throws WORKER_NO_BROKER, WORKER_SETTING_MISSING, WORKER_SETTING_INVALID, WORKER_SETTING_UNSUPPORTED
 */
export function parseWorkerConfig(properties: ConfigMap): WorkerConfig {
  if (isBlank(properties['bootstrap.servers'])) throw runtimeErrors.WORKER_NO_BROKER({})
  const missing = [...REQUIRED].filter(([name]) => isBlank(properties[name]))
  if (missing.length > 0) {
    throw runtimeErrors.WORKER_SETTING_MISSING({
      missing: missing.map(([name, meaning]) => `${name}, ${meaning}`).join('; '),
      ...spellings(missing.map(([name]) => name)),
    })
  }
  const invalid = definition.validate(properties).filter(({ errors }) => errors.length > 0)
  if (invalid.length > 0) {
    const reason = invalid.map(({ errors }) => errors[0]).join('; ')
    throw runtimeErrors.WORKER_SETTING_INVALID({ reason, ...spellings(invalid.map(({ name }) => name)) })
  }
  refuseUnsupportedSettings(properties)
  return typedConfig(definition.parse(properties), properties)
}

function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === ''
}

/** The names of the settings in the environment and in the properties file, for messages. */
function spellings(names: readonly string[]): { readonly variables: string; readonly properties: string } {
  return { variables: names.map(variableOf).join(' and '), properties: names.join(' and ') }
}

function typedConfig(values: ConfigValues, properties: ConfigMap): WorkerConfig {
  return {
    bootstrapServers: values.list('bootstrap.servers'),
    groupId: values.string('group.id'),
    ...groupTimes(values),
    groupProtocol: groupProtocol(values.string('connect.protocol')),
    rebalanceDelayMs: values.integer('scheduled.rebalance.max.delay.ms'),
    configTopic: storageTopic('config', 1, values, properties),
    offsetTopic: storageTopic('offset', values.integer('offset.storage.partitions'), values, properties),
    statusTopic: storageTopic('status', values.integer('status.storage.partitions'), values, properties),
    keyConverter: converterSpec('key.converter', values.string('key.converter'), properties),
    valueConverter: converterSpec('value.converter', values.string('value.converter'), properties),
    headerConverter: converterSpec('header.converter', values.string('header.converter'), properties),
    offsetFlushIntervalMs: values.integer('offset.flush.interval.ms'),
    offsetFlushTimeoutMs: values.integer('offset.flush.timeout.ms'),
    offsetFlushMaxRecords: values.integer('offset.flush.max.records'),
    exactlyOnce: values.string('exactly.once.source.support').toLowerCase() as ExactlyOnceSource,
    shutdownTimeoutMs: values.integer('task.shutdown.graceful.timeout.ms'),
    taskThreadsMax: values.integer('task.threads.max'),
    topicTracking: {
      isEnabled: values.boolean('topic.tracking.enable'),
      mayReset: values.boolean('topic.tracking.allow.reset'),
    },
    rest: readRestSettings(values),
    allowedCallers: { hosts: values.list('rest.allowed.hosts'), origins: values.list('rest.allowed.origins') },
    advertisedHost: values.optionalString('rest.advertised.host.name'),
    advertisedPort: values.optionalInteger('rest.advertised.port'),
    isTlsAdvertised: isTlsAdvertised(values.optionalString('rest.advertised.listener')),
    sessionKeys: readSessionKeySettings(values),
    properties,
  }
}

function isTlsAdvertised(listener: string | null): boolean | null {
  return listener === null ? null : listener.toLowerCase() === 'https'
}

function groupTimes(
  values: ConfigValues,
): Pick<WorkerConfig, 'sessionTimeoutMs' | 'heartbeatIntervalMs' | 'rebalanceTimeoutMs'> {
  const sessionTimeoutMs = values.integer('session.timeout.ms')
  const heartbeatIntervalMs = Math.min(
    values.integer('heartbeat.interval.ms'),
    Math.floor(sessionTimeoutMs * HEARTBEAT_SHARE),
  )
  return { sessionTimeoutMs, heartbeatIntervalMs, rebalanceTimeoutMs: values.integer('rebalance.timeout.ms') }
}

/** The definition admits no other value. */
function groupProtocol(value: string): WorkerConfig['groupProtocol'] {
  return value === 'eager' || value === 'compatible' ? value : 'sessioned'
}

/** Tasks write for four fifths of a session after a heartbeat: two heartbeats. */
const HEARTBEAT_SHARE = 0.4

/** `key.converter` with the options `key.converter.…`. */
export function converterSpec(property: string, className: string, properties: ConfigMap): ConverterSpec {
  return { className, options: withPrefix(properties, `${property}.`) }
}

/** The properties with a prefix, under their names without it. */
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
    topic: _topic,
    partitions: _partitions,
    'replication.factor': _factor,
    'cleanup.policy': _policy,
    ...configs
  } = withPrefix(properties, `${kind}.storage.`)
  return {
    name: values.string(`${kind}.storage.topic`),
    partitions,
    replicationFactor: values.optionalInteger(`${kind}.storage.replication.factor`),
    configs,
  }
}
