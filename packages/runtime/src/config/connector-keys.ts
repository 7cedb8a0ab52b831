import {
  atLeast,
  nonEmptyWithoutControlCharacters,
  nonNull,
  oneOf,
  oneOfIgnoringCase,
  type ConfigKey,
  type ParsedValue,
} from '@tributary/connect-api'

/** Checks that a class exists and has the right kind. Returns the error text, or null. */
export type ClassCheck = (className: string, kind: 'converter' | 'header_converter') => string | null

/** The properties of every source connector, in the order of Connect's SourceConnectorConfig (4.3). */
export function connectorKeys(checkClass: ClassCheck): readonly ConfigKey[] {
  const classOf = (kind: 'converter' | 'header_converter') => [
    (value: unknown) => (typeof value === 'string' ? checkClass(value, kind) : null),
  ]
  return [
    {
      name: 'name',
      type: 'STRING',
      documentation: 'Name of the connector, unique in the group.',
      importance: 'HIGH',
      group: 'Common',
      validators: [nonEmptyWithoutControlCharacters()],
    },
    {
      name: 'connector.class',
      type: 'STRING',
      documentation: 'Class of the connector, by its full or short name.',
      importance: 'HIGH',
      group: 'Common',
    },
    {
      name: 'tasks.max',
      type: 'INT',
      defaultValue: '1',
      documentation: 'Largest number of tasks of the connector. The MySQL and MariaDB connectors have exactly one.',
      importance: 'HIGH',
      group: 'Common',
      validators: [nonNull(), atLeast(1)],
    },
    {
      name: 'key.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the keys. Default: that of the worker.',
      group: 'Common',
      validators: classOf('converter'),
    },
    {
      name: 'value.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the values. Default: that of the worker.',
      group: 'Common',
      validators: classOf('converter'),
    },
    {
      name: 'header.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the headers. Default: that of the worker.',
      group: 'Common',
      validators: classOf('header_converter'),
    },
    ...stageLists,
    ...laterKeys,
  ]
}

/** The lists of aliases; `stageKeys` defines the properties of each alias. */
const stageLists: readonly ConfigKey[] = [
  {
    name: 'transforms',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Aliases of the transformations of each record, in order. `transforms.ALIAS.type` names the class.',
    group: 'Transforms',
    width: 'LONG',
    displayName: 'Transforms',
    validators: [uniqueAliases],
  },
  {
    name: 'predicates',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Aliases of the predicates that transformations use. `predicates.ALIAS.type` names the class.',
    group: 'Predicates',
    width: 'LONG',
    displayName: 'Predicates',
    validators: [uniqueAliases],
  },
]

function uniqueAliases(value: ParsedValue): string | null {
  return Array.isArray(value) && new Set(value).size < value.length ? 'Duplicate alias provided.' : null
}

/**
 * Properties of features that do not exist yet. They are defined so that values which Connect refuses are refused here
 * too.
 */
const laterKeys: readonly ConfigKey[] = [
  {
    name: 'config.action.reload',
    type: 'STRING',
    defaultValue: 'restart',
    documentation: 'What to do when an external value changes.',
    group: 'Common',
    validators: [oneOfIgnoringCase('NONE', 'RESTART')],
  },
  {
    name: 'errors.tolerance',
    type: 'STRING',
    defaultValue: 'none',
    documentation: 'What to do with a record that cannot be converted: none fails the task.',
    group: 'Error Handling',
    validators: [oneOf('none', 'all'), (value) => (value === 'all' ? NOT_YET : null)],
  },
  {
    name: 'topic.creation.groups',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Groups of topics with common settings for their creation. Not supported by this version yet, and refused.',
    group: 'Topic Creation',
    validators: [(value) => (Array.isArray(value) && value.length > 0 ? NOT_YET : null)],
  },
  {
    name: 'topic.creation.default.partitions',
    type: 'INT',
    defaultValue: null,
    documentation:
      'Partitions of new topics. Not supported by this version yet, and refused: the broker’s default applies.',
    group: 'Topic Creation',
    validators: [(value) => (value === null ? null : NO_TOPIC_CREATION)],
  },
  {
    name: 'topic.creation.default.replication.factor',
    type: 'SHORT',
    defaultValue: null,
    documentation:
      'Replicas of new topics. Not supported by this version yet, and refused: the broker’s default applies.',
    group: 'Topic Creation',
    validators: [(value) => (value === null ? null : NO_TOPIC_CREATION)],
  },
  {
    name: 'exactly.once.support',
    type: 'STRING',
    defaultValue: 'requested',
    documentation: 'Whether the connector must deliver exactly once.',
    group: 'Exactly Once Support',
    validators: [
      oneOfIgnoringCase('requested', 'required'),
      (value) => (String(value).toLowerCase() === 'required' ? NOT_YET : null),
    ],
  },
  {
    name: 'offsets.storage.topic',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Topic for the offsets of this connector alone. Not supported by this version yet.',
    group: 'offsets.topic',
    validators: [(value) => (value === null ? null : NOT_YET)],
  },
]

/** The error for a property that cannot be ignored: the connector would write other records, or to other topics. */
const NOT_YET = 'This version of Tributary does not support it yet'
const NO_TOPIC_CREATION =
  'This version of Tributary does not support it yet: create the topics beforehand, or set num.partitions and default.replication.factor of the brokers, and leave it out'
