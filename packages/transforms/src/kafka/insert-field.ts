import type {
  ConfigMap,
  ConnectValue,
  Schema,
  SourceRecord,
  Transformation,
  TransformationPlugin,
} from '@tributary/connect-api'
import { NullDefaults, requireNew } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { type InsertedField, insertedFields, insertFieldConfig } from './insert-field-config.ts'

const PURPOSE = 'field insertion'

/** Adds fields with properties of the record, or a constant. */
class InsertField implements Transformation {
  readonly #side: RecordSide
  #fields: readonly InsertedField[] = []
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = insertFieldConfig.parse(options)
    this.#fields = insertedFields(values)
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const value = this.#side.valueOf(record)
    if (value === null) return record
    const schema = this.#side.schemaOf(record)
    if (schema === null) return this.#side.with(record, null, this.#changedMap(record, value))
    const struct = requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(struct.schema)
    const added = this.#fields.map((field) => field.read(record))
    return this.#side.with(record, plan.schema, plan.make(struct, added))
  }

  #changedMap(record: SourceRecord, value: ConnectValue): ConnectValue {
    const changed = new Map(requireMap(value, PURPOSE))
    for (const { name, read } of this.#fields) {
      const added = read(record)
      if (added !== null) changed.set(name, added)
    }
    return changed
  }

  #planOf(schema: Schema): StructPlan {
    const edit = new StructEdit(basicsOf(schema))
    for (const field of schema.fields) this.#defaults.keep(edit, field)
    for (const { name, schema: added } of this.#fields) {
      requireNew(edit, name)
      edit.add(name, added)
    }
    return edit.build()
  }
}

export const insertFieldPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'InsertField',
  insertFieldConfig,
  (side) => new InsertField(side),
)
