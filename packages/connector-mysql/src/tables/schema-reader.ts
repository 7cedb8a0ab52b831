import type { TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions, serverErrno, setUpStructureSession } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { quoted } from './quoted-name.ts'

/** Reads table definitions for the stream, each on a connection of its own, which it opens when it needs one. */
export class SchemaReader {
  readonly #options: MySqlConnectionOptions
  readonly #clock: Clock

  constructor(options: MySqlConnectionOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  /**
   * Returns the text of SHOW CREATE TABLE, or null when the server has no such table.
   *
   * @throws MYSQL_BUSY when another session holds the metadata lock of the table for too long; MYSQL_CONNECTION_LOST;
   * StoppedError. The stream retries after the first two.
   */
  async createStatement({ database, table }: TableId, signal?: AbortSignal): Promise<string | null> {
    await using connection = await MySqlConnection.open(this.#options, signal)
    const wait = { timeLimit: { clock: this.#clock, limitMs: ANSWER_MS_MAX }, signal }
    await setUpStructureSession(connection, { ...wait, lockWaitSeconds: LOCK_WAIT_SECONDS })
    try {
      const [row] = await connection.query(
        `SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`,
        `reading the definition of ${database}.${table}`,
        wait,
      )
      return row?.[1] ?? null
    } catch (error) {
      if (NO_SUCH_TABLE.has(serverErrno(error))) return null
      throw error
    }
  }
}

/**
 * DDL holds the exclusive metadata lock only briefly. If it takes longer, the stream logs what it waits for and
 * retries.
 */
const LOCK_WAIT_SECONDS = 60
/** Longer than the wait for the lock: a server that has not answered by then never will. */
const ANSWER_MS_MAX = 90_000
/** ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE */
const NO_SUCH_TABLE: ReadonlySet<number | null> = new Set([1049, 1146])
