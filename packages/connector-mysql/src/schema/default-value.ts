import type { Column } from '@tributary/connector-kit'
import { unescapeString } from '@tributary/mysql'

/** The value of a column that an INSERT omits, as far as the definition determines it. */
export type ColumnDefault =
  /** The column has no default, its default is NULL, or only the server can compute it. */
  | { readonly tag: 'none' }
  /** A string, a number or a time as text; binary digits for BIT. */
  | { readonly tag: 'text'; readonly text: string }
  | { readonly tag: 'bytes'; readonly bytes: Buffer }

const NONE: ColumnDefault = { tag: 'none' }

/**
 * The default value that a column's `defaultValueExpression` represents, in records of this program and of Debezium.
 */
export function readDefaultValue(column: Column): ColumnDefault {
  const { defaultValueExpression: expression } = column
  if (!column.hasDefaultValue || expression === null) return NONE
  const hex = /^X'((?:[0-9A-F]{2})+)'$/.exec(expression)
  if (hex !== null) return { tag: 'bytes', bytes: Buffer.from(hex[1] ?? '', 'hex') }
  // Debezium leaves the letter and the quotes of N'text'.
  const national = /^N'(.*)'$/s.exec(expression)
  return { tag: 'text', text: unescapeString(national?.[1] ?? expression) }
}
