import type { Column, Table } from '@tributary/connector-kit'
import { type MySqlTable, recordedTable } from './mysql-table.ts'

/**
 * Adds the facts that history records do not contain to a recorded table, from a definition that was derived from
 * statements. If the two disagree about columns or primary key, the keys remain unknown.
 */
export function withKnownKeys(table: Table, derived: MySqlTable | undefined, flavor: 'mysql' | 'mariadb'): MySqlTable {
  if (derived === undefined || !isAlike(table, derived)) return recordedTable(table, flavor)
  return { ...table, keys: derived.keys, periods: derived.periods, versioning: derived.versioning }
}

function isAlike(a: Table, b: Table): boolean {
  return (
    a.columns.length === b.columns.length &&
    a.columns.every((column, index) => isAlikeColumn(column, b.columns[index])) &&
    a.primaryKeyColumnNames.join('\0') === b.primaryKeyColumnNames.join('\0')
  )
}

function isAlikeColumn(a: Column, b: Column | undefined): boolean {
  return b !== undefined && a.name === b.name && a.optional === b.optional
}
