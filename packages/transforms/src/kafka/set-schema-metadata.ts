import {
  ConfigDef,
  type ConfigMap,
  type Schema,
  type SchemaOptions,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { allPartsOf } from '../stage/schema-parts.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { StructEdit, type StructPlan } from '../stage/struct-edit.ts'

const config = new ConfigDef([
  {
    name: 'schema.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'New name of the schema. Absent: it stays.',
    importance: 'HIGH',
  },
  {
    name: 'schema.version',
    type: 'INT',
    defaultValue: null,
    documentation: 'New version of the schema. Absent: it stays.',
    importance: 'HIGH',
  },
  REPLACE_NULL_OPTION,
])

/** The schema under its new name, and how structs of the old one become structs of it. */
interface RenamedSchema {
  readonly schema: Schema
  /** Null: values are not structs. */
  readonly plan: StructPlan | null
}

/** Changes name and version of a schema. */
class SetSchemaMetadata implements Transformation {
  readonly #side: RecordSide
  #changes: SchemaOptions = {}
  #defaults = new NullDefaults(true)
  readonly #renamed = new SchemaMemo((schema) => this.#rename(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    const name = values.optionalString('schema.name')
    const version = values.optionalInteger('schema.version')
    if (name === null && version === null) {
      throw transformErrors.TRANSFORMATION_OPTIONS({ reason: 'Neither schema name nor version configured' })
    }
    this.#changes = { ...(name === null ? {} : { name }), ...(version === null ? {} : { version }) }
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    const value = this.#side.valueOf(record)
    if (schema === null) {
      if (value === null) return record
      throw transformErrors.SCHEMA_REQUIRED({ purpose: 'updating schema metadata' })
    }
    const renamed = this.#renamed.of(schema)
    const isStruct = value instanceof Struct && renamed.plan !== null
    return this.#side.with(record, renamed.schema, isStruct ? renamed.plan.make(value, []) : value)
  }

  #rename(schema: Schema): RenamedSchema {
    const renamed = schema.with(this.#changes)
    if (schema.type !== 'struct') return { schema: renamed, plan: null }
    const edit = new StructEdit(allPartsOf(renamed))
    for (const field of schema.fields) this.#defaults.keep(edit, field)
    const plan = edit.build()
    return { schema: plan.schema, plan }
  }
}

export const setSchemaMetadataPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'SetSchemaMetadata',
  config,
  (side) => new SetSchemaMetadata(side),
)
