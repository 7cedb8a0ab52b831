import type { TableId } from '@tributary/connector-kit'
import { CodedError } from '@tributary/support'
import { isDeepStrictEqual } from 'node:util'
import type { MySqlTable, TableKey } from '../schema/mysql-table.ts'
import { quoted } from './quoted-name.ts'
import { spelledType } from './table-from-map.ts'

/**
 * A statement for the record of a table in the schema history. The record has the columns besides; the statement is for
 * what it does not have: keys and system versioning. So it has no defaults and no comments.
 *
 * Where such a statement would define other keys (expressions, a period WITHOUT OVERLAPS), the result is one
 * without any definition, from which a reader learns that the keys are unknown.
 */
export function printTable(table: MySqlTable, derive: (id: TableId, createSql: string) => MySqlTable | null): string {
  const { id, columns, keys, versioning } = table
  const unknown = withoutDefinition(id)
  if (keys === null || versioning.tag === 'unknown') return unknown
  const lines = columns.map((column) => {
    const isEnd = versioning.tag === 'column' && versioning.end === column.name
    const attribute = isEnd ? 'GENERATED ALWAYS AS ROW END' : column.optional ? 'NULL' : 'NOT NULL'
    return `${quoted(column.name)} ${spelledType(column)} ${attribute}`
  })
  const option = versioning.tag === 'hidden' ? ' WITH SYSTEM VERSIONING' : ''
  const parts = [...lines, ...keys.map(printKey)].join(', ')
  const charset = ` CHARSET=${table.defaultCharsetName ?? 'utf8mb4'}`
  const sql = `CREATE TABLE ${quoted(id.table)} (${parts})${charset}${option}`
  try {
    const derived = derive(id, sql)
    const isSame =
      derived !== null &&
      isDeepStrictEqual(derived.keys, keys) &&
      isDeepStrictEqual([derived.versioning, derived.periods], [versioning, table.periods])
    return isSame ? sql : unknown
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // The parser does not accept the statement: the keys stay unknown to the reader of the history.
    return unknown
  }
}

/** A statement that defines nothing. */
export function withoutDefinition(id: TableId): string {
  return `ALTER TABLE ${quoted(id.table)}`
}

const KINDS: Readonly<Record<Exclude<TableKey['kind'], 'foreign'>, string>> = {
  primary: 'PRIMARY KEY',
  unique: 'UNIQUE KEY',
  index: 'KEY',
  fulltext: 'FULLTEXT KEY',
}

function printKey({ name, kind, columns, prefixLengths }: TableKey): string {
  const parts = columns.map((column, i) => {
    const length = prefixLengths[i] ?? null
    return column === null ? '((1))' : `${quoted(column)}${length === null ? '' : `(${length})`}`
  })
  const list = `(${parts.join(', ')})`
  if (kind === 'foreign') return `CONSTRAINT ${quoted(name)} FOREIGN KEY ${list} REFERENCES \`other\` ${list}`
  return `${KINDS[kind]}${kind === 'primary' ? '' : ` ${quoted(name)}`} ${list}`
}
