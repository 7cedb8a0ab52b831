import {
  ConfigDef,
  kafkaMessages,
  type ConfigKey,
  type ConfigMap,
  type ConfigMessages,
  type ParsedValue,
  type Refusal,
} from '@tributary/connect-api'
import { JavaPatterns, toError } from '@tributary/support'

/** All properties of topic creation begin with it (KIP-158). */
export const TOPIC_CREATION_PREFIX = 'topic.creation.'
export const DEFAULT_GROUP = 'default'
const GROUPS = 'topic.creation.groups'

/** The properties of a group that are no settings of its topics. */
export const GROUP_PROPERTIES: readonly string[] = ['include', 'exclude', 'replication.factor', 'partitions']

/** A connector creates topics itself when its configuration has any property of topic creation, as in Connect. */
export function usesTopicCreation(config: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(config).some((name) => name.startsWith(TOPIC_CREATION_PREFIX))
}

/** The groups that a configuration lists, in their order and without `default`, which always exists. */
export function groupNames(config: ConfigMap): readonly string[] {
  const listed = listedGroups(config)
  return [...new Set(listed)].filter((name) => name !== DEFAULT_GROUP)
}

export function listedGroups(config: ConfigMap): readonly string[] {
  const definition = new ConfigDef([{ name: GROUPS, type: 'LIST', defaultValue: '', documentation: '' }])
  return definition.parse({ [GROUPS]: config[GROUPS] }).list(GROUPS)
}

/**
 * The properties of the groups that a configuration lists, after those of the default group. A group takes the
 * partitions and replicas of the default group where it has none of its own.
 */
export function topicCreationDefinition(config: ConfigMap): ConfigDef {
  const groups = groupNames(config).flatMap((name) => groupKeys(name, config))
  return new ConfigDef([...defaultGroupKeys, ...groups], messages)
}

/** `include` and `exclude` of the default group have no effect: it takes every topic that no other group takes. */
export const defaultGroupKeys: readonly ConfigKey[] = [
  {
    name: 'topic.creation.default.replication.factor',
    type: 'SHORT',
    documentation:
      'Replicas of new topics that no other group takes; -1: the default of the brokers. Required as soon as the configuration has any `topic.creation.…`.',
    group: 'Topic Creation',
    validators: [isReplicationFactor],
  },
  {
    name: 'topic.creation.default.partitions',
    type: 'INT',
    documentation:
      'Partitions of new topics that no other group takes; -1: the default of the brokers. Required as soon as the configuration has any `topic.creation.…`.',
    group: 'Topic Creation',
    validators: [isPartitionCount],
  },
]

function groupKeys(group: string, config: ConfigMap): readonly ConfigKey[] {
  const prefix = `${TOPIC_CREATION_PREFIX}${group}.`
  // An invalid value of the default group is reported there only.
  const ofDefault = new ConfigDef(defaultGroupKeys, messages).validate(config)
  const inherited = (property: string): string | null => {
    const name = `${TOPIC_CREATION_PREFIX}${DEFAULT_GROUP}.${property}`
    const found = ofDefault.find((each) => each.name === name)
    return found?.errors.length === 0 ? found.value : null
  }
  const list = { type: 'LIST', defaultValue: '', documentation: '', validators: [isPatternList] } as const
  return [
    { ...list, name: `${prefix}include` },
    { ...list, name: `${prefix}exclude` },
    {
      name: `${prefix}replication.factor`,
      type: 'SHORT',
      defaultValue: inherited('replication.factor'),
      documentation: '',
      validators: [isReplicationFactor],
    },
    {
      name: `${prefix}partitions`,
      type: 'INT',
      defaultValue: inherited('partitions'),
      documentation: '',
      validators: [isPartitionCount],
    },
  ]
}

function isReplicationFactor(value: ParsedValue): Refusal | null {
  return value === null || value === -1 || Number(value) >= 1
    ? null
    : "Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, or -1 to use the broker's default"
}

function isPartitionCount(value: ParsedValue): Refusal | null {
  return value === null || value === -1 || Number(value) >= 1
    ? null
    : "Number of partitions must be positive, or -1 to use the broker's default"
}

function isPatternList(value: ParsedValue): Refusal | null {
  if (!Array.isArray(value)) return null
  const patterns: readonly string[] = value
  try {
    // As the task compiles them: their sizes count together.
    void new JavaPatterns(patterns)
    return null
  } catch (error) {
    const reason = toError(error).message
    return (name) =>
      `Invalid value [${patterns.join(', ')}] for configuration ${name}: Syntax error in regular expression: ${reason}`
  }
}

/** Connect reads these properties when the connector starts, where one error ends the parsing. */
const messages: ConfigMessages = {
  ...kafkaMessages,
  wrongType: (name, text, type) => kafkaMessages.wrongType(name, text, type, false),
}
