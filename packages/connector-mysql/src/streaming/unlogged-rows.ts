import type { Tables } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { QueryEvent, TableName } from '@tributary/mysql'
import type { TableFilter } from '../config/table-filter.ts'

/**
 * Whether a statement in statement format may change captured rows: the binlog does not contain these rows, so a
 * connector that captures them would miss the changes. `table` null: the parser names none, since there are several.
 */
export function mayMissRows(
  event: QueryEvent,
  table: TableName | null,
  filter: TableFilter,
  tables: Tables<MySqlTable>,
): boolean {
  const database = table?.database ?? event.database
  if (database === '' || filter.includesDatabase(database)) return true
  return table === null && [...tables].some(({ id }) => filter.includesTable(id) && mentions(event.sql, id.database))
}

function mentions(sql: string, database: string): boolean {
  return sql.includes(`${database}.`) || sql.includes(`\`${database}\``)
}

/** The statement for a message. */
export function shortened(sql: string): string {
  return sql.length > 200 ? `${sql.slice(0, 200)}…` : sql
}
