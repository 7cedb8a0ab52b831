/** The settings that the meaning of a statement depends on. */
export interface DdlOptions {
  readonly flavor: 'mysql' | 'mariadb'
  /** Major × 10000 + minor × 100 + patch, as in versioned comments: 90704, 101119. */
  readonly serverVersion: number
  /** SQL mode ANSI_QUOTES: `"x"` is a name, not a string. */
  readonly ansiQuotes: boolean
  /** SQL mode NO_BACKSLASH_ESCAPES: a backslash in a string is no escape. */
  readonly noBackslashEscapes?: boolean
  /** SQL mode REAL_AS_FLOAT. */
  readonly realAsFloat?: boolean
  /** The charset of the statement's bytes, character_set_client; absent: utf8mb4. */
  readonly clientCharset?: string | undefined
  /** SQL mode ORACLE, which changes types on MariaDB: DATE is DATETIME, BLOB is LONGBLOB, NUMBER is DOUBLE. */
  readonly isOracle?: boolean
  /** SQL mode MSSQL of MariaDB: `[x]` is a name. */
  readonly isMsSql?: boolean
  /** SQL mode MAXDB of MariaDB and of MySQL before 8.0: TIMESTAMP is DATETIME. */
  readonly isMaxDb?: boolean
  /** SQL mode EMPTY_STRING_IS_NULL of MariaDB. Without effect on MySQL. */
  readonly emptyStringIsNull?: boolean
}
