import type { ConfigKey, ParsedValue, ParsedValues, Validator } from '@tributary/connect-api'
import { isTopicName } from '@tributary/connector-kit'
import { JavaPattern } from '@tributary/support'
import { DEFAULT_STRATEGY, strategyNames, usesRegex } from './topic-strategies.ts'

/** Debezium’s rule for host names, topic prefixes and other parts of names. */
export const plainName: Validator = (value) =>
  value === null || /^[a-zA-Z0-9_.-]+$/.test(String(value))
    ? null
    : `${String(value)} has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)`

/** As Kafka's brokers check it. */
export const topicName: Validator = (value) =>
  value === null || isTopicName(String(value))
    ? null
    : `'${String(value)}' is no name of a topic: letters, digits, dots, underscores and hyphens are, at most 249, and neither . nor ..`

const optionalTopicName: Validator = (value, all) => (isBlank(value) ? null : topicName(value, all))

const knownStrategy: Validator = (value) =>
  value === null || strategyNames.includes(String(value))
    ? null
    : `Tributary does not load Java classes, and '${String(value)}' is not one of those that it has: ${strategyNames.join(', ')}. To name topics in another way, use DefaultRegexTopicNamingStrategy with topic.regex and topic.replacement, or the transformation RegexRouter`

const pattern: Validator = (value) => (isBlank(value) ? null : refusalOf(() => new JavaPattern(String(value))))

const neededForRegex: Validator = (value, all) =>
  hasRegexStrategy(all) && isBlank(value) ? 'A value is required' : null

/** Refuses a replacement that refers to a group that the pattern does not have. */
function replacementFor(regexName: string): Validator {
  return (value, all) => {
    const regex = all.get(regexName) ?? null
    if (isBlank(regex)) return null
    if (isBlank(value)) return `It must be non-empty if ${regexName} is set`
    // The pattern has a refusal of its own.
    if (pattern(regex, all) !== null) return null
    return refusalOf(() => new JavaPattern(String(regex)).replacement(String(value)))
  }
}

function hasRegexStrategy(all: ParsedValues): boolean {
  return usesRegex(String(all.get('topic.naming.strategy') ?? ''))
}

function refusalOf(make: () => unknown): string | null {
  try {
    make()
    return null
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

function isBlank(value: ParsedValue): boolean {
  return value === null || String(value).trim() === ''
}

const nameKeys: readonly ConfigKey[] = [
  {
    name: 'topic.naming.strategy',
    type: 'STRING',
    defaultValue: DEFAULT_STRATEGY,
    group: 'Events',
    validators: [knownStrategy],
    documentation:
      'How topics are named. DefaultTopicNamingStrategy: prefix, database and table; SchemaTopicNamingStrategy: prefix and table, so that tables of one name share a topic; DefaultUnicodeTopicNamingStrategy and SchemaUnicodeTopicNamingStrategy: the same with `_u` and a number for each character that Kafka refuses, and for the underscore; DefaultRegexTopicNamingStrategy and SchemaRegexTopicNamingStrategy: the same, changed by `topic.regex`. The names begin with `io.debezium.schema.`.',
  },
  {
    name: 'topic.delimiter',
    type: 'STRING',
    defaultValue: '.',
    group: 'Events',
    validators: [plainName],
    documentation: 'Stands between prefix, database and table in topic names.',
  },
  {
    name: 'topic.cache.size',
    type: 'INT',
    defaultValue: '10000',
    group: 'Events',
    documentation: 'Accepted for compatibility: the name of a topic is kept with the table.',
  },
  {
    name: 'topic.transaction',
    type: 'STRING',
    defaultValue: 'transaction',
    group: 'Events',
    validators: [plainName],
    documentation: 'The transaction topic is `<topic.prefix>.<topic.transaction>`.',
  },
  {
    name: 'topic.heartbeat.prefix',
    type: 'STRING',
    defaultValue: '__debezium-heartbeat',
    group: 'Events',
    validators: [topicName],
    documentation: 'The heartbeat topic is `<topic.heartbeat.prefix>.<topic.prefix>`.',
  },
  {
    name: 'topic.heartbeat.name',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [optionalTopicName],
    documentation: 'The whole name of the heartbeat topic, for connectors that share one.',
  },
]

const regexKeys: readonly ConfigKey[] = [
  {
    name: 'topic.regex',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [neededForRegex, pattern],
    documentation:
      'For the strategies with Regex: regular expression that must match the whole topic name of a table. Tables whose name it does not match keep their topic.',
  },
  {
    name: 'topic.replacement',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [neededForRegex, replacementFor('topic.regex')],
    documentation: 'The new topic name; `$1` is the first group of `topic.regex`.',
  },
  {
    name: 'topic.key.enforce.uniqueness',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Events',
    documentation:
      'With `topic.regex`: whether keys have a field that names the table. Without it, rows of two tables that share a topic and have equal keys replace each other when the topic is compacted.',
  },
  {
    name: 'topic.key.field.name',
    type: 'STRING',
    defaultValue: '__dbz__physicalTableIdentifier',
    group: 'Events',
    validators: [(value) => (isBlank(value) ? 'A value is required' : null)],
    documentation: 'Name of that field. No column of a key may have it.',
  },
  {
    name: 'topic.key.field.regex',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [pattern],
    documentation:
      'Regular expression for the value of that field, matched with the topic name that the table would have without `topic.regex`. Default: that name is the value.',
  },
  {
    name: 'topic.key.field.replacement',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [replacementFor('topic.key.field.regex')],
    documentation: 'Value of that field; `$1` is the first group of `topic.key.field.regex`.',
  },
]

/** The properties that name topics, with the names and defaults of Debezium 3.6. */
export const topicKeys: readonly ConfigKey[] = [...nameKeys, ...regexKeys]
