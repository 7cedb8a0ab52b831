import { present } from '@tributary/support'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import { problemOfSetting, settings, TYPE_NUMBERS, type TopicSetting } from '../topics/topic-config.ts'
import type { Topic } from '../topics/topic-registry.ts'
import type { BrokerSettings, Call, Handler } from './call.ts'

type DescribedResource = NonNullable<ResponseOf<'DescribeConfigs'>['results']>[number]

const TOPIC = 2
const BROKER = 4
const DYNAMIC_TOPIC = 1
const STATIC_BROKER = 4
const DEFAULT = 5
const SET = 0
const DELETE = 1
const APPEND = 2
const SUBTRACT = 3

/** One setting with its value and where it comes from (ConfigSource). */
export interface DescribedSetting {
  readonly name: string
  readonly value: string
  readonly source: number
}

/** All settings of a topic with these overrides, sorted by name. */
export function describeSettings(
  overrides: Readonly<Record<string, string>>,
  broker: BrokerSettings,
): readonly DescribedSetting[] {
  return Array.from(settings.values(), (setting) => {
    const { name } = setting
    const own = overrides[name]
    return own === undefined ? { name, ...brokerDefault(setting, broker) } : { name, value: own, source: DYNAMIC_TOPIC }
  })
}

/** What a topic has that does not set it. */
function brokerDefault(
  { name, standard }: TopicSetting,
  { retentionMs }: BrokerSettings,
): { readonly value: string; readonly source: number } {
  if (name === 'retention.ms' && retentionMs !== undefined) {
    return { value: retentionMs === Infinity ? '-1' : String(retentionMs), source: STATIC_BROKER }
  }
  return { value: standard, source: DEFAULT }
}

export const describeConfigs: Handler<'DescribeConfigs'> = (request, call, answer) => {
  answer({
    results: request.resources.map((resource) => ({
      resourceType: resource.resourceType,
      resourceName: resource.resourceName,
      ...described(resource, request.includeSynonyms, call),
    })),
  })
}

function described(
  { resourceType, resourceName, configurationKeys }: RequestOf<'DescribeConfigs'>['resources'][number],
  includeSynonyms: boolean,
  call: Call,
): DescribedResource {
  const isWanted = (name: string = ''): boolean => configurationKeys === null || configurationKeys.includes(name)
  if (resourceType === BROKER) {
    const configs = brokerSettings(call).filter(({ name }) => isWanted(name))
    const isKnown = resourceName === '' || resourceName === String(call.state.settings.nodeId)
    if (isKnown) return { errorCode: ErrorCode.NONE, errorMessage: null, configs }
    return { errorCode: ErrorCode.INVALID_REQUEST, errorMessage: `Unexpected broker id ${resourceName}`, configs: [] }
  }
  if (resourceType !== TOPIC) {
    const errorMessage = `Unsupported resource type: ${resourceType}`
    return { errorCode: ErrorCode.INVALID_REQUEST, errorMessage, configs: [] }
  }
  const topic = call.state.topics.get(resourceName)
  if (topic === undefined) return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: null, configs: [] }
  const configs = describeSettings(topic.config.overrides, call.state.settings)
    .filter(({ name }) => isWanted(name))
    .map(({ name, value, source }) => ({
      name,
      value,
      configSource: source,
      isDefault: source === DEFAULT,
      synonyms: includeSynonyms ? synonymsOf({ name, value, source }, call.state.settings) : [],
      configType: TYPE_NUMBERS[present(settings.get(name), name).type],
    }))
  return { errorCode: ErrorCode.NONE, errorMessage: null, configs }
}

function synonymsOf(described: DescribedSetting, broker: BrokerSettings): DescribedSetting[] {
  const setting = present(settings.get(described.name), described.name)
  const own = described.source === DYNAMIC_TOPIC ? [described] : []
  const { brokerName, standard } = setting
  if (brokerName === null) return own
  const { value, source } = brokerDefault(setting, broker)
  const ofBroker = source === STATIC_BROKER ? [{ name: brokerName, value, source }] : []
  return [...own, ...ofBroker, { name: brokerName, value: standard, source: DEFAULT }]
}

