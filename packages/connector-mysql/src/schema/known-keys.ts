import type { Column, Table } from '@tributary/connector-kit'

/**
 * A table out of a record with what records have no place for, taken from a definition that was derived from statements; as
 * it is when the two do not agree about columns and key.
 */
export function withKnownKeys(table: Table, derived: Table | undefined): Table {
  if (table.keys !== null || derived === undefined || !isAlike(table, derived)) return table
  return { ...table, keys: derived.keys, hasHiddenRowPeriod: derived.hasHiddenRowPeriod }
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
