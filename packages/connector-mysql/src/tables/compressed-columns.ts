import type { TableMap } from '@tributary/mysql'
import type { MySqlTable } from '../schema/mysql-table.ts'

/**
 * The columns of a table map with MariaDB's attribute COMPRESSED, whose values this version cannot read from the binlog:
 * by name, or by number for a table that is unknown.
 */
export function compressedColumns({ columns }: TableMap, table: MySqlTable | undefined): readonly string[] {
  return columns.flatMap(({ type }, i) => (COMPRESSED.has(type) ? [table?.columns[i]?.name ?? `number ${i + 1}`] : []))
}

/** MYSQL_TYPE_BLOB_COMPRESSED, MYSQL_TYPE_VARCHAR_COMPRESSED (MariaDB) */
const COMPRESSED: ReadonlySet<number> = new Set([140, 141])
