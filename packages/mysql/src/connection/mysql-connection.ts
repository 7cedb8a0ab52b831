import { StoppedError, toError, type Logger } from '@tributary/support'
import type { Connection } from 'mysql2'
import { Socket } from 'node:net'
import { clearRangeError, isOfServer, PlainReason } from '../error-texts.ts'
import { mysqlErrors, queryError, type ErrorContext } from '../errors.ts'
import { answeredWithin, type TimeLimit } from './answered-within.ts'
import type { MySqlConnectionOptions } from './connection-options.ts'
import { internalsOf } from './driver-internals.ts'
import type { AnswerLimit } from './answer-limit.ts'
import { AnswerShape } from './answer-shape.ts'
import { addressOf, loadDriver, login, type LoggedIn } from './driver-login.ts'
import { SESSION_SETTINGS } from './session-settings.ts'
import { RawExchange } from './raw-exchange.ts'
import { textByName, textOnly, type TextRow, textRows } from './text-rows.ts'

/** When to stop waiting for the answer to a statement. */
export interface WaitOptions {
  /**
   * How long to wait for the answer. Without a limit and without a signal, a statement waits until the connection ends.
   */
  readonly timeLimit?: TimeLimit
  readonly signal?: AbortSignal | undefined
}

/**
 * A connection to a MySQL or MariaDB server: login and TLS by mysql2, statements with small results as text rows, and
 * on request the raw packets (`exchange`). It has one user at a time, who runs one statement after the other.
 *
 * A statement whose signal fires (StoppedError) or whose time limit expires (MYSQL_CONNECTION_LOST) **closes the
 * connection**: the answer may still arrive, and the next statement would read it as its own. Later statements fail
 * with MYSQL_CONNECTION_LOST, which names the abandoned one.
 *
 * The connection does not send KILL QUERY, which would need a second login. The servers notice the closed socket when
 * they send the result, and release the locks of the session then; MariaDB notices within a second while the statement
 * waits for a metadata lock, MySQL does not. A caller whose statement waits for such a lock therefore sets
 * lock_wait_timeout for its session, which bounds the wait on the server (`setUpStructureSession`, `SnapshotLock`).
 * Other statements of a connector change nothing and block nobody.
 */
export class MySqlConnection implements AsyncDisposable {
  readonly address: string
  readonly #driver: Connection
  readonly #answers: AnswerLimit
  readonly #shape = new AnswerShape()
  readonly #tlsMode: string
  readonly #answerLimit: TimeLimit | undefined
  readonly #logger: Logger
  #lost: Error | null = null
  /** What the last statement was for. */
  #doing = 'running a statement'
  /** Rejects the statements in flight: a driver that is closed never calls their callbacks. */
  readonly #waiting = new Set<(error: Error) => void>()

  private constructor({ driver, answers, order }: LoggedIn, options: MySqlConnectionOptions) {
    this.address = addressOf(options)
    this.#driver = driver
    this.#answers = answers
    answers.onExceeded = (reason) =>
      this.#refuseAnswer(mysqlErrors.MYSQL_ANSWER_TOO_LARGE({ address: this.address, doing: this.#doing, reason }))
    order.onBroken = (reason) =>
      this.#refuseAnswer(mysqlErrors.MYSQL_PROTOCOL({ address: this.address, doing: this.#doing, reason }))
    order.check = (payload) => this.#shape.problemOf(payload)
    this.#tlsMode = options.tls.mode
    this.#answerLimit = options.answerLimit
    this.#logger = options.logger
    driver.on('error', (error: Error) => {
      this.#lost ??= error
    })
  }

  /** Loads the driver, which takes as long as a login. Otherwise the first `open` loads it. */
  static async preload(): Promise<void> {
    await loadDriver()
  }

  /**
   * Connects, logs in, and makes the session independent of global variables (`SESSION_SETTINGS`). With the TLS mode
   * `preferred`, a server without TLS gets an unencrypted connection.
   */
  static async open(options: MySqlConnectionOptions, signal?: AbortSignal): Promise<MySqlConnection> {
    if (signal?.aborted) throw new StoppedError()
    const connection = new MySqlConnection(await login(options, signal), options)
    try {
      await connection.query(SESSION_SETTINGS, 'setting up the session', { signal })
      for (const statement of options.initialStatements ?? [])
        await connection.query(statement, 'running an initial statement', { signal })
    } catch (error) {
      await connection.close()
      throw error
    }
    return connection
  }

  /** True while no error has ended the connection. */
  get isOpen(): boolean {
    return this.#lost === null
  }

