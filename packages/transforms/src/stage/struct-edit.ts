import {
  type ConnectValue,
  derive,
  type DerivedStruct,
  type Field,
  ownField,
  Schema,
  type SchemaOptions,
  type Struct,
  StructDerivation,
} from '@tributary/connect-api'

/**
 * Builds the schema of a changed struct, and how its values are made, field by field in the order of the new schema.
 *
 *     const edit = new StructEdit(basicsOf(row))
 *     for (const field of row.fields) if (field.name !== 'secret') edit.keep(field)
 *     edit.add('op', Schemas.string)
 *     const plan = edit.build()   // plan.make(row, ['c'])
 */
export class StructEdit {
  readonly #options: SchemaOptions
  /** By name: a field that is added under an existing name replaces that one at its place. */
  readonly #fields = new Map<string, { readonly schema: Schema; readonly source: number }>()
  readonly #defaults: NullDefault[] = []
  readonly #addedSlots: number[] = []
  #ownCount = 0

  constructor(options: SchemaOptions) {
    this.#options = options
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** Takes a field of the base, whose schema must keep its type. */
  keep({ name, schema, index }: Field, changes: FieldChanges = {}): void {
    this.#fields.set(changes.name ?? name, { schema: changes.schema ?? schema, source: index })
  }

  /** Takes a field of the base, and its default instead of a null: what Struct.get of Connect returns. */
  keepWithDefault(field: Field, changes: FieldChanges = {}): void {
    const { name, schema, index } = field
    const { defaultValue } = schema
    if (defaultValue === null) {
      this.keep(field, changes)
      return
    }
    const slot = this.#own(changes.name ?? name, changes.schema ?? schema)
    this.#defaults.push({ slot, index, defaultValue })
  }

  /** Adds a field that has the next of the values that are passed to `make`. */
  add(name: string, schema: Schema): void {
    this.#addedSlots.push(this.#own(name, schema))
  }

  #own(name: string, schema: Schema): number {
    const slot = this.#ownCount
    this.#fields.set(name, { schema, source: ownField(slot) })
    this.#ownCount += 1
    return slot
  }

  build(): StructPlan {
    const entries = [...this.#fields]
    const fields = entries.map(([name, field]) => [name, field.schema] as const)
    const sources = entries.map(([, { source }]) => source)
    const derivation = new StructDerivation(Schema.struct(fields, this.#options), sources, this.#ownCount)
    return new StructPlan(derivation, this.#defaults, this.#addedSlots)
  }
}

interface FieldChanges {
  readonly name?: string
  readonly schema?: Schema
}

/** A value that replaces a null of the base. */
interface NullDefault {
  readonly slot: number
  /** Of the field in the base. */
  readonly index: number
  readonly defaultValue: ConnectValue
}

/** Makes the changed structs of one schema. */
export class StructPlan {
  readonly derivation: StructDerivation
  readonly #defaults: readonly NullDefault[]
  readonly #addedSlots: readonly number[]

  constructor(derivation: StructDerivation, defaults: readonly NullDefault[], addedSlots: readonly number[]) {
    this.derivation = derivation
    this.#defaults = defaults
    this.#addedSlots = addedSlots
  }

  get schema(): Schema {
    return this.derivation.schema
  }

  /** `added`: one value per field that `add` has added, in that order. */
  make(base: Struct, added: readonly ConnectValue[]): DerivedStruct {
    return derive(this.derivation, base, this.#defaults.length === 0 ? added : this.#withDefaults(base, added))
  }

  #withDefaults(base: Struct, added: readonly ConnectValue[]): readonly ConnectValue[] {
    const own = Array.from<ConnectValue>({ length: this.derivation.ownCount })
    for (const { slot, index, defaultValue } of this.#defaults) own[slot] = base.at(index) ?? defaultValue
    // In range: there is a value per added field.
    for (const [i, slot] of this.#addedSlots.entries()) own[slot] = added[i] as ConnectValue
    return own
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
