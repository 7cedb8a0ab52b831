import { type ConnectValue, detachValue } from '@tributary/connect-api'
import {
  answeredWithin,
  type ColumnTarget,
  MySqlConnection,
  type MySqlConnectionOptions,
  RowStream,
  setUpStructureSession,
  TextRowCodec,
} from '@tributary/mysql'
import { BackOff, type Clock, isRetriable, type Logger, StoppedError, toError } from '@tributary/support'

export interface RowReaderOptions {
  readonly connection: MySqlConnectionOptions
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Reads single rows as a snapshot reads them, on one connection of its own, which it opens when it needs one. A
 * connection that is lost, or a server that does not answer in time, is tried again a few times.
 */
export class RowReader implements AsyncDisposable {
  readonly #options: RowReaderOptions
  #connection: MySqlConnection | null = null

  constructor(options: RowReaderOptions) {
    this.#options = options
  }

  /**
   * The values of the first row, which stay valid; null when no row matches.
   *
   * @param doing as in “reading a row of a.b”
   * @throws the error of the statement, or of the last attempt; StoppedError
   */
  async read(
    sql: string,
    targets: readonly ColumnTarget<ConnectValue>[],
    doing: string,
    signal: AbortSignal,
  ): Promise<readonly ConnectValue[] | null> {
    const pauses = new BackOff({ initialMs: FIRST_PAUSE_MS, maxMs: FIRST_PAUSE_MS * 2 ** ATTEMPTS_MAX })
    for (;;) {
      try {
        return await this.#try(sql, new TextRowCodec(targets), doing, signal)
      } catch (error) {
        if (error instanceof StoppedError) throw error
        await this[Symbol.asyncDispose]()
        if (!isRetriable(error) || pauses.failures + 1 >= ATTEMPTS_MAX) throw error
        const pauseMs = pauses.next()
        this.#options.logger.warn(`Failed while ${doing}; trying again in ${pauseMs} ms: ${toError(error).message}`)
        await this.#options.clock.sleep(pauseMs, signal)
      }
    }
  }

  async #try(
    sql: string,
    codec: TextRowCodec<ConnectValue>,
    doing: string,
    signal: AbortSignal,
  ): Promise<readonly ConnectValue[] | null> {
    const { connection, clock } = this.#options
    const address = `${connection.host}:${connection.port}`
    const work = async (limit: AbortSignal): Promise<readonly ConnectValue[] | null> => {
      const opened = (this.#connection ??= await openReader(connection, limit))
      const stream = await RowStream.open(opened, sql, doing, limit)
      let row: readonly ConnectValue[] | null = null
      while (!stream.isDone) {
        const values = stream.next(codec)
        if (values !== null) row ??= values.map(detachValue)
        else if (!stream.isDone) await stream.wait(limit)
      }
      return row
    }
    return answeredWithin({ clock, limitMs: ANSWER_MS_MAX, address, doing: () => doing }, work, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    await connection?.close()
  }
}

/** Instants in UTC, texts in the charset of their columns. A table that DDL has locked is waited for briefly. */
async function openReader(options: MySqlConnectionOptions, signal: AbortSignal): Promise<MySqlConnection> {
  const connection = await MySqlConnection.open(options, signal)
  try {
    await setUpStructureSession(connection, { lockWaitSeconds: LOCK_WAIT_S, signal })
    await connection.query('SET SESSION character_set_results = NULL', 'setting up the session', { signal })
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** With the pauses between them a lost connection delays the stream for about two seconds. */
const ATTEMPTS_MAX = 4
const FIRST_PAUSE_MS = 250
/** A row is found by a key: an answer takes a millisecond. */
const ANSWER_MS_MAX = 30_000
/** Less than an answer may take, so that the server names the reason. */
const LOCK_WAIT_S = 10
