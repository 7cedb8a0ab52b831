import { collationById, type QueryEvent, sqlModeOptions } from '@tributary/mysql'

/** Settings of the session that ran a statement, on which its meaning depends. */
export interface DdlSession {
  /** The current database; null: that of the last USE. */
  readonly database: string | null
  readonly ansiQuotes?: boolean
  readonly noBackslashEscapes?: boolean
  readonly realAsFloat?: boolean
  /** The variable character_set_client; utf8mb4 when absent. */
  readonly clientCharset?: string | undefined
  /** The variable explicit_defaults_for_timestamp; true when absent. */
  readonly explicitTimestampDefaults?: boolean
  /** Charset of the variable collation_server, the default of CREATE DATABASE. */
  readonly serverCharset?: string
  /** The variable time_zone; absent: UTC, in which statements are printed. */
  readonly timeZone?: string
  /** The server wrote the statement itself, as SHOW CREATE TABLE prints it; false when absent. */
  readonly isPrinted?: boolean
}

/** The session of a statement in the binlog. */
export function sessionOf(query: QueryEvent): DdlSession {
  const { database, sqlMode, clientCollation = 0, timeZone, hasExplicitTimestampDefaults } = query
  return {
    database: database === '' ? null : database,
    clientCharset: collationById(clientCollation)?.charset,
    ...(sqlMode === null ? {} : sqlModeOptions(sqlMode)),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(hasExplicitTimestampDefaults === undefined ? {} : { explicitTimestampDefaults: hasExplicitTimestampDefaults }),
  }
}
