import { type ConnectValue, derive, ownField, type Schema, Struct, StructDerivation } from '@tributary/connect-api'

/** Appends a field with a fixed value to the keys of one table. */
export class KeyExtension {
  readonly #value: readonly ConnectValue[]
  readonly #derivation: StructDerivation
  /** The key of every row of a table without key columns. */
  readonly #alone: Struct

  /** @param schema of the whole key: its last field is the one that is appended */
  constructor(schema: Schema, value: string) {
    this.#value = [value]
    const columns = schema.fields.slice(0, -1)
    this.#derivation = new StructDerivation(schema, [...columns.map(({ index }) => index), ownField(0)])
    this.#alone = new Struct(schema, this.#value)
  }

  /** @param columns null for a table without key columns */
  extend(columns: Struct | null): Struct {
    return columns === null ? this.#alone : derive(this.#derivation, columns, this.#value)
  }
}
