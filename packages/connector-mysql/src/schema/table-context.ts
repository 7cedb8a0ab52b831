/** What a definition depends on beside its statement. */
export interface TableContext {
  readonly flavor: 'mysql' | 'mariadb'
  /** Default charset of the table's database; null: not known. */
  readonly databaseCharset: string | null
  /** What CONVERT TO CHARACTER SET DEFAULT stands for: MySQL takes the session's database, MariaDB the table's; null: not known. */
  readonly conversionCharset: string | null
  /** False: comments of tables and columns are left out (`include.schema.comments`). */
  readonly includesComments: boolean
  /**
   * The server variable explicit_defaults_for_timestamp. When it is off, a TIMESTAMP column without NULL is NOT NULL, and
   * the first one sets itself.
   */
  readonly hasExplicitTimestampDefaults: boolean
}
