import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Schema,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withKey } from '../stage/changed-record.ts'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import { distinctEntries } from '../stage/option-validators.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'fields',
    type: 'LIST',
    documentation: 'Fields of the value that the new key consists of, in this order.',
    importance: 'HIGH',
    validators: [distinctEntries({ mayBeEmpty: false })],
  },
  REPLACE_NULL_OPTION,
])

const PURPOSE = 'copying fields from value to key'

/** Replaces the key by fields of the value. */
class ValueToKey implements Transformation {
  #fields: readonly string[] = []
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#fields = [...new Set(values.list('fields'))]
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    if (record.valueSchema === null) {
      const map = requireMap(record.value, PURPOSE)
      const key = new Map<ConnectValue, ConnectValue>(this.#fields.map((name) => [name, map.get(name) ?? null]))
      return withKey(record, null, key)
    }
    const struct = requireStruct(record.valueSchema, record.value, PURPOSE)
    const plan = this.#plans.of(struct.schema)
    return withKey(record, plan.schema, plan.make(struct, []))
  }

  #planOf(schema: Schema): StructPlan {
    const edit = new StructEdit({})
    for (const name of this.#fields) {
      const field = schema.field(name)
      if (field === null) throw transformErrors.FIELD_MISSING({ name })
      this.#defaults.keep(edit, field)
    }
    return edit.build()
  }
}

export const valueToKeyPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.ValueToKey',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new ValueToKey(),
}
