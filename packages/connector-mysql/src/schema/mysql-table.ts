import type { Column, Table, TableChange } from '@tributary/connector-kit'
import type { Period } from '@tributary/mysql'

/** A key or index of a table. */
export interface TableKey {
  /** `PRIMARY` for the primary key. */
  readonly name: string
  readonly kind: TableKeyKind
  /** Column names in order; null for a part that is an expression. */
  readonly columns: readonly (string | null)[]
  /** MariaDB: the last two columns are those of a period WITHOUT OVERLAPS. */
  readonly hasPeriod: boolean
  /** Of each part: the characters or bytes of its column that it contains; null: all, which remains so. */
  readonly prefixLengths: readonly (number | null)[]
}

/** `foreign`: an index that the server created for a foreign key, and drops when another key can replace it. */
export type TableKeyKind = 'primary' | 'unique' | 'index' | 'fulltext' | 'foreign'

/**
 * A table of MySQL or MariaDB. Its primary key columns are those of the primary key, else of a unique key without NULL.
 */
export interface MySqlTable extends Table {
  /** All keys in the server's order; null when the table was read from a history record, which contains no keys. */
  readonly keys: readonly TableKey[] | null
  readonly versioning: Versioning
  /** MariaDB: the application-time periods, whose columns are NOT NULL. Empty when the table was read from a record. */
  readonly periods: readonly Period[]
}

/**
 * MariaDB's WITH SYSTEM VERSIONING: the binlog has former versions of rows too, and the end of a version shows whether
 * it is the current one.
 */
export type Versioning =
  | { readonly tag: 'none' }
  /** Rows in the binlog end with two columns, start and end of the version, that `columns` does not list. */
  | { readonly tag: 'hidden' }
  /** The column with the end of the version. */
  | { readonly tag: 'column'; readonly end: string }
  /** Read from a history record, which does not contain it. */
  | { readonly tag: 'unknown' }

export type MySqlTableChange = TableChange<MySqlTable>

/** A table of a history record, as far as the record describes it. */
export function recordedTable(table: Table, flavor: 'mysql' | 'mariadb'): MySqlTable {
  return { ...table, keys: null, periods: [], versioning: { tag: flavor === 'mysql' ? 'none' : 'unknown' } }
}

/** The column with this name in any case; undefined when the table has no such column. */
export function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const lower = name.toLowerCase()
  return columns.find((column) => column.name === name || column.name.toLowerCase() === lower)
}
