/** Facts, besides its statement, on which a definition depends. */
export interface TableContext {
  readonly flavor: 'mysql' | 'mariadb'
  /** Default charset of the table's database; null when unknown. */
  readonly databaseCharset: string | null
  /**
   * Meaning of CONVERT TO CHARACTER SET DEFAULT: MySQL uses the session's database, MariaDB the table's; null: unknown.
   */
  readonly conversionCharset: string | null
  /** False: comments of tables and columns are omitted (`include.schema.comments`). */
  readonly includesComments: boolean
  /**
   * The server variable explicit_defaults_for_timestamp. When it is off, a TIMESTAMP column without NULL is NOT NULL,
   * and the server sets the first one to the current time at each change.
   */
  readonly hasExplicitTimestampDefaults: boolean
  /** The time_zone of the session; null: UTC. */
  readonly timeZone: string | null
  /** For errors. */
  readonly tableName: string
  /** The definition is one that the server prints: a column without NOT NULL is nullable, also with AUTO_INCREMENT. */
  readonly isPrinted: boolean
}
