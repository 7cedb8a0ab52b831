import { Schema, type SourceRecord, Struct, type ConnectValue } from '@tributary/connect-api'
import type { Transformation } from '@tributary/connect-api'
import { CodedError, silentLogger } from '@tributary/support'
import { cliErrors } from '../errors.ts'

/** Whether a record is printed. */
export type RecordTest = (record: SourceRecord) => boolean

/**
 * Compiles the expression of `--where`, which is the condition of Debezium's Filter in Groovy's spelling. Records
 * without a row, such as those of statements, are left out.
 *
 * @param hasLiterals the columns of the records are structs with their literals
 * @throws TAIL_WHERE
 */
export async function compileWhere(expression: string, hasLiterals: boolean): Promise<RecordTest> {
  const filter = await createFilter(expression)
  const rows = new PlainRows()
  return (record) => {
    const plain = hasLiterals ? rows.plain(record) : record
    if (plain === null) return false
    try {
      return filter.apply(plain) !== null
    } catch (error) {
      if (error instanceof CodedError) throw cliErrors.TAIL_WHERE({ reason: error.message }, error)
      throw error
    }
  }
}

async function createFilter(condition: string): Promise<Transformation> {
  const { transformationPlugins } = await import('@tributary/transforms')
  const plugin = transformationPlugins.find(({ className }) => className === 'io.debezium.transforms.Filter')
  if (plugin?.type !== 'transformation') throw new Error('the filter is a transformation')
  const options = { condition, language: 'jsr223.groovy', 'null.handling.mode': 'drop' }
  const [refusal] = plugin.config.validate(options).flatMap(({ errors }) => errors)
  if (refusal !== undefined) throw cliErrors.TAIL_WHERE({ reason: refusal })
  const filter = plugin.create()
  filter.configure(options, { logger: silentLogger })
  return filter
}

/** The same records without the literals: an expression sees what is in the documents of a topic. */
class PlainRows {
  readonly #schemas = new WeakMap<Schema, { readonly envelope: Schema; readonly row: Schema }>()

  /** Null: it is not the record of a row. */
  plain(record: SourceRecord): SourceRecord | null {
    const { value } = record
    if (!(value instanceof Struct) || value.schema.field('op') === null) return null
    const { envelope, row } = this.#schemasOf(value.schema)
    const values = value.schema.fields.map(({ name }, i) =>
      name === 'before' || name === 'after' ? plainRow(value.at(i), row) : value.at(i),
    )
    return { ...record, valueSchema: envelope, value: new Struct(envelope, values) }
  }

  #schemasOf(schema: Schema) {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    const literal = schema.field('after')?.schema ?? schema
    const row = Schema.struct(
      literal.fields.map((field) => [field.name, field.schema.fields[0]?.schema ?? field.schema] as const),
      { optional: true, ...(literal.name === null ? {} : { name: literal.name }) },
    )
    const envelope = Schema.struct(
      schema.fields.map((field) => {
        const isRow = field.name === 'before' || field.name === 'after'
        return [field.name, isRow ? row : field.schema] as const
      }),
      schema.name === null ? {} : { name: schema.name },
    )
    const both = { envelope, row }
    this.#schemas.set(schema, both)
    return both
  }
}

function plainRow(image: ConnectValue, schema: Schema): ConnectValue {
  if (!(image instanceof Struct)) return image
  const values = schema.fields.map((_, i) => {
    const column = image.at(i)
    return column instanceof Struct ? column.at(0) : null
  })
  return new Struct(schema, values)
}
