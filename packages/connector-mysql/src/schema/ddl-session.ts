import { collationById, type QueryEvent, sqlModeOptions, type SqlModeOptions } from '@tributary/mysql'

/** Settings of the session that ran a statement, on which its meaning depends. */
export interface DdlSession extends Partial<SqlModeOptions> {
  /** The current database; null: that of the last USE. */
  readonly database: string | null
  /** The variable character_set_client; utf8mb4 when absent. */
  readonly clientCharset?: string | undefined
  /** Number of the session on its server; absent when unknown. */
  readonly threadId?: number
  /** The variable explicit_defaults_for_timestamp; true when absent. */
  readonly explicitTimestampDefaults?: boolean
  /** Charset of the variable collation_server, the default of CREATE DATABASE. */
  readonly serverCharset?: string
  /** The variable time_zone; absent: UTC, in which statements are printed. */
  readonly timeZone?: string
  /** The server wrote the statement itself, as SHOW CREATE TABLE prints it; false when absent. */
  readonly isPrinted?: boolean
  /** The text was read from the server, with all characters: it is the definition of the table now. */
  readonly isReadFromServer?: boolean
  /**
   * True: the statement is read again and has no definitions beside it, so that nothing shows whether the server wrote
   * it. False: a record of the schema history that has them.
   */
  readonly isRecorded?: boolean
}

/** The session of a statement in the binlog. */
export function sessionOf(query: QueryEvent, flavor: 'mysql' | 'mariadb'): DdlSession {
  const { database, sqlMode, clientCollation = 0, serverCollation = 0, timeZone } = query
  const serverCharset = collationById(serverCollation)?.charset
  const explicit = flavor === 'mysql' ? query.hasExplicitTimestampDefaults : explicitDefaults(query)
  return {
    database: database === '' ? null : database,
    threadId: query.threadId,
    clientCharset: collationById(clientCollation)?.charset,
    ...(sqlMode === null ? {} : sqlModeOptions(sqlMode)),
    ...(serverCharset === undefined ? {} : { serverCharset }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(explicit === undefined ? {} : { explicitTimestampDefaults: explicit }),
  }
}

/** MariaDB has explicit_defaults_for_timestamp in the flags, MySQL in a variable of its own. */
function explicitDefaults({ flags }: QueryEvent): boolean | undefined {
  return flags === undefined ? undefined : (flags & EXPLICIT_DEFAULTS) !== 0
}

/** OPTION_EXPLICIT_DEF_TIMESTAMP of MariaDB. */
const EXPLICIT_DEFAULTS = 1 << 24
