import type { TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions, serverErrno, setUpStructureSession } from '@tributary/mysql'
import type { WaitOptions } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { completeDefinition } from './complete-definition.ts'
import { quoted, quotedText } from './quoted-name.ts'

/** Reads table definitions for the stream, each on a connection of its own, which it opens when it needs one. */
export class SchemaReader {
  readonly #options: MySqlConnectionOptions
  readonly #clock: Clock

  constructor(options: MySqlConnectionOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  /**
   * Opens a session for several reads, of one server.
   *
   * @param lockWaitSeconds how long it waits for the metadata lock of a table before it throws MYSQL_BUSY
   */
  async open(signal?: AbortSignal, lockWaitSeconds: number = LOCK_WAIT_SECONDS): Promise<SchemaSession> {
    const connection = await MySqlConnection.open(this.#options, signal)
    const wait = { timeLimit: { clock: this.#clock, limitMs: ANSWER_MS_MAX }, signal }
    try {
      await setUpStructureSession(connection, { ...wait, lockWaitSeconds })
    } catch (error) {
      await connection.close()
      throw error
    }
    return new SchemaSession(connection, wait)
  }

  /** The definition as it is now: `SchemaSession.createStatement` on a session of its own. */
  async createStatement(id: TableId, signal?: AbortSignal): Promise<string | null> {
    await using session = await this.open(signal)
    return await session.createStatement(id)
  }
}

/** A session that reads definitions. */
export class SchemaSession implements AsyncDisposable {
  readonly connection: MySqlConnection
  readonly #wait: WaitOptions

  constructor(connection: MySqlConnection, wait: WaitOptions) {
    this.connection = connection
    this.#wait = wait
  }

  /**
   * Returns the text of SHOW CREATE TABLE, completed (`completeDefinition`), or null when the server has no such table.
   *
   * @throws MYSQL_BUSY when another session holds the metadata lock of the table for too long; MYSQL_CONNECTION_LOST;
   * StoppedError. The stream retries after the first two.
   *
   * @param signal default: that of `open`
   */
  async createStatement(id: TableId, signal: AbortSignal | undefined = this.#wait.signal): Promise<string | null> {
    const { database, table } = id
    const wait = { ...this.#wait, signal }
    try {
      const [row] = await this.connection.query(
        `SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`,
        `reading the definition of ${database}.${table}`,
        wait,
      )
      const createSql = row?.[1] ?? null
      return createSql === null ? null : await completeDefinition(this.connection, id, createSql, wait)
    } catch (error) {
      if (NO_SUCH_TABLE.has(serverErrno(error))) return null
      throw error
    }
  }

  /**
   * When the definition changed last, and the current time, in seconds since 1970 by the server's clock. Statements
   * that are not in the binlog count, too. Renames do not count on MySQL. `changedAt` null: the server does not report
   * it.
   */
  async changeTime({ database, table }: TableId): Promise<{ readonly changedAt: number | null; readonly now: number }> {
    const [row] = await this.connection.query(
      `SELECT UNIX_TIMESTAMP(SYSDATE()), (SELECT UNIX_TIMESTAMP(create_time) FROM information_schema.tables
        WHERE table_schema = ${quotedText(database)} AND table_name = ${quotedText(table)} LIMIT 1)`,
      `reading when ${database}.${table} was changed`,
      this.#wait,
    )
    const changedAt = row?.[1] ?? null
    return { now: Number(row?.[0]), changedAt: changedAt === null ? null : Number(changedAt) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
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
