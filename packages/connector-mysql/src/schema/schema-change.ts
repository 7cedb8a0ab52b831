import type { TableId, TableChange } from '@tributary/connector-kit'
import type { MySqlTableChange } from './mysql-table.ts'
import type { DdlSyntaxError, Statement } from '@tributary/mysql'

/** What a statement did to the schema, as the schema history and the schema change topic record it. */
export interface SchemaChange {
  /** The database it concerns; '' for the server (SET). */
  readonly databaseName: string
  /** The statement; of one that drops or renames several tables, the part about one of them. */
  readonly ddl: string
  /** Empty when the statement changes no table's definition, or the change is yet to be learned from the database. */
  readonly changes: readonly MySqlTableChange[]
  /** Tables that the statement is about, changed or not: what filters look at. */
  readonly tables: ReadonlySet<TableId>
}

/** The `source.table` of a statement: the tables whose definitions it changes, of a renamed one the new name. Null: none. */
export function tableNames(events: readonly { readonly changes: readonly TableChange[] }[]): string | null {
  const names = events.flatMap(({ changes }) => changes.map(({ id }) => id.table))
  return names.length === 0 ? null : [...new Set(names)].join(',')
}

/** A table whose definition does not follow from the statement. It is no longer in the model. */
export interface SchemaGap {
  readonly id: TableId
  /** For the log. */
  readonly reason: string
}

/** What came of a statement. */
export interface DdlOutcome {
  /** Null: not understood, see `error`. */
  readonly statement: Statement | null
  /** In order. Empty for statements that are no matter of the schema: rows, transactions, users, views, TRUNCATE. */
  readonly events: readonly SchemaChange[]
  /** To be read again with SHOW CREATE TABLE and given to `DdlInterpreter.adopt` before the next row of the table. */
  readonly needsSchema: readonly SchemaGap[]
  /** Set when the statement was not understood. Its event is there all the same, without changes. */
  readonly error: DdlSyntaxError | null
}
