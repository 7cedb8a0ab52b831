import { type ConnectValue, Struct } from '@tributary/connect-api'
import { arrayOfLength } from '@tributary/support'
import type { TableSchema } from '../schema/table-schema.ts'
import { isSameStruct, isSameValue } from './same-value.ts'

/** One image of a row, as records need it. */
export interface RowImage {
  /** Null: the image is not known. */
  value(): Struct | null
  /** The columns of the key; null when the table has none. */
  key(): Struct | null
  /** `other`: an image of the same table and the same class. */
  hasSameKey(other: this): boolean
  /** Whether events have the same value for both. `other`: as in `hasSameKey`. */
  hasSameValue(other: this): boolean
}

/** An image of decoded values, in the order of the decoders. */
export class DecodedRow implements RowImage {
  readonly #table: TableSchema
  readonly #values: readonly ConnectValue[]

  constructor(table: TableSchema, values: readonly ConnectValue[]) {
    this.#table = table
    this.#values = values
  }

  value(): Struct {
    const { valueSchema, valueIndexes, mask } = this.#table
    const row = new Struct(valueSchema, valueIndexes === null ? this.#values : this.#pick(valueIndexes))
    return mask === null ? row : mask.apply(row)
  }

  key(): Struct | null {
    const { keyColumnsSchema, keyIndexes, keyMask } = this.#table
    if (keyColumnsSchema === null) return null
    const key = new Struct(keyColumnsSchema, this.#pick(keyIndexes))
    return keyMask === null ? key : keyMask.apply(key)
  }

  hasSameKey(other: DecodedRow): boolean {
    const { keyIndexes } = this.#table
    for (let i = 0; i < keyIndexes.length; i++) {
      const index = keyIndexes[i] as number
      if (!isSameValue(this.#values[index] ?? null, other.#values[index] ?? null)) return false
    }
    return true
  }

  hasSameValue(other: DecodedRow): boolean {
    return isSameStruct(this.value(), other.value())
  }

  #pick(indexes: readonly number[]): readonly ConnectValue[] {
    const { length } = indexes
    const values = arrayOfLength<ConnectValue>(length)
    for (let i = 0; i < length; i++) values[i] = this.#values[indexes[i] as number] ?? null
    return values
  }
}
