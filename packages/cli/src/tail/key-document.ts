import { Schema, type SourceRecord, Struct } from '@tributary/connect-api'

/**
 * Adds the key to the document of a change that has no row before it, although there was one: the binlog does not have
 * all of it (binlog_row_image=MINIMAL). Without the key, the document of a delete would not name the row.
 */
export class KeyDocuments {
  readonly #schemas = new WeakMap<Schema, Schema>()

  /** The record itself when its document names the row. */
  withKey(record: SourceRecord): SourceRecord {
    const { key, keySchema, value } = record
    if (!(value instanceof Struct) || !(key instanceof Struct) || keySchema === null) return record
    const [op, before] = [value.schema.field('op'), value.schema.field('before')]
    if (op === null || before === null || value.at(before.index) !== null) return record
    const operation = value.at(op.index)
    if (operation !== 'u' && operation !== 'd') return record
    const { schema } = value
    const known = this.#schemas.get(schema)
    const keyed = known ?? withField(schema, keySchema)
    if (known === undefined) this.#schemas.set(schema, keyed)
    return {
      ...record,
      valueSchema: keyed,
      value: new Struct(keyed, [...schema.fields.map((_, i) => value.at(i)), key]),
    }
  }
}

function withField(schema: Schema, key: Schema): Schema {
  const fields = [...schema.fields.map(({ name, schema: field }) => [name, field] as const), ['key', key] as const]
  return Schema.struct(fields, schema.name === null ? {} : { name: schema.name })
}
