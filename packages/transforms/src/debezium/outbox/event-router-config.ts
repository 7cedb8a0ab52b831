import { ConfigDef, type ConfigKey, type Validator } from '@tributary/connect-api'
import { enumValidator } from '../../stage/enum-option.ts'
import { isJavaPattern } from '../../stage/pattern-options.ts'
import { valueValidator } from '../value-validator.ts'

/** `table.op.invalid.behavior`: what becomes of an update of a row. */
export type InvalidOperation = 'warn' | 'error' | 'fatal'

const isListOfPairs: Validator = (value) => {
  const entries = (value ?? []) as readonly string[]
  // Java’s split ignores empty parts at the end.
  const isValid = entries.every((entry) => [2, 3].includes(entry.replace(/:+$/, '').split(':').length))
  return isValid
    ? null
    : `A comma-separated list of valid String pairs or trios is expected but got: [${entries.join(', ')}]`
}

function column(name: string, displayName: string, defaultValue: string | null, documentation: string): ConfigKey {
  return {
    name,
    type: 'STRING',
    defaultValue,
    documentation,
    displayName,
    importance: 'LOW',
    width: 'MEDIUM',
    group: 'Table',
  }
}

const tableKeys: readonly ConfigKey[] = [
  column(
    'table.field.event.id',
    'Event ID Field',
    'id',
    'Column with the id of the event, which becomes the header `id`.',
  ),
  {
    ...column('table.field.event.key', 'Event Key Field', 'aggregateid', 'Column whose value becomes the key.'),
    aliases: ['table.field.event.payload.id'],
  },
  column(
    'table.field.event.type',
    'Event Type Field',
    'type',
    'Column with the type of the event. Debezium reads it nowhere: place the column with `table.fields.additional.placement`.',
  ),
  column('table.field.event.payload', 'Event Payload Field', 'payload', 'Column whose value becomes the value.'),
  {
    ...column(
      'table.field.event.timestamp',
      'Event Timestamp Field',
      null,
      'Column whose value becomes the timestamp of the record. Default: the time at which the connector made the event.',
    ),
    importance: 'MEDIUM',
  },
  {
    name: 'table.fields.additional.placement',
    type: 'LIST',
    defaultValue: null,
    documentation:
      'Further columns, as a list of `COLUMN:PLACEMENT` or `COLUMN:PLACEMENT:NAME`. The placement is `header`, `envelope` (a field beside the payload) or `partition`.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Settings for each additional column in the outbox table',
    group: 'Table',
    validators: [valueValidator('table.fields.additional.placement', isListOfPairs)],
  },
  {
    name: 'table.field.additional.missing',
    type: 'STRING',
    defaultValue: 'error',
    documentation:
      'What happens to events without an additional column: `error` or `ignore` (the event has no such field).',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Behavior when an additional field is missing in the change data',
    group: 'Table',
    validators: [valueValidator('table.field.additional.missing', enumValidator(['ignore', 'error']))],
  },
  column(
    'table.field.event.schema.version',
    'Event Schema Version Field',
    null,
    'Column whose number becomes the version of the schema. It takes effect if a column has the placement `envelope`.',
  ),
  {
    name: 'table.op.invalid.behavior',
    aliases: ['debezium.op.invalid.behavior'],
    type: 'STRING',
    defaultValue: 'warn',
    documentation:
      'What happens when a row of the outbox is updated: `warn` and `error` log it and skip the event, `fatal` fails the task.',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Behavior when capturing an unexpected outbox event',
    group: 'Table',
    validators: [valueValidator('table.op.invalid.behavior', enumValidator(['warn', 'error', 'fatal']))],
  },
  {
    name: 'table.expand.json.payload',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation:
      'Whether a payload that is the text of a JSON object becomes a struct, with a schema inferred from it. A payload that is no such text stays as it is, with a warning.',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Expand Payload escaped string as real JSON',
    group: 'Table',
  },
  {
    name: 'table.json.payload.null.behavior',
    type: 'STRING',
    defaultValue: 'ignore',
    documentation:
      'What becomes of nulls of an expanded payload: `ignore` (no field) or `optional_bytes` (a null of type bytes).',
    importance: 'MEDIUM',
    width: 'MEDIUM',
    displayName: 'Behavior when json payload including null value',
    group: 'Table',
    validators: [valueValidator('table.json.payload.null.behavior', enumValidator(['ignore', 'optional_bytes']))],
  },
]

const routerKeys: readonly ConfigKey[] = [
  {
    name: 'route.by.field',
    type: 'STRING',
    defaultValue: 'aggregatetype',
    documentation: 'Column whose value determines the topic.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Field to route events by',
    group: 'Router',
  },
  {
    name: 'route.topic.regex',
    type: 'STRING',
    defaultValue: '(?<routedByValue>.*)',
    documentation:
      'Regular expression that must match the whole value of the column; otherwise the value is the topic.',
    importance: 'LOW',
    width: 'MEDIUM',
    displayName: 'The name of the routed topic',
    group: 'Router',
    validators: [valueValidator('route.topic.regex', isJavaPattern)],
  },
  {
    name: 'route.topic.replacement',
    type: 'STRING',
    defaultValue: 'outbox.event.${routedByValue}',
    documentation: 'The topic. `${routedByValue}` and `$1` are groups of the expression.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'The name of the routed topic',
    group: 'Router',
  },
  {
    name: 'route.tombstone.on.empty.payload',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation: 'Whether an event with a payload that is null or blank becomes a tombstone.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Empty payloads cause a tombstone message',
    group: 'Router',
  },
]

/** Accepted without effect: there is no OpenTelemetry agent, without which Debezium ignores them too. */
const tracingKeys: readonly ConfigKey[] = [
  {
    name: 'tracing.span.context.field',
    type: 'STRING',
    defaultValue: 'tracingspancontext',
    documentation: 'No effect: Tributary writes no traces.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Serialized tracing span context field',
    group: 'Tracing',
  },
  {
    name: 'tracing.operation.name',
    type: 'STRING',
    defaultValue: 'debezium-read',
    documentation: 'No effect: Tributary writes no traces.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Tracing operation name',
    group: 'Tracing',
  },
  {
    name: 'tracing.with.context.field.only',
    type: 'BOOLEAN',
    defaultValue: 'false',
    documentation: 'No effect: Tributary writes no traces.',
    importance: 'HIGH',
    width: 'MEDIUM',
    displayName: 'Trace only events with context field present',
    group: 'Tracing',
  },
]

/** The options of Debezium 3.6, in its order. */
export const eventRouterConfig: ConfigDef = new ConfigDef([...tableKeys, ...routerKeys, ...tracingKeys])
