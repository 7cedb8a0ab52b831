import { type ConnectValue, derive, ownField, type Schema, type Struct, StructDerivation } from '@tributary/connect-api'

/** Replaces the value of a column in events: a mask, a hash, a shorter text. */
export type ColumnMask = (value: ConnectValue) => ConnectValue

/** Replaces values in the rows of one table version. The other fields stay as they are. */
export class RowMask {
  readonly #derivation: StructDerivation
  readonly #fields: readonly { readonly index: number; readonly mask: ColumnMask }[]

  /** `masks`: one per field of the schema; null: the value stays. */
  constructor(schema: Schema, masks: readonly (ColumnMask | null)[]) {
    this.#fields = masks.flatMap((mask, index) => (mask === null ? [] : [{ index, mask }]))
    let masked = 0
    const sources = masks.map((mask, index) => {
      if (mask === null) return index
      masked += 1
      return ownField(masked - 1)
    })
    this.#derivation = new StructDerivation(schema, sources)
  }

  /** The mask of a field; null: its value stays. */
  maskOf(index: number): ColumnMask | null {
    return this.#fields.find((field) => field.index === index)?.mask ?? null
  }

  apply(row: Struct): Struct {
    return derive(
      this.#derivation,
      row,
      this.#fields.map(({ index, mask }) => mask(row.at(index))),
    )
  }
}
