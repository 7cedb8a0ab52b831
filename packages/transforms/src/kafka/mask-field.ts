import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Field,
  type Schema,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import { distinctEntries, nonEmptyString } from '../stage/option-validators.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { allPartsOf } from '../stage/schema-parts.ts'
import { maskedValue } from './masked-value.ts'

const config = new ConfigDef([
  {
    name: 'fields',
    type: 'LIST',
    documentation: 'Fields to mask.',
    importance: 'HIGH',
    validators: [distinctEntries({ mayBeEmpty: false })],
  },
  {
    name: 'replacement',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'Value of masked fields, which are texts or numbers. Absent: an empty text, 0, false, an empty list.',
    importance: 'LOW',
    validators: [nonEmptyString],
  },
  REPLACE_NULL_OPTION,
])

const PURPOSE = 'mask fields'

interface MaskPlan {
  readonly struct: StructPlan
  readonly masked: readonly Field[]
}

/** Replaces the values of fields by a constant. Null stays. */
class MaskField implements Transformation {
  readonly #side: RecordSide
  #fields: ReadonlySet<string> = new Set()
  #replacement: string | null = null
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#fields = new Set(values.list('fields'))
    this.#replacement = values.optionalString('replacement')
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    const value = this.#side.valueOf(record)
    if (schema === null) return this.#side.with(record, null, this.#maskMap(value))
    const struct = requireStruct(schema, value, PURPOSE)
    const plan = this.#plans.of(struct.schema)
    const masked = plan.masked.map((field) =>
      maskedValue(field.schema, this.#defaults.valueOf(struct, field), this.#replacement),
    )
    return this.#side.with(record, plan.struct.schema, plan.struct.make(struct, masked))
  }

  #maskMap(value: ConnectValue): ConnectValue {
    const map = requireMap(value, PURPOSE)
    const changed = new Map(map)
    for (const name of this.#fields) changed.set(name, maskedValue(null, map.get(name) ?? null, this.#replacement))
    return changed
  }

  #planOf(schema: Schema): MaskPlan {
    const edit = new StructEdit(allPartsOf(schema))
    const masked: Field[] = []
    for (const field of schema.fields) {
      if (this.#fields.has(field.name)) {
        edit.add(field.name, field.schema)
        masked.push(field)
      } else this.#defaults.keep(edit, field)
    }
    return { struct: edit.build(), masked }
  }
}

export const maskFieldPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'MaskField',
  config,
  (side) => new MaskField(side),
)
