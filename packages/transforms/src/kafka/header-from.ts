import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Field,
  type Header,
  oneOf,
  type Schema,
  type SourceRecord,
  type Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withHeaders } from '../stage/changed-record.ts'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import { nonEmptyList } from '../stage/option-validators.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'

const config = new ConfigDef([
  {
    name: 'fields',
    type: 'LIST',
    documentation: 'Fields that become headers.',
    importance: 'HIGH',
    validators: [nonEmptyList],
  },
  {
    name: 'headers',
    type: 'LIST',
    documentation: 'Names of the headers, one per field of `fields` and in the same order.',
    importance: 'HIGH',
    validators: [nonEmptyList],
  },
  {
    name: 'operation',
    type: 'STRING',
    documentation: '`move` removes the fields from the record, `copy` keeps them.',
    importance: 'HIGH',
    validators: [oneOf('move', 'copy')],
  },
  REPLACE_NULL_OPTION,
])

interface HeaderPlan {
  /** In the order of the option. */
  readonly fields: readonly Field[]
  /** How the struct loses the moved fields; null: it stays. */
  readonly rest: StructPlan | null
}

/** Moves or copies fields of a record to its headers. */
class HeaderFrom implements Transformation {
  readonly #side: RecordSide
  #names: readonly string[] = []
  #headers: readonly string[] = []
  #operation = 'copy'
  #defaults = new NullDefaults(true)
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#names = values.list('fields')
    this.#headers = values.list('headers')
    if (this.#names.length !== this.#headers.length) {
      const reason = "'fields' config must have the same number of elements as 'headers' config"
      throw transformErrors.TRANSFORMATION_OPTIONS({ reason })
    }
    this.#operation = values.string('operation')
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    const value = this.#side.valueOf(record)
    const purpose = `header ${this.#operation}`
    if (schema === null) return this.#fromMap(record, requireMap(value, purpose))
    return this.#fromStruct(record, requireStruct(schema, value, purpose))
  }

  #fromStruct(record: SourceRecord, struct: Struct): SourceRecord {
    const { fields, rest } = this.#plans.of(struct.schema)
    const added = fields.map((field, i): Header => ({
      key: this.#headerName(i),
      schema: field.schema,
      value: this.#defaults.valueOf(struct, field),
    }))
    const headed = withHeaders(record, [...record.headers, ...added])
    return rest === null ? headed : this.#side.with(headed, rest.schema, rest.make(struct, []))
  }

  #fromMap(record: SourceRecord, map: ReadonlyMap<ConnectValue, ConnectValue>): SourceRecord {
    const added = this.#names.map((name, i): Header => ({
      key: this.#headerName(i),
      schema: null,
      value: map.get(name) ?? null,
    }))
    const headed = withHeaders(record, [...record.headers, ...added])
    if (this.#operation === 'copy') return headed
    const rest = new Map(map)
    for (const name of this.#names) rest.delete(name)
    return this.#side.with(headed, null, rest)
  }

  #headerName(index: number): string {
    return this.#headers[index] ?? ''
  }

  #planOf(schema: Schema): HeaderPlan {
    const fields = this.#names.map((name) => {
      const field = schema.field(name)
      // Connect throws a NullPointerException.
      if (field === null) throw transformErrors.NOT_A_FIELD({ name })
      return field
    })
    if (this.#operation === 'copy') return { fields, rest: null }
    const edit = new StructEdit(basicsOf(schema))
    for (const field of schema.fields) if (!this.#names.includes(field.name)) this.#defaults.keep(edit, field)
    return { fields, rest: edit.build() }
  }
}

export const headerFromPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'HeaderFrom',
  config,
  (side) => new HeaderFrom(side),
)
