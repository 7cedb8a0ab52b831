import type { TableId, TableChange } from '@tributary/connector-kit'
import type { MySqlTable, MySqlTableChange } from './mysql-table.ts'
import type { DdlSyntaxError, Statement } from '@tributary/mysql'

/** A change of the schema by a statement, as the schema history and the schema change topic record it. */
export interface SchemaChange {
  /** The database it concerns; '' for the server (SET). */
  readonly databaseName: string
  /** The statement, or the part about one table when it drops or renames several. */
  readonly ddl: string
  /** Empty when the statement changes no definition, or the new definition has to be read from the database. */
  readonly changes: readonly MySqlTableChange[]
  /** Tables that the statement is about, changed or not; filters are applied to them. */
  readonly tables: ReadonlySet<TableId>
}

/** The `source.table` of a statement: the tables that it changes, renamed ones by their new name; null without any. */
export function tableNames(events: readonly { readonly changes: readonly TableChange[] }[]): string | null {
  const names = events.flatMap(({ changes }) => changes.map(({ id }) => id.table))
  return names.length === 0 ? null : [...new Set(names)].join(',')
}

/** A table whose definition does not follow from the statement. It is no longer in the model. */
export interface SchemaGap {
  readonly id: TableId
  /** For the log. */
  readonly reason: string
  /** The definition before a statement that is not understood; absent: not known. */
  readonly before?: MySqlTable | undefined
}

/** The result of interpreting a statement. */
export interface DdlOutcome {
  /** Null after a syntax error, see `error`. */
  readonly statement: Statement | null
  /** In order. Empty for statements that do not concern the schema: rows, transactions, users, views, TRUNCATE. */
  readonly events: readonly SchemaChange[]
  /** Tables to read again with SHOW CREATE TABLE and to pass to `DdlInterpreter.adopt` before their next row. */
  readonly needsSchema: readonly SchemaGap[]
  /** The table that TRUNCATE TABLE has emptied; null for other statements. */
  readonly truncated: TableId | null
  /** Set when the parser does not understand the statement. `events` then has one event, without changes. */
  readonly error: DdlSyntaxError | null
}

export function outcomeOf(statement: Statement, events: readonly SchemaChange[]): DdlOutcome {
  return { statement, events, needsSchema: [], truncated: null, error: null }
}

/** Of a statement that is not understood and changes nothing. */
export function unreadOutcome(error: DdlSyntaxError): DdlOutcome {
  return { statement: null, events: [], needsSchema: [], truncated: null, error }
}

export function gapOutcome(statement: Statement, events: readonly SchemaChange[], gap: SchemaGap): DdlOutcome {
  return { statement, events, needsSchema: [gap], truncated: null, error: null }
}

export function backquoted({ database, table }: TableId): string {
  const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``
  return `${quote(database)}.${quote(table)}`
}
