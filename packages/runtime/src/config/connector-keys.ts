import {
  atLeast,
  nonEmptyWithoutControlCharacters,
  nonNull,
  oneOf,
  oneOfIgnoringCase,
  type ConfigKey,
} from '@tributary/connect-api'

/** Is a class known, and of the right kind? Gives the refusal, or null. */
export type ClassCheck = (className: string, kind: 'converter' | 'header_converter') => string | null

/** Properties that every source connector has (Connect's SourceConnectorConfig, 4.3), in its order. */
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
      documentation: 'Most tasks that the connector may have. The MySQL and MariaDB connectors have exactly one.',
      importance: 'HIGH',
      group: 'Common',
      validators: [nonNull(), atLeast(1)],
    },
    {
      name: 'key.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the keys; the worker’s when absent.',
      group: 'Common',
      validators: classOf('converter'),
    },
    {
      name: 'value.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the values; the worker’s when absent.',
      group: 'Common',
      validators: classOf('converter'),
    },
    {
      name: 'header.converter',
      type: 'CLASS',
      defaultValue: null,
      documentation: 'Converter of the headers; the worker’s when absent.',
      group: 'Common',
      validators: classOf('header_converter'),
    },
    ...laterKeys,
  ]
}

/** Properties of features that come later: known, so that a value that Connect would refuse is refused here too. */
const laterKeys: readonly ConfigKey[] = [
  {
    name: 'transforms',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Transformations of each record. Not supported by this version yet.',
    group: 'Transforms',
    validators: [(value) => (Array.isArray(value) && value.length > 0 ? NOT_YET : null)],
  },
  {
    name: 'predicates',
    type: 'LIST',
    defaultValue: '',
    documentation: 'Predicates for transformations. Not supported by this version yet.',
    group: 'Predicates',
    validators: [(value) => (Array.isArray(value) && value.length > 0 ? NOT_YET : null)],
  },
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
    documentation: 'Groups of topics that are created alike. Not supported by this version yet, and refused.',
    group: 'Topic Creation',
    validators: [(value) => (Array.isArray(value) && value.length > 0 ? NOT_YET : null)],
  },
  {
    name: 'topic.creation.default.partitions',
    type: 'INT',
    defaultValue: null,
    documentation:
      'Partitions of new topics. Not supported by this version yet, and refused: the broker’s default holds.',
    group: 'Topic Creation',
    validators: [(value) => (value === null ? null : NO_TOPIC_CREATION)],
  },
  {
    name: 'topic.creation.default.replication.factor',
    type: 'SHORT',
    defaultValue: null,
    documentation:
      'Replicas of new topics. Not supported by this version yet, and refused: the broker’s default holds.',
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

/** To ignore one of these would write other records, or to other topics, than the configuration asks for. */
const NOT_YET = 'This version of Tributary does not support it yet'
const NO_TOPIC_CREATION =
  'This version of Tributary does not support it yet: create the topics beforehand, or set num.partitions and default.replication.factor of the brokers, and leave it out'
