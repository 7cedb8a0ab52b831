import { type Field, ownField, Schema, type SchemaOptions, StructDerivation } from '@tributary/connect-api'

/**
 * Builds the schema of a changed struct together with its derivation, field by field in the order of the new schema.
 *
 *     const edit = new StructEdit(basicsOf(row))
 *     for (const field of row.fields) if (field.name !== 'secret') edit.keep(field)
 *     edit.add('op', Schemas.string)
 *     const derivation = edit.build()   // derive(derivation, row, ['c'])
 */
export class StructEdit {
  readonly #options: SchemaOptions
  /** By name: a field that is added under an existing name replaces that one at its place. */
  readonly #fields = new Map<string, { readonly schema: Schema; readonly source: number }>()
  #ownCount = 0

  constructor(options: SchemaOptions) {
    this.#options = options
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** Takes a field of the base, whose schema must keep its type. */
  keep({ name, schema, index }: Field, changes: { readonly name?: string; readonly schema?: Schema } = {}): void {
    this.#fields.set(changes.name ?? name, { schema: changes.schema ?? schema, source: index })
  }

  /** Adds a field with the next own value. */
  add(name: string, schema: Schema): void {
    this.#fields.set(name, { schema, source: ownField(this.#ownCount) })
    this.#ownCount += 1
  }

  build(): StructDerivation {
    const entries = [...this.#fields]
    const schema = Schema.struct(
      entries.map(([name, field]) => [name, field.schema] as const),
      this.#options,
    )
    return new StructDerivation(
      schema,
      entries.map(([, { source }]) => source),
      this.#ownCount,
    )
  }
}

/** What Connect copies to the schema of a changed struct: name, version, doc and parameters, not whether it is optional. */
export function basicsOf({ name, version, doc, parameters }: Schema): SchemaOptions {
  return {
    ...(name === null ? {} : { name }),
    ...(version === null ? {} : { version }),
    ...(doc === null ? {} : { doc }),
    ...(parameters === null ? {} : { parameters }),
  }
}
