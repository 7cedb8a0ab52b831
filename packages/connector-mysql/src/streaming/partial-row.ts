import { type ConnectValue, type Schema, Struct } from '@tributary/connect-api'
import { type ColumnMask, isSameValue, type RowImage, type RowMask } from '@tributary/connector-kit'
import { ABSENT, CHANGED, type RowValue } from '@tributary/mysql'
import type { CapturedTable } from '../tables/captured-table.ts'
import { setUnknownFields } from '../values/unknown-fields.ts'

/** What the partial images of one version of a table have in common. */
export interface PartialForm {
  readonly captured: CapturedTable
  /** One per field of values: where a row has it, its mask, and its placeholder. */
  readonly fields: readonly PartialField[]
}

export interface PartialField {
  /** In the row. */
  readonly column: number
  readonly mask: ColumnMask | null
  /** The placeholder; undefined: the type has none. */
  readonly unavailable: ConnectValue | undefined
  /** Whether the value is read from the table again when a row lacks it. */
  readonly isReadAgain: boolean
}

export function partialForm(captured: CapturedTable): PartialForm {
  const { schema, mappings } = captured
  const columns = schema.valueIndexes ?? schema.valueSchema.fields.map(({ index }) => index)
  const fields = columns.map((column, index) => ({
    column,
    mask: schema.mask?.maskOf(index) ?? null,
    unavailable: mappings[column]?.unavailable,
    isReadAgain: captured.readsAgain(index),
  }))
  return { captured, fields }
}

export function isUnknown<T>(value: RowValue<T> | undefined): value is typeof ABSENT | typeof CHANGED {
  return value === ABSENT || value === CHANGED
}

/**
 * An image of a row that may lack columns. Its key is complete. Its value has the placeholder for each column that it
 * lacks, without a mask: the hash of a placeholder would look like that of a value.
 */
export class PartialRow implements RowImage {
  readonly #form: PartialForm
  readonly #values: readonly RowValue<ConnectValue>[]
  readonly #image: 'before' | 'after'

  constructor(form: PartialForm, values: readonly RowValue<ConnectValue>[], image: 'before' | 'after') {
    this.#form = form
    this.#values = values
    this.#image = image
  }

  /**
   * Null for an image before a change that lacks a column without a placeholder. An image after it is complete, or has
   * `unknownFieldsOf`.
   */
  value(): Struct | null {
    const { fields, captured } = this.#form
    const unknown: number[] = []
    const values = fields.map(({ column, mask, unavailable }, index): ConnectValue => {
      const value = this.#values[column] ?? null
      if (!isUnknown(value)) return mask === null ? value : mask(value)
      if (unavailable === undefined) unknown.push(index)
      return unavailable ?? null
    })
    if (unknown.length > 0 && this.#image === 'before') return null
    const row = new Struct(captured.schema.valueSchema, values)
    setUnknownFields(row, unknown)
    return row
  }

  key(): Struct | null {
    const { keyColumnsSchema, keyIndexes, keyMask } = this.#form.captured.schema
    return keyColumnsSchema === null ? null : this.#keyOf(keyColumnsSchema, keyIndexes, keyMask)
  }

  #keyOf(schema: Schema, columns: readonly number[], mask: RowMask | null): Struct {
    const key = new Struct(
      schema,
      columns.map((column) => this.#known(column)),
    )
    return mask === null ? key : mask.apply(key)
  }

  /** A column of the key. */
  #known(column: number): ConnectValue {
    const value = this.#values[column] ?? null
    return isUnknown(value) ? null : value
  }

  hasSameKey(other: PartialRow): boolean {
    return this.#form.captured.schema.keyIndexes.every((column) =>
      isSameValue(this.#known(column), other.#known(column)),
    )
  }

  /** A column that both images of an update lack has not changed. */
  hasSameValue(other: PartialRow): boolean {
    return this.#form.fields.every(({ column, mask }) => {
      const value = this.#values[column] ?? null
      const another = other.#values[column] ?? null
      if (isUnknown(value) || isUnknown(another)) return value === ABSENT && another === ABSENT
      return mask === null ? isSameValue(value, another) : isSameValue(mask(value), mask(another))
    })
  }
}
