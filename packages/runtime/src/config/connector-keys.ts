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
    reloadKey,
    ...errorKeys,
    topicGroupsKey,
    ...exactlyOnceKeys,
    offsetsTopicKey,
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

const reloadKey: ConfigKey = {
  name: 'config.action.reload',
  type: 'STRING',
  defaultValue: 'restart',
  documentation: 'What to do when an external value changes.',
  group: 'Common',
  validators: [oneOfIgnoringCase('NONE', 'RESTART')],
}

/** The order of Connect: the properties of each group are together. */
export const errorKeys: readonly ConfigKey[] = [
  {
    name: 'errors.retry.timeout',
    type: 'LONG',
    defaultValue: '0',
    documentation:
      'Longest time in which a transformation or conversion that failed with a temporary error is repeated, in milliseconds; -1: without limit. When it is not set, records wait for a schema registry without limit, and nothing else is repeated.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'MEDIUM',
    displayName: 'Retry Timeout for Errors',
  },
  {
    name: 'errors.retry.delay.max.ms',
    type: 'LONG',
    defaultValue: '60000',
    documentation: 'Longest pause between two of these attempts, in milliseconds. The first pause is 300 ms.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'MEDIUM',
    displayName: 'Maximum Delay Between Retries for Errors',
  },
  {
    name: 'errors.tolerance',
    type: 'STRING',
    defaultValue: 'none',
    documentation:
      'What happens to a record that cannot be transformed, converted, or sent because of its size: `none` fails the task, `all` skips the record.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Error Tolerance',
    validators: [oneOf('none', 'all')],
  },
  {
    name: 'errors.log.enable',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation: 'Whether each of these errors is logged, with the stage and its class.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Log Errors',
  },
  {
    name: 'errors.log.include.messages',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation:
      'Whether the log line of such an error contains the record, with all its values, and the text of the error, which may contain a value. Without it the line contains only topic, source position and the code of the error.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Log Error Details',
  },
  {
    name: 'errors.record.too.large',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'What happens to a record that is larger than the brokers or the producer accept: `fail` fails the task, `skip` skips the record and logs its table and key, `placeholder` replaces its largest texts and bytes by `unavailable.value.placeholder` and names them in the header `__tributary.replaced.fields`. When it is not set, `errors.tolerance` decides. A record that remains too large with placeholders is treated as if it were not set.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Records That Are Too Large',
    validators: [(value, all) => (value === null ? null : oneOf('fail', 'skip', 'placeholder')(value, all))],
  },
  {
    name: 'errors.max.retries',
    type: 'INT',
    defaultValue: '-1',
    documentation:
      'How often in a row the worker starts a task again by itself after a failure whose cause may pass; -1: without limit. What a running task retries, such as its connections, does not count.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Restarts After Failures',
    validators: [nonNull(), atLeast(-1)],
  },
  {
    name: 'retriable.restart.connector.wait.ms',
    type: 'LONG',
    defaultValue: '5000',
    documentation:
      'The delay before the first of these starts, in milliseconds. Each one after it is twice as long, up to 5 minutes.',
    importance: 'MEDIUM',
    group: 'Error Handling',
    width: 'SHORT',
    displayName: 'Delay of the First Restart',
    validators: [nonNull(), atLeast(0)],
  },
]

/** `topicCreationDefinition` defines the properties of each group. */
const topicGroupsKey: ConfigKey = {
  name: 'topic.creation.groups',
  type: 'LIST',
  defaultValue: '',
  documentation:
    'Groups of topics with common settings for their creation, in the order in which they are tried. The group `default` always exists and is not listed.',
  group: 'Topic Creation',
  width: 'LONG',
  displayName: 'Topic Creation Groups',
  validators: [nonNull(), uniqueAliases],
}

/** These properties have an effect on a worker with `exactly.once.source.support=enabled`. */
const exactlyOnceKeys: readonly ConfigKey[] = [
  {
    name: 'exactly.once.support',
    type: 'STRING',
    defaultValue: 'requested',
    documentation:
      'Whether the connector must deliver exactly once: `required` refuses the connector on a worker that does not (`exactly.once.source.support`), `requested` does not.',
    importance: 'MEDIUM',
    group: 'Exactly Once Support',
    width: 'SHORT',
    displayName: 'Exactly once support',
    validators: [oneOfIgnoringCase('requested', 'required')],
  },
  {
    name: 'transaction.boundary',
    type: 'STRING',
    defaultValue: 'poll',
    documentation:
      'When the transactions of an exactly-once connector are committed: `poll` after each poll of the source, `interval` at an interval, `connector` at ends of transactions of the database.',
    importance: 'MEDIUM',
    group: 'Exactly Once Support',
    width: 'SHORT',
    displayName: 'Transaction Boundary',
    validators: [oneOfIgnoringCase('poll', 'interval', 'connector')],
  },
  {
    name: 'transaction.boundary.interval.ms',
    type: 'LONG',
    defaultValue: null,
    documentation:
      'Time between two commits with `transaction.boundary=interval`, in milliseconds. Default: `offset.flush.interval.ms` of the worker. The task commits at the latest after half of `transaction.timeout.ms` of its producer.',
    group: 'Exactly Once Support',
    width: 'SHORT',
    displayName: 'Transaction boundary interval',
    validators: [(value, all) => (value === null ? null : atLeast(0)(value, all))],
  },
]

const offsetsTopicKey: ConfigKey = {
  name: 'offsets.storage.topic',
  type: 'STRING',
  defaultValue: null,
  documentation:
    'Topic for the offsets of this connector alone. It is created with the settings of the worker’s offset topic, to which its offsets are copied. Default: the offset topic of the worker.',
  group: 'offsets.topic',
  width: 'LONG',
  displayName: 'Offsets topic',
  validators: [(value) => (value === null || textOf(value).trim() !== '' ? null : 'String must be non-empty')],
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
