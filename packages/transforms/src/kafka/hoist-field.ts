import {
  ConfigDef,
  type ConfigMap,
  Schema,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  javaTypeName,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import type { RecordSide } from '../stage/record-side.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { sidedPlugins } from '../stage/sided-plugins.ts'

const config = new ConfigDef([
  {
    name: 'field',
    type: 'STRING',
    documentation: 'Name of the only field of the new struct or map.',
    importance: 'MEDIUM',
  },
])

/** Wraps a key or value in a struct of one field; without a schema, in a map. */
class HoistField implements Transformation {
  readonly #side: RecordSide
  #field = ''
  readonly #schemas = new SchemaMemo((schema) => Schema.struct([[this.#field, schema]]))

  constructor(side: RecordSide) {
    this.#side = side
  }

  configure(options: ConfigMap): void {
    this.#field = config.parse(options).string('field')
    if (this.#field === '') {
      // Connect fails at the first record with a schema.
      throw transformErrors.TRANSFORMATION_OPTION({
        name: 'field',
        value: '',
        reason: 'The name of a field is not empty',
      })
    }
  }

  apply(record: SourceRecord): SourceRecord {
    const schema = this.#side.schemaOf(record)
    const value = this.#side.valueOf(record)
    if (schema === null) return this.#side.with(record, null, new Map([[this.#field, value]]))
    if (value === null && !schema.isOptional) {
      throw transformErrors.NULL_FIELD({ name: this.#field, type: javaTypeName(schema.type) })
    }
    const hoisted = this.#schemas.of(schema)
    return this.#side.with(record, hoisted, new Struct(hoisted, [value]))
  }
}

export const hoistFieldPlugins: readonly TransformationPlugin[] = sidedPlugins(
  'HoistField',
  config,
  (side) => new HoistField(side),
)
