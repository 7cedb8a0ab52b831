/**
 * Sets what a session inherits from global variables, or gets from `init_connect`, and what would change the result of
 * a statement. Every connection runs it first. It needs no privilege.
 *
 * What other values do:
 *
 * - sql_select_limit: SELECT and SHOW return only so many rows, without an error or a warning
 * - system_versioning_asof (MariaDB): SELECT returns the rows of a table with system versioning as of another time
 * - character_set_client, character_set_connection: names and values in statements are read in another charset
 * - character_set_results: characters that it lacks are replaced with `?`
 * - autocommit: 0 begins a transaction at the first SELECT, and later ones do not see what changes in between
 * - completion_type: CHAIN begins another transaction after a COMMIT, RELEASE ends the session
 * - max_execution_time, max_statement_time (MariaDB): the server ends long statements; a snapshot would never finish
 * - max_join_size, sql_big_selects: a SELECT of a large table is refused
 * - use_secondary_engine: FORCED refuses statements that a secondary engine cannot run
 * - sql_buffer_result: a SELECT copies the table into a temporary one first
 * - wait_timeout: the server ends a connection that waits for the brokers
 *
 * One statement, so one round trip. MariaDB ignores comments that name a version of MySQL, MySQL those with an M.
 */
export const SESSION_SETTINGS: string =
  'SET SESSION autocommit = 1, completion_type = 0, sql_select_limit = 18446744073709551615, ' +
  // Setting the first of these resets the second.
  'max_join_size = 18446744073709551615, sql_big_selects = 1, sql_buffer_result = 0, wait_timeout = 86400, ' +
  'character_set_client = utf8mb4, character_set_connection = utf8mb4, character_set_results = utf8mb4' +
  ' /*!50708 , max_execution_time = 0 */ /*!80013 , use_secondary_engine = OFF */' +
  ' /*M!100101 , max_statement_time = 0 */ /*M!100300 , system_versioning_asof = DEFAULT */'
