import type { ColumnType } from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import { columnNamed, type MySqlTable } from '../schema/mysql-table.ts'
import { quoted, quotedText } from '../tables/quoted-name.ts'

/**
 * A place in the order of the rows: one text for each column of the key, in the form that `KeyPart.select` yields. It is
 * stored in offsets, and becomes literals again.
 */
export type KeyPoint = readonly string[]

/** A column by which rows are ordered. */
export interface KeyPart {
  readonly name: string
  /** In backquotes: what rows are ordered by. */
  readonly column: string
  /** What is compared with literals. It has the order of the column. */
  readonly compared: string
  /** Yields the value as ASCII text, without loss. */
  readonly select: string
  /** The SQL literal for such a text; null when the text cannot be a value of this column. */
  readonly literal: (value: string) => string | null
  readonly type: ColumnType
}

/** The columns by which a table is read in chunks. */
export interface ChunkKey {
  /** At least one. */
  readonly parts: readonly KeyPart[]
  /** The index that has the columns in this order; null when it is not known. */
  readonly index: string | null
}

export type KeyChoice =
  | { readonly tag: 'key'; readonly key: ChunkKey }
  /** `reason`: the end of a sentence that begins with the table. */
  | { readonly tag: 'none'; readonly reason: string }

/**
 * Chooses the columns of chunks: the surrogate key that a signal names, else the primary key, or the unique key without
 * NULL that replaces it, else the columns of `message.key.columns`. Several rows may have the same surrogate key or
 * message key: a chunk contains all rows up to its border, whatever their number.
 */
export function chunkKeyOf(
  table: MySqlTable,
  { surrogate, messageKey }: { readonly surrogate: string | null; readonly messageKey: readonly string[] | null },
): KeyChoice {
  if (surrogate !== null) return keyOf(table, [surrogate])
  if (table.primaryKeyColumnNames.length > 0) return keyOf(table, table.primaryKeyColumnNames)
  if (messageKey !== null && messageKey.length > 0) return keyOf(table, messageKey)
  return { tag: 'none', reason: 'has no primary key, and the signal has no surrogate-key' }
}

function keyOf(table: MySqlTable, names: readonly string[]): KeyChoice {
  const parts: KeyPart[] = []
  for (const name of names) {
    const column = columnNamed(table.columns, name)
    if (column === undefined) return { tag: 'none', reason: `has no column ${name}` }
    // NULL is neither before nor after a border.
    if (column.optional)
      return { tag: 'none', reason: `has NULL in the column ${name}, which rows cannot be ordered by` }
    const part = partOf(column.name, columnTypeOf(column))
    if (part === null) {
      return {
        tag: 'none',
        reason: `has the column ${name} of type ${column.typeName}, which rows cannot be ordered by`,
      }
    }
    parts.push(part)
  }
  return { tag: 'key', key: { parts, index: indexOf(table, parts) } }
}

function indexOf({ keys }: MySqlTable, parts: readonly KeyPart[]): string | null {
  const found = keys?.find(
    ({ kind, columns }) =>
      (kind === 'primary' || kind === 'unique') &&
      columns.length === parts.length &&
      columns.every((name, i) => name === parts[i]?.name),
  )
  if (found === undefined) return null
  return found.kind === 'primary' ? 'PRIMARY' : found.name
}

function partOf(name: string, type: ColumnType): KeyPart | null {
  const column = quoted(name)
  const plain = { name, column, compared: column, select: column, type }
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
    case 'DECIMAL':
    case 'YEAR':
      return { ...plain, literal: numberLiteral }
    case 'FLOAT':
    case 'DOUBLE':
      // With all digits: a literal of fewer is another number.
      return { ...plain, select: `${column}*1e0`, literal: numberLiteral }
    case 'BIT':
      return { ...plain, select: `CAST(${column} AS UNSIGNED)`, literal: numberLiteral }
    case 'ENUM':
    case 'SET': {
      // Ordered by their numbers, but compared with a text by their texts.
      const number = `CAST(${column} AS UNSIGNED)`
      return { ...plain, compared: number, select: number, literal: numberLiteral }
    }
    case 'CHAR':
    case 'VARCHAR':
    case 'TINYTEXT':
    case 'TEXT':
    case 'MEDIUMTEXT':
    case 'LONGTEXT':
      return { ...plain, select: `CONCAT(CHARSET(${column}), ':', HEX(${column}))`, literal: textLiteral }
    case 'BINARY':
    case 'VARBINARY':
    case 'TINYBLOB':
    case 'BLOB':
    case 'MEDIUMBLOB':
    case 'LONGBLOB':
      return { ...plain, select: `HEX(${column})`, literal: bytesLiteral }
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return { ...plain, select: `CAST(${column} AS CHAR)`, literal: temporalLiteral }
    case 'UUID':
    case 'INET4':
    case 'INET6':
      return { ...plain, select: `CAST(${column} AS CHAR)`, literal: addressLiteral }
    default:
      return null
  }
}

function numberLiteral(value: string): string | null {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? value : null
}

/** The bytes in the charset of the column: the comparison uses its collation. */
function textLiteral(value: string): string | null {
  const [, charset, hex = ''] = /^([a-z\d_]+):((?:[\dA-F]{2})*)$/i.exec(value) ?? []
  return charset === undefined ? null : `_${charset} x'${hex}'`
}

function bytesLiteral(value: string): string | null {
  return /^(?:[\dA-F]{2})*$/i.test(value) ? `x'${value}'` : null
}

/** In UTC, which is the time zone of the session. */
function temporalLiteral(value: string): string | null {
  return /^-?[\d :.-]+$/.test(value) ? quotedText(value) : null
}

function addressLiteral(value: string): string | null {
  return /^[\da-f:.-]+$/i.test(value) ? quotedText(value) : null
}
