import {
  type ConfigMap,
  type Field,
  type Schema,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { NullDefaults } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { allPartsOf } from '../stage/schema-parts.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { convertTimestamp, formOfSchema, formOfSchemaless, schemaOfForm } from './convert-timestamp.ts'
import { timestampConverterConfig, type TimestampOptions, timestampOptions } from './timestamp-converter-config.ts'

const PURPOSE = 'converting timestamp formats'

interface ConverterPlan {
  /** Of the new values: as that of `struct`, with the converted default. */
  readonly schema: Schema
  readonly struct: StructPlan
  /** Null: structs of the schema do not have the field. */
  readonly field: Field | null
}

/** Converts points in time between texts, numbers and Connect's types. */
class TimestampConverter implements Transformation {
  readonly #side: RecordSide
  #options: TimestampOptions = { field: '', target: 'unix', format: null, unit: 'milliseconds' }
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = timestampConverterConfig.parse(options)
    this.#options = timestampOptions(values)
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    if (schema === null) return this.#schemaless(record)
    const value = this.#side.valueOf(record)
    const options = this.#options
    if (options.field === '') {
      const converted = convertTimestamp(value, formOfSchema(schema), options, true)
      return this.#side.with(record, schemaOfForm(options.target, schema.isOptional), converted)
    }
    const struct = value === null ? null : requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(schema)
    return this.#side.with(record, plan.schema, struct === null ? null : this.#convert(struct, plan))
  }

  #schemaless(record: SourceRecord): SourceRecord {
    const value = this.#side.valueOf(record)
    const options = this.#options
    if (value === null) return this.#side.with(record, null, null)
    if (options.field === '') {
      return this.#side.with(record, null, convertTimestamp(value, formOfSchemaless(value), options, false))
    }
    const map = requireMap(value, PURPOSE)
    const found = map.get(options.field) ?? null
    const converted = found === null ? null : convertTimestamp(found, formOfSchemaless(found), options, false)
    return this.#side.with(record, null, new Map(map).set(options.field, converted))
  }

  #convert(struct: Struct, { struct: plan, field }: ConverterPlan): Struct {
    if (field === null) return plan.make(struct, [])
    const value = this.#defaults.valueOf(struct, field)
    return plan.make(struct, [convertTimestamp(value, formOfSchema(field.schema), this.#options, true)])
  }

  #planOf(schema: Schema): ConverterPlan {
    const name = this.#options.field
    const { defaultValue } = schema
    const edit = new StructEdit({ ...basicsOf(schema), optional: schema.isOptional })
    this.#addFields(edit, schema)
    const plan = { schema, struct: edit.build(), field: schema.field(name) }
    if (!(defaultValue instanceof Struct)) return { ...plan, schema: plan.struct.schema }
    const converted = new StructEdit({ ...allPartsOf(schema), defaultValue: this.#convert(defaultValue, plan) })
    this.#addFields(converted, schema)
    const struct = converted.build()
    return { ...plan, schema: struct.schema, struct }
  }

  #addFields(edit: StructEdit, schema: Schema): void {
    for (const field of schema.fields) {
      if (field.name === this.#options.field) {
        edit.add(field.name, schemaOfForm(this.#options.target, field.schema.isOptional))
      } else this.#defaults.keep(edit, field)
    }
  }
}

export const timestampConverterPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'TimestampConverter',
  timestampConverterConfig,
  (side) => new TimestampConverter(side),
)
