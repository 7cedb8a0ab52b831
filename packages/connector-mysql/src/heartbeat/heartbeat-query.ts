import { MySqlConnection, type MySqlConnectionOptions, serverSqlState } from '@tributary/mysql'
import { type Clock, type Logger, StoppedError, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'

export interface HeartbeatQueryOptions {
  readonly sql: string
  readonly connection: MySqlConnectionOptions
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Runs `heartbeat.action.query` on a connection of its own, which it opens when it needs one. Often the query writes a
 * row, so that the binlog has something to read.
 */
export class HeartbeatQuery implements AsyncDisposable {
  readonly #options: HeartbeatQueryOptions
  #connection: MySqlConnection | null = null

  constructor(options: HeartbeatQueryOptions) {
    this.#options = options
  }

  /**
   * Resolves when the query is done or has failed: the stream does not depend on it, so a failure is a warning.
   *
   * @throws HEARTBEAT_QUERY_REFUSED for a query that can never succeed; StoppedError
   */
  async run(signal: AbortSignal): Promise<void> {
    const { sql, clock, logger } = this.#options
    try {
      this.#connection ??= await MySqlConnection.open(this.#options.connection, signal)
      await this.#connection.query(sql, DOING, { timeLimit: { clock, limitMs: QUERY_MS_MAX }, signal })
    } catch (error) {
      if (error instanceof StoppedError) throw error
      await this[Symbol.asyncDispose]()
      const reason = toError(error).message
      if (HOPELESS.has(serverSqlState(error) ?? ''))
        throw connectorErrors.HEARTBEAT_QUERY_REFUSED({ sql, reason }, error)
      logger.warn(`heartbeat.action.query failed; it runs again with the next heartbeat: ${reason}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    await connection?.close()
  }
}

const DOING = 'running heartbeat.action.query'
/** The stream waits for it. */
const QUERY_MS_MAX = 10_000
/** Syntax errors and missing privileges; an unknown database. Debezium ends the connector for the same two. */
const HOPELESS: ReadonlySet<string> = new Set(['42000', '3D000'])
