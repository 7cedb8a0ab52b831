import type { MySqlConnection, WaitOptions } from '../connection/mysql-connection.ts'

export interface StructureSessionOptions extends WaitOptions {
  /**
   * How long a statement waits for a metadata lock, which DDL of another session holds, before it fails with error
   * 1205.
   */
  readonly lockWaitSeconds?: number
}

/**
 * Sets up a session for reading definitions. Whatever the global settings of the server are, SHOW CREATE TABLE then
 * prints every column with all of its options, and names in backticks: the form that the schema history and the DDL
 * parser expect.
 *
 * What other values do to the text:
 *
 * - sql_mode: ANSI and MariaDB's NO_FIELD_OPTIONS, NO_TABLE_OPTIONS and ORACLE drop AUTO_INCREMENT or the table
 *   options, and with them the charset of columns; ANSI_QUOTES quotes names with `"`
 * - sql_quote_show_create: 0 prints names without quotes
 * - time_zone: the default of a TIMESTAMP column is printed in this zone
 * - character_set_results: characters that it lacks are printed as `?`; NULL is as good as utf8mb4
 * - show_gipk_in_create_table_and_information_schema (MySQL 8.0.30): OFF hides a generated invisible primary key,
 *   although the binlog has its values
 * - show_create_table_verbosity (MySQL): ON adds options that the statement did not name
 *
 * One statement, so one round trip. MariaDB ignores comments that name a version of MySQL.
 */
export async function setUpStructureSession(
  connection: MySqlConnection,
  { lockWaitSeconds, ...wait }: StructureSessionOptions = {},
): Promise<void> {
  const lockWait = lockWaitSeconds === undefined ? '' : `, lock_wait_timeout = ${lockWaitSeconds}`
  await connection.query(`${SET_UP}${lockWait}${OF_MYSQL}`, 'setting up the session for reading definitions', wait)
}

const SET_UP =
  "SET SESSION sql_mode = '', sql_quote_show_create = 1, time_zone = '+00:00', character_set_results = utf8mb4"
const OF_MYSQL =
  ' /*!80030 , show_gipk_in_create_table_and_information_schema = ON, show_create_table_verbosity = OFF */'
