import { type ConnectValue, Schema, type SchemaOptions, Struct } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { basicsOf } from '../stage/struct-edit.ts'

/** A field of a change event that an option refers to, such as `op`, `source.ts_ms` or `table:TABLE_NAME`. */
export interface EventField {
  /** The struct that contains it; null: the event itself. */
  readonly struct: string | null
  readonly field: string
  /** Its name in the record or its header. */
  readonly newName: string
}

/** Where an event has a field that is named without its struct. */
const STRUCT_OF: ReadonlyMap<string, string | null> = new Map([
  ['id', 'transaction'],
  ['data_collection_order', 'transaction'],
  ['total_order', 'transaction'],
  ['op', null],
  ['ts_ms', null],
  ['ts_us', null],
  ['ts_ns', null],
])

/**
 * Parses `add.fields` or `add.headers`: `[STRUCT.]FIELD[:NEW_NAME]`, separated by commas.
 *
 * @throws TRANSFORMATION_OPTION
 */
export function parseEventFields(name: string, prefix: string, entries: readonly string[]): readonly EventField[] {
  return entries.map((entry) => {
    const [path = '', newName, ...more] = entry.split(':')
    const [first = '', second] = path.split('.')
    if (first === '' || more.length > 0) {
      const reason = `'${entry}' is not of the form [struct.]field[:new name]`
      throw transformErrors.TRANSFORMATION_OPTION({ name, value: entries.join(','), reason })
    }
    const field = second ?? first
    const struct = second === undefined ? structOf(field) : first
    const defaultName = second === undefined ? field : `${first}_${field}`
    return { struct, field, newName: prefix + (newName ?? defaultName) }
  })
}

function structOf(field: string): string | null {
  const struct = STRUCT_OF.get(field)
  return struct === undefined ? 'source' : struct
}

/** A field as the events of one schema have it. */
export interface LocatedField {
  readonly newName: string
  readonly schema: Schema
  readonly read: (event: Struct) => ConnectValue
}

/**
 * Finds the field in the schema of an event: in its struct, else in the event itself, where another transformation may
 * have added it. Null: events of the schema do not have it.
 */
export function locateField({ struct, field, newName }: EventField, envelope: Schema): LocatedField | null {
  const parent = struct === null ? null : envelope.field(struct)
  const inStruct = parent?.schema.field(field) ?? null
  if (parent !== null && inStruct !== null) {
    const read = (event: Struct): ConnectValue => {
      const container = event.at(parent.index)
      // A struct may be null: there is no transaction in a snapshot.
      return container instanceof Struct ? container.at(inStruct.index) : null
    }
    return { newName, schema: optionalCopy(inStruct.schema), read }
  }
  const inEvent = envelope.field(field)
  if (inEvent === null) return null
  return { newName, schema: optionalCopy(inEvent.schema), read: (event) => event.at(inEvent.index) }
}

/** The same type as an optional one, without a default. */
function optionalCopy(schema: Schema): Schema {
  const options: SchemaOptions = { ...basicsOf(schema), optional: true }
  const { type, keySchema, valueSchema, fields } = schema
  if (type === 'struct')
    return Schema.struct(
      fields.map(({ name, schema: own }) => [name, own] as const),
      options,
    )
  if (type === 'array' && valueSchema !== null) return Schema.array(valueSchema, options)
  if (type === 'map' && keySchema !== null && valueSchema !== null) return Schema.map(keySchema, valueSchema, options)
  if (type === 'array' || type === 'map') return schema
  return Schema.of(type, options)
}