  /** The IP address of the server; undefined when the connection is closed. */
  get remoteAddress(): string | undefined {
    const { stream } = internalsOf(this.#driver)
    return stream instanceof Socket ? stream.remoteAddress : undefined
  }

  /** Id of the connection in the server's process list. */
  get threadId(): number {
    return this.#driver.threadId
  }

  /**
   * Runs a statement. Returns its rows as text, with the columns of the result.
   *
   * @param doing what the statement is for, as in “while listing the databases”
   * @throws MYSQL_QUERY_FAILED, MYSQL_BUSY; MYSQL_CONNECTION_LOST and StoppedError, after which the connection is
   * closed
   */
  async query(sql: string, doing = 'running a statement', wait: WaitOptions = {}): Promise<readonly TextRow[]> {
    return textRows(await this.#run({ sql, rowsAsArray: true }, doing, wait))
  }

  /**
   * Runs several statements that return rows in one round trip. Needs a connection with `takesSeveralStatements`. The
   * server stops at the first error, which `queryAll` throws.
   */
  async queryAll(
    statements: readonly string[],
    doing = 'running statements',
    wait: WaitOptions = {},
  ): Promise<readonly (readonly TextRow[])[]> {
    if (statements.length === 0) return []
    const results = await this.#run({ sql: statements.join(';'), rowsAsArray: true }, doing, wait)
    // For a single statement the driver returns the rows themselves, not a list with one result.
    return statements.length === 1 ? [textRows(results)] : results.map((rows) => textRows(rows))
  }

  /** Runs a statement. Returns the first row of its result as text by column name, or null when the result is empty. */
  async queryRow(
    sql: string,
    doing = 'running a statement',
    wait: WaitOptions = {},
  ): Promise<Readonly<Record<string, string | null>> | null> {
    const [row] = await this.#run({ sql, rowsAsArray: false }, doing, wait)
    return row === undefined ? null : textByName(row)
  }

  /** Runs a statement. Returns the rows of its result as text by column name. */
  async queryByName(
    sql: string,
    doing = 'running a statement',
    wait: WaitOptions = {},
  ): Promise<readonly Readonly<Record<string, string | null>>[]> {
    return (await this.#run({ sql, rowsAsArray: false }, doing, wait)).map((row) => textByName(row))
  }

  #run(statement: Statement, doing: string, wait: WaitOptions): Promise<readonly unknown[]> {
    const { timeLimit = this.#answerLimit, signal } = wait
    if (timeLimit === undefined) return this.#send(statement, doing, signal)
    const awaited = { ...timeLimit, address: this.address, doing: () => doing }
    return answeredWithin(awaited, (limit) => this.#send(statement, doing, limit), signal)
  }

  /** Returns the rows of a statement; an empty list for a statement without a result set. */
  #send(statement: Statement, doing: string, signal: AbortSignal | undefined): Promise<readonly unknown[]> {
    const fail = (error: Error): Error => queryError(error, statement.sql, this.#context(doing))
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        reject(new StoppedError())
        this.#lost ??= new PlainReason(`it was closed when the client stopped waiting for a statement (${doing})`)
        void this.close()
      }
      if (signal?.aborted) {
        onAbort()
        return
      }
      if (this.#lost !== null) {
        reject(fail(this.#lost))
        return
      }
      const onClose = (error: Error): void => {
        signal?.removeEventListener('abort', onAbort)
        reject(fail(error))
      }
      this.#waiting.add(onClose)
      this.#answers.begin()
      this.#shape.begin()
      this.#doing = doing
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#driver.query({ ...statement, typeCast: textOnly }, (error, rows) => {
        this.#waiting.delete(onClose)
        signal?.removeEventListener('abort', onAbort)
        // The driver reports the end of the connection to the statement in flight only, and emits no error. After an answer
        // that it cannot read, the next statement would get the rest of it.
        if (error !== null && (error.fatal === true || !isOfServer(error))) this.#refuseAnswer(error)
        if (error !== null) reject(fail(error))
        else resolve(Array.isArray(rows) ? rows : [])
      })
    })
  }

  #refuseAnswer(error: Error): void {
    this.#lost ??= error
    void this.close()
  }

  /** Starts reading raw packets; see RawExchange. */
  exchange(): RawExchange {
    if (this.#lost !== null) throw queryError(this.#lost, '', this.#context('starting a raw exchange'))
    return new RawExchange(this.#driver)
  }

  /** Converts an error while raw packets are read (`RawExchange`) to a coded error of `mysqlErrors`. */
  wrap(thrown: unknown, doing: string): Error {
    if (thrown instanceof StoppedError) return thrown
    const { address } = this
    if (thrown instanceof RangeError) {
      const cause = clearRangeError(thrown)
      return mysqlErrors.MYSQL_PROTOCOL({ address, doing, reason: cause.message }, cause)
    }
    return queryError(toError(thrown), doing, this.#context(doing))
  }

  #context(doing: string): ErrorContext {
    return { address: this.address, tlsMode: this.#tlsMode, doing }
  }

  /** Closes the connection at once. A statement in flight fails with MYSQL_CONNECTION_LOST. Never throws. */
  close(): Promise<void> {
    this.#lost ??= new PlainReason('the client closed it')
    for (const onClose of this.#waiting) onClose(this.#lost)
    this.#waiting.clear()
    try {
      this.#driver.destroy()
      // The driver only ends its side; a server that is sending the binlog would keep the other one open.
      internalsOf(this.#driver).stream.destroy()
    } catch (error) {
      this.#logger.debug('closing a database connection failed', { error: toError(error) })
    }
    return Promise.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

interface Statement {
  readonly sql: string
  readonly rowsAsArray: boolean
}