/** The settings of the broker that clients look at. */
function brokerSettings({ state }: Call): NonNullable<DescribedResource['configs']> {
  const { settings: broker } = state
  const values: readonly (readonly [string, string, number])[] = [
    ['advertised.listeners', `PLAINTEXT://${broker.host}:${broker.port}`, TYPE_NUMBERS.LIST],
    ['auto.create.topics.enable', String(broker.createsTopics), TYPE_NUMBERS.BOOLEAN],
    ['broker.id', String(broker.nodeId), TYPE_NUMBERS.INT],
    ['default.replication.factor', '1', TYPE_NUMBERS.INT],
    ['node.id', String(broker.nodeId), TYPE_NUMBERS.INT],
    ['num.partitions', String(broker.defaultPartitions), TYPE_NUMBERS.INT],
  ]
  const own = values.map(([name, value, configType]) => ({
    name,
    value,
    configType,
    configSource: STATIC_BROKER,
    readOnly: true,
    synonyms: [],
  }))
  const ofTopics = [...settings.values()].flatMap((setting) => {
    const { brokerName: name, type } = setting
    if (name === null) return []
    const { value, source: configSource } = brokerDefault(setting, broker)
    return [{ name, value, configType: TYPE_NUMBERS[type], configSource, readOnly: true, synonyms: [] }]
  })
  return [...own, ...ofTopics]
}

interface Outcome {
  readonly errorCode: number
  readonly errorMessage: string | null
}

const DONE: Outcome = { errorCode: ErrorCode.NONE, errorMessage: null }

export const incrementalAlterConfigs: Handler<'IncrementalAlterConfigs'> = (request, call, answer) => {
  answer({
    responses: request.resources.map(({ resourceType, resourceName, configs }) => ({
      resourceType,
      resourceName,
      ...withTopic(resourceType, resourceName, call, (topic) => {
        const next = new Map(Object.entries(topic?.config.overrides ?? {}))
        for (const change of configs) {
          const problem = applyChange(next, change)
          if (problem !== null) return problem
        }
        if (topic === null) return missingTopic(resourceName)
        if (!request.validateOnly) call.state.topics.setConfig(topic, Object.fromEntries(next), call.nowMs)
        return DONE
      }),
    })),
  })
}

function applyChange(
  next: Map<string, string>,
  change: { readonly name: string; readonly configOperation: number; readonly value: string | null },
): Outcome | null {
  const { name, configOperation, value } = change
  if (configOperation === DELETE) {
    next.delete(name)
    return null
  }
  const setting = settings.get(name)
  if (setting === undefined) return invalid(`Unknown topic config name: ${name}`)
  if (configOperation !== SET && setting.type !== 'LIST') return invalid(`Only lists can be appended to, not ${name}`)
  if (value === null) return invalid(`Null value not supported for: ${name}`)
  const list = (next.get(name) ?? setting.standard).split(',').filter((each) => each !== '')
  const items = value.split(',')
  if (configOperation === SET) next.set(name, value)
  else if (configOperation === APPEND)
    next.set(name, [...list, ...items.filter((each) => !list.includes(each))].join(','))
  else if (configOperation === SUBTRACT) next.set(name, list.filter((each) => !items.includes(each)).join(','))
  else return { errorCode: ErrorCode.INVALID_REQUEST, errorMessage: `Unknown operation ${configOperation}` }
  const problem = problemOfSetting(name, next.get(name) ?? '')
  return problem === null ? null : invalid(problem)
}

function invalid(errorMessage: string): Outcome {
  return { errorCode: ErrorCode.INVALID_CONFIG, errorMessage }
}

/** The older request: what it does not list returns to its default. */
export const alterConfigs: Handler<'AlterConfigs'> = (request, call, answer) => {
  answer({
    responses: request.resources.map(({ resourceType, resourceName, configs }) => ({
      resourceType,
      resourceName,
      ...withTopic(resourceType, resourceName, call, (topic) => {
        if (topic === null) return missingTopic(resourceName)
        for (const { name, value } of configs) {
          const problem = value === null ? `Null value not supported for: ${name}` : problemOfSetting(name, value)
          if (problem !== null) return invalid(problem)
        }
        const next = Object.fromEntries(configs.map(({ name, value }) => [name, value ?? '']))
        if (!request.validateOnly) call.state.topics.setConfig(topic, next, call.nowMs)
        return DONE
      }),
    })),
  })
}

/** Kafka looks at some problems before it looks for the topic, so `change` gets null for a missing one. */
function withTopic(type: number, name: string, { state }: Call, change: (topic: Topic | null) => Outcome): Outcome {
  if (type !== TOPIC) {
    const errorMessage = `The settings of resource type ${type} cannot be changed: only those of topics.`
    return { errorCode: ErrorCode.INVALID_REQUEST, errorMessage }
  }
  return change(state.topics.get(name) ?? null)
}

function missingTopic(name: string): Outcome {
  return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: `The topic '${name}' does not exist.` }
}
