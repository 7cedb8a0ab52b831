import {
  ConfigDef,
  type ConfigMap,
  type ConnectValue,
  type Field,
  oneOfIgnoringCase,
  type Schema,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  javaTypeName,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { splitFieldPath } from '../stage/field-path.ts'
import { NullDefaults, REPLACE_NULL_OPTION } from '../stage/null-defaults.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { requireMap, requireStruct } from '../stage/required-value.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'

const config = new ConfigDef([
  {
    name: 'field',
    type: 'STRING',
    documentation: 'The field that becomes the key or value.',
    importance: 'MEDIUM',
  },
  REPLACE_NULL_OPTION,
  {
    name: 'field.syntax.version',
    type: 'STRING',
    defaultValue: 'V1',
    documentation:
      '`V1`: `field` is a name. `V2`: it is a path such as `after.id`, with backticks around a name that contains dots.',
    importance: 'HIGH',
    validators: [oneOfIgnoringCase('V1', 'V2')],
  },
])

const PURPOSE = 'field extraction'
const NESTED = 'nested field access'

/** Where structs of a schema have the field. */
interface Place {
  /** The structs that contain it, from the outside. */
  readonly containers: readonly Field[]
  readonly field: Field
}

/** Replaces a key or value by one of its fields. */
class ExtractField implements Transformation {
  readonly #side: RecordSide
  #path = ''
  #names: readonly string[] = []
  #defaults = new NullDefaults(true)
  readonly #places = new SchemaMemo((schema) => this.#placeIn(schema))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#path = values.string('field')
    // Connect fails at the first record.
    if (this.#path === '') {
      throw transformErrors.TRANSFORMATION_OPTION({ name: 'field', value: '', reason: 'The name is empty' })
    }
    const isPath = values.string('field.syntax.version').toUpperCase() === 'V2'
    this.#names = isPath ? splitFieldPath(this.#path) : [this.#path]
    this.#defaults = new NullDefaults(values.boolean('replace.null.with.default'))
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    const value = this.#side.valueOf(record)
    if (schema === null) return this.#side.with(record, null, this.#fromMap(value))
    if (value !== null) requireStruct(schema, value, PURPOSE)
    const { containers, field } = this.#places.of(schema)
    let struct: ConnectValue = value
    for (const container of containers) struct = struct instanceof Struct ? DEFAULTS.valueOf(struct, container) : null
    const extracted = struct instanceof Struct ? this.#defaults.valueOf(struct, field) : null
    return this.#side.with(record, field.schema, extracted)
  }

  #fromMap(value: ConnectValue): ConnectValue {
    let current = value
    for (const [depth, name] of this.#names.entries()) {
      if (current === null) return null
      current = requireMap(current, depth === 0 ? PURPOSE : NESTED).get(name) ?? null
    }
    return current
  }

  #placeIn(schema: Schema): Place {
    const containers: Field[] = []
    let current = schema
    for (const [depth, name] of this.#names.entries()) {
      if (current.type !== 'struct') {
        throw transformErrors.NOT_NESTED({ path: this.#path, type: javaTypeName(current.type) })
      }
      const field = current.field(name)
      if (field === null) break
      if (depth === this.#names.length - 1) return { containers, field }
      containers.push(field)
      current = field.schema
    }
    throw transformErrors.FIELD_UNKNOWN({ name: this.#path })
  }
}

/** Connect takes the default of a struct on the path, whatever the option. */
const DEFAULTS = new NullDefaults(true)

export const extractFieldPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'ExtractField',
  config,
  (side) => new ExtractField(side),
)
