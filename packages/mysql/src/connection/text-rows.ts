import { assert } from '@tributary/support'

/** A row as column values by position: text, or null. */
export type TextRow = readonly (string | null)[]

interface DriverField {
  string(): string | null
}

/** Returns each value as the server's text: no dates in local time, no rounded numbers. */
export function textOnly(field: DriverField): string | null {
  return field.string()
}

/** Checks the rows that the driver returns with `rowsAsArray` and `textOnly`. */
export function textRows(rows: unknown): readonly TextRow[] {
  assert(Array.isArray(rows), 'the driver returned no rows')
  return rows.map((row: unknown) => {
    assert(Array.isArray(row), 'the driver returned a row that is no array')
    return row.map(textOrNull)
  })
}

/** Checks a row that the driver returns by column name. */
export function textByName(row: unknown): Readonly<Record<string, string | null>> {
  assert(typeof row === 'object' && row !== null, 'the driver returned a row that is no object')
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOrNull(value)]))
}

function textOrNull(value: unknown): string | null {
  assert(value === null || typeof value === 'string', 'the driver returned a value that is no text')
  return value
}
