import { type ConnectValue, Decimal, EncodedText, type SourceRecord, Struct } from '@tributary/connect-api'
import { DecodedRow } from '@tributary/connector-kit'
import type { CapturedTable } from '../tables/captured-table.ts'
import { type KeyForm, keyFormOf } from '../tables/key-form.ts'

/** A column of the primary key, and where records have its value. */
interface IdentityPart {
  readonly from: 'key' | 'value'
  /** Of the field. */
  readonly index: number
  readonly form: KeyForm
}

/**
 * Identifies rows of a table by the values of their primary key, in records of changes as in rows of a chunk. One row has
 * one identity. Another one may have the same where events have one form of two values (a DECIMAL as a double, a date
 * that does not exist): such an identity is not certain.
 */
export class RowIdentity {
  readonly #table: CapturedTable
  readonly #parts: readonly IdentityPart[]

  private constructor(table: CapturedTable, parts: readonly IdentityPart[]) {
    this.#table = table
    this.#parts = parts
  }

  /** Null: records do not have all values of the primary key, or there is none. */
  static of(table: CapturedTable): RowIdentity | null {
    const { columns, primaryKeyColumnNames } = table.table
    const { keyIndexes, keySchema, valueIndexes, mask } = table.schema
    const parts: IdentityPart[] = []
    for (const name of primaryKeyColumnNames) {
      const rowIndex = columns.findIndex((column) => column.name === name)
      const inKey = keySchema === null ? -1 : keyIndexes.indexOf(rowIndex)
      const inValue = valueIndexes === null ? rowIndex : valueIndexes.indexOf(rowIndex)
      const column = columns[rowIndex]
      const mapping = table.mappings[rowIndex] ?? null
      if (column === undefined || mapping === null) return null
      const form = keyFormOf(column, mapping)
      if (inKey >= 0) parts.push({ from: 'key', index: inKey, form })
      else if (inValue >= 0 && (mask?.maskOf(inValue) ?? null) === null)
        parts.push({ from: 'value', index: inValue, form })
      else return null
    }
    return parts.length === 0 ? null : new RowIdentity(table, parts)
  }

  /** Of a row with a value for each column of the table. */
  ofRow(values: readonly ConnectValue[]): string {
    const row = new DecodedRow(this.#table.schema, values)
    return this.#textOf(row.key(), row.value())
  }

  /** Of the row before and the row after a change: one or two; none for a record of no row. */
  ofRecord({ key, value }: SourceRecord): readonly string[] {
    if (!(value instanceof Struct)) return []
    const ofKey = key instanceof Struct ? key : null
    if (this.#parts.every(({ from }) => from === 'key')) return ofKey === null ? [] : [this.#textOf(ofKey, null)]
    // The first fields of every envelope.
    const images = [value.at(0), value.at(1)].filter((image) => image instanceof Struct)
    return images.map((image) => this.#textOf(ofKey, image))
  }

  #textOf(key: Struct | null, value: Struct | null): string {
    let text = ''
    let isCertain = true
    for (const { from, index, form } of this.#parts) {
      const part = textOf((from === 'key' ? key : value)?.at(index) ?? null)
      text += `${part.length}:${part}`
      isCertain &&= form.tag === 'exact' || (form.tag === 'exact except' && part !== textOf(form.form))
    }
    return isCertain ? text : UNCERTAIN + text
  }
}

/** Whether no other row of the table has the identity. */
export function isCertain(identity: string): boolean {
  return !identity.startsWith(UNCERTAIN)
}

/** Others begin with a digit. */
const UNCERTAIN = '?'

function textOf(value: ConnectValue): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
  if (value instanceof EncodedText || value instanceof Decimal) return value.toString()
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  // Keys have no other types.
  return value === true ? 'true' : 'false'
}
