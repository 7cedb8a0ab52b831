/** Settings of the session that ran a statement, on which its meaning depends. */
export interface DdlSession {
  /** The current database; null: that of the last USE. */
  readonly database: string | null
  readonly ansiQuotes?: boolean
  readonly noBackslashEscapes?: boolean
  readonly realAsFloat?: boolean
  /** The variable explicit_defaults_for_timestamp; true when absent. */
  readonly explicitTimestampDefaults?: boolean
  /** Charset of the variable collation_server, the default of CREATE DATABASE. */
  readonly serverCharset?: string
  /** The server wrote the statement itself, as SHOW CREATE TABLE prints it; false when absent. */
  readonly isPrinted?: boolean
}
