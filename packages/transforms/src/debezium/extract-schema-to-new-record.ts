import {
  ConfigDef,
  type ConnectValue,
  Schema,
  Schemas,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withValue } from '../stage/changed-record.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { envelopeOf } from './envelope.ts'

const config = new ConfigDef([])

const columnSchema = Schema.struct(
  [
    ['name', Schemas.string],
    ['typeName', Schemas.string],
    ['length', Schemas.optionalInt32],
    ['scale', Schemas.optionalInt32],
    ['comment', Schemas.optionalString],
  ],
  { name: 'io.debezium.connector.source.schema.Column', version: 1 },
)
const tableSchema = Schema.struct([['columns', Schema.array(columnSchema)]], {
  name: 'io.debezium.connector.source.schema.Table',
  version: 1,
})
const sourceSchema = Schema.struct(
  [
    ['id', Schemas.string],
    ['table', tableSchema],
  ],
  { name: 'io.debezium.connector.source.Schema', version: 1 },
)

interface DescriptionPlan {
  readonly struct: StructPlan
  /** The struct of the source, and the table in it. */
  readonly source: number
  readonly tableName: number
  readonly table: Struct
}

/** Debezium's ExtractSchemaToNewRecord: adds the columns with their types in the database to a change event. */
class ExtractSchemaToNewRecord implements Transformation {
  readonly #plans = new SchemaMemo(planOf)

  configure(): void {}

  apply(record: SourceRecord): SourceRecord {
    const event = envelopeOf(record)
    if (event === null) return record
    // Neither image: the table was truncated.
    if (['before', 'after'].every((name) => valueOf(event, name) === null)) return record
    const plan = this.#plans.of(event.schema)
    const source = event.at(plan.source)
    const id = source instanceof Struct ? source.at(plan.tableName) : null
    const value = plan.struct.make(event, [new Struct(sourceSchema, [id, plan.table])])
    return withValue(record, value.schema, value)
  }
}

function valueOf(event: Struct, name: string): ConnectValue {
  return event.at(indexOf(event.schema, name))
}

function indexOf(schema: Schema, name: string): number {
  const field = schema.field(name)
  if (field === null) throw transformErrors.NOT_A_FIELD({ name })
  return field.index
}

function planOf(envelope: Schema): DescriptionPlan {
  const edit = new StructEdit({ ...basicsOf(envelope), optional: envelope.isOptional })
  for (const field of envelope.fields) edit.keepWithDefault(field)
  if (edit.has('sourceSchema')) throw transformErrors.FIELD_EXISTS({ name: 'sourceSchema' })
  edit.add('sourceSchema', sourceSchema)
  const source = indexOf(envelope, 'source')
  const row = envelope.fields[indexOf(envelope, 'after')]?.schema.fields ?? []
  const columns = row.map(({ schema }) => columnOf(schema))
  return {
    struct: edit.build(),
    source,
    tableName: indexOf(envelope.fields[source]?.schema ?? envelope, 'table'),
    table: new Struct(tableSchema, [columns]),
  }
}

/** What column.propagate.source.type adds to the schema of a column. */
function columnOf({ parameters }: Schema): Struct {
  const parameter = (name: string): string | null => parameters?.[`__debezium.source.column.${name}`] ?? null
  const number = (text: string | null): number | null => (text === null ? null : Number(text))
  const name = parameter('name')
  const type = parameter('type')
  if (name === null || type === null) throw transformErrors.COLUMN_TYPES_MISSING({})
  const [length, scale] = [number(parameter('length')), number(parameter('scale'))]
  return new Struct(columnSchema, [name, type, length, scale, parameter('comment')])
}

export const extractSchemaToNewRecordPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ExtractSchemaToNewRecord',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new ExtractSchemaToNewRecord(),
}
