import {
  type ConfigMap,
  type ConnectValue,
  type Field,
  Schema,
  type SchemaOptions,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
  javaTypeName,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { NullDefaults } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { castConfig, type CastSpec, type CastType, parseCastSpec, SOURCE_LIST } from './cast-spec.ts'
import { castValue } from './cast-value.ts'

const PURPOSE = 'cast types'

interface CastPlan {
  readonly struct: StructPlan
  /** In the order of the fields. */
  readonly casts: readonly { readonly field: Field; readonly target: CastType }[]
}

/** Changes the types of fields, or of a whole key or value. */
class Cast implements Transformation {
  readonly #side: RecordSide
  #spec: CastSpec = { whole: null, fields: new Map() }
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))
  readonly #wholeSchemas = new SchemaMemo((schema) => wholeSchema(schema, this.#spec.whole ?? 'string'))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = castConfig.parse(options)
    const spec = parseCastSpec(values.list('spec'))
    if (typeof spec === 'string') throw transformErrors.TRANSFORMATION_OPTIONS({ reason: spec })
    this.#spec = spec
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const value = this.#side.valueOf(record)
    if (value === null) return record
    const schema = this.#side.schemaOf(record)
    const { whole } = this.#spec
    if (whole !== null) {
      const cast = castValue(schema, value, whole)
      return this.#side.with(record, schema === null ? null : this.#wholeSchemas.of(schema), cast)
    }
    if (schema === null) return this.#side.with(record, null, this.#castMap(value))
    const struct = requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(schema)
    const cast = plan.casts.map(({ field, target }) =>
      castValue(field.schema, this.#defaults.valueOf(struct, field), target),
    )
    return this.#side.with(record, plan.struct.schema, plan.struct.make(struct, cast))
  }

  #castMap(value: ConnectValue): ConnectValue {
    const map = requireMap(value, PURPOSE)
    const changed = new Map(map)
    for (const [name, target] of this.#spec.fields) changed.set(name, castValue(null, map.get(name) ?? null, target))
    return changed
  }

  #planOf(schema: Schema): CastPlan {
    if (schema.defaultValue !== null) {
      // Connect casts the default, which is a struct.
      throw transformErrors.CAST_SOURCE({ type: javaTypeName(schema.type), types: SOURCE_LIST })
    }
    const edit = new StructEdit({ ...basicsOf(schema), optional: schema.isOptional })
    const casts: { field: Field; target: CastType }[] = []
    for (const field of schema.fields) {
      const target = this.#spec.fields.get(field.name)
      if (target === undefined) this.#defaults.keep(edit, field)
      else {
        edit.add(field.name, castSchema(field.schema, target, {}))
        casts.push({ field, target })
      }
    }
    return { struct: edit.build(), casts }
  }
}

/** Connect keeps the name of the schema of a whole value, even that of a logical type. */
function wholeSchema(schema: Schema, target: CastType): Schema {
  return castSchema(schema, target, basicsOf(schema))
}

function castSchema(schema: Schema, target: CastType, basics: SchemaOptions): Schema {
  const defaultValue = castValue(schema, schema.defaultValue, target)
  return Schema.of(target, {
    ...basics,
    optional: schema.isOptional,
    ...(defaultValue === null ? {} : { defaultValue }),
  })
}

export const castPlugins: readonly TransformationPlugin[] = sidedPlugins('Cast', castConfig, (side) => new Cast(side))
