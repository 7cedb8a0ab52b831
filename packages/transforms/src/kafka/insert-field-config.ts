import {
  ConfigDef,
  type ConfigKey,
  type ConfigValues,
  type ConnectValue,
  Schema,
  Schemas,
  type SourceRecord,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'

const SUFFIX = 'The suffix `!` makes the field required, `?` optional, as it is without a suffix.'

function option(name: string, documentation: string): ConfigKey {
  return { name, type: 'STRING', defaultValue: null, documentation, importance: 'MEDIUM' }
}

export const insertFieldConfig: ConfigDef = new ConfigDef([
  option('topic.field', `Name of a field for the topic. ${SUFFIX}`),
  option('partition.field', `Name of a field for the partition, null where the producer chooses it. ${SUFFIX}`),
  option('offset.field', 'Name of a field for the offset. Sink connectors only: refused here.'),
  option('timestamp.field', `Name of a field for the time of the record. ${SUFFIX}`),
  option('static.field', `Name of a field for the constant \`static.value\`. ${SUFFIX}`),
  option('static.value', 'Value of the field `static.field`.'),
  REPLACE_NULL_OPTION,
])

/** A field that InsertField adds. */
export interface InsertedField {
  readonly name: string
  readonly schema: Schema
  readonly read: (record: SourceRecord) => ConnectValue
}

const timestamp = Schema.of('int64', { name: TIMESTAMP_SCHEMA_NAME, version: 1 })
const optionalTimestamp = timestamp.with({ optional: true })

/**
 * The added fields, in the order in which Connect adds them.
 *
 * @throws TRANSFORMATION_OPTION, TRANSFORMATION_OPTIONS
 */
export function insertedFields(values: ConfigValues): readonly InsertedField[] {
  const constant = values.optionalString('static.value')
  const fields = [
    fieldOf(values, 'topic.field', [Schemas.string, Schemas.optionalString], ({ topic }) => topic),
    fieldOf(values, 'partition.field', [Schemas.int32, Schemas.optionalInt32], ({ partition }) => partition),
    fieldOf(values, 'timestamp.field', [timestamp, optionalTimestamp], (record) => record.timestamp),
    fieldOf(values, 'static.field', [Schemas.string, Schemas.optionalString], () => constant),
  ].filter((field) => field !== null)
  const offsetField = values.optionalString('offset.field')
  if (offsetField !== null) {
    // Connect fails at the first record.
    const reason = 'Only SinkRecord supported for [field insertion]'
    throw transformErrors.TRANSFORMATION_OPTION({ name: 'offset.field', value: offsetField, reason })
  }
  if (fields.length === 0) throw transformErrors.TRANSFORMATION_OPTIONS({ reason: 'No field insertion configured' })
  const staticField = values.optionalString('static.field')
  if (staticField !== null && constant === null) {
    const reason = `No value specified for static field: ${staticField}`
    throw transformErrors.TRANSFORMATION_OPTION({ name: 'static.value', value: 'null', reason })
  }
  return fields
}

function fieldOf(
  values: ConfigValues,
  option: string,
  [required, optional]: readonly [required: Schema, optional: Schema],
  read: InsertedField['read'],
): InsertedField | null {
  const value = values.optionalString(option)
  if (value === null) return null
  const name = /[?!]$/.test(value) ? value.slice(0, -1) : value
  // Connect fails at the first record.
  if (name === '') throw transformErrors.TRANSFORMATION_OPTION({ name: option, value, reason: 'The name is empty' })
  return { name, schema: value.endsWith('!') ? required : optional, read }
}
