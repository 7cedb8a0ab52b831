import { doneOr, StoppedError, toError, type Logger } from '@tributary/support'
import type mysqlDriver from 'mysql2'
import type { Connection, ConnectionOptions, SslOptions } from 'mysql2'
import { loginError, mysqlErrors, queryError, type ErrorContext } from '../errors.ts'
import type { MySqlConnectionOptions } from './connection-options.ts'
import { internalsOf } from './driver-internals.ts'
import { RawExchange } from './raw-exchange.ts'

/** A row as column values by position: text, or null. */
export type TextRow = readonly (string | null)[]

/**
 * A connection to a MySQL or MariaDB server: login and TLS by mysql2, statements whose results are small as text rows, and
 * on request the raw packets (`exchange`). One user at a time: statements are run one after the other.
 */
export class MySqlConnection implements AsyncDisposable {
  readonly address: string
  readonly #driver: Connection
  readonly #tlsMode: string
  readonly #logger: Logger
  #lost: Error | null = null
  /** Those who wait for a statement: the driver forgets them when it is closed. */
  readonly #waiting = new Set<(error: Error) => void>()

  private constructor(driver: Connection, options: MySqlConnectionOptions) {
    this.address = addressOf(options)
    this.#driver = driver
    this.#tlsMode = options.tls.mode
    this.#logger = options.logger
    driver.on('error', (error: Error) => {
      this.#lost ??= error
    })
  }

  /** Loads what `open` loads when it is first called, which takes as long as a login. */
  static async preload(): Promise<void> {
    await loadDriver()
  }

  /** Connects and logs in. A mode `preferred` server without TLS is used without. */
  static async open(options: MySqlConnectionOptions, signal?: AbortSignal): Promise<MySqlConnection> {
    if (signal?.aborted) throw new StoppedError()
    const driver = await login(options, signal)
    const connection = new MySqlConnection(driver, options)
    try {
      for (const statement of options.initialStatements ?? []) await doneOr(connection.query(statement), signal)
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

  /** The server's thread that serves this connection. */
  get threadId(): number {
    return this.#driver.threadId
  }

  /** Runs a statement; its rows as text, in the order and with the columns of the result. */
  async query(sql: string, doing = 'running a statement'): Promise<readonly TextRow[]> {
    return (await this.#run({ sql, rowsAsArray: true }, doing)) as TextRow[]
  }

  /**
   * Runs statements that each give rows, all in one exchange: for a server that is some way off. Only on a connection that
   * `takesSeveralStatements`. The first error ends it.
   */
  async queryAll(
    statements: readonly string[],
    doing = 'running statements',
  ): Promise<readonly (readonly TextRow[])[]> {
    if (statements.length === 0) return []
    const results = await this.#run({ sql: statements.join(';'), rowsAsArray: true }, doing)
    // The driver gives the rows of a lone statement as they are.
    return statements.length === 1 ? [results as TextRow[]] : (results as TextRow[][])
  }

  /** The first row of the result as text by column name, or null when there is none. */
  async queryRow(sql: string, doing = 'running a statement'): Promise<Readonly<Record<string, string | null>> | null> {
    const [row] = await this.#run({ sql, rowsAsArray: false }, doing)
    return (row as Record<string, string | null> | undefined) ?? null
  }

  /** The rows of a statement; none for one that gives no rows. */
  #run(statement: { sql: string; rowsAsArray: boolean }, doing: string): Promise<readonly unknown[]> {
    const fail = (error: Error): Error => queryError(error, statement.sql, this.#context(doing))
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) {
        reject(fail(this.#lost))
        return
      }
      const onClose = (error: Error): void => reject(fail(error))
      this.#waiting.add(onClose)
      this.#driver.query({ ...statement, typeCast: textOnly }, (error, rows) => {
        this.#waiting.delete(onClose)
        // The driver tells the end of the connection to the statement under way, and then nobody else.
        if (error?.fatal === true) this.#lost ??= error
        if (error !== null) reject(fail(error))
        else resolve(Array.isArray(rows) ? rows : [])
      })
    })
  }

  /** Takes the packets over; see RawExchange. */
  exchange(): RawExchange {
    if (this.#lost !== null) throw queryError(this.#lost, '', this.#context('starting a raw exchange'))
    return new RawExchange(this.#driver)
  }

  /** One of our errors for an error that a raw exchange met. */
  wrap(thrown: unknown, doing: string): Error {
    if (thrown instanceof StoppedError) return thrown
    const { address } = this
    if (thrown instanceof RangeError)
      return mysqlErrors.MYSQL_PROTOCOL({ address, doing, reason: thrown.message }, thrown)
    return queryError(toError(thrown), doing, this.#context(doing))
  }

  #context(doing: string): ErrorContext {
    return { address: this.address, tlsMode: this.#tlsMode, doing }
  }

  /** Ends the connection at once; the server sees it closed, and a statement under way fails. Never fails itself. */
  close(): Promise<void> {
    this.#lost ??= new Error('it was closed')
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

async function login(options: MySqlConnectionOptions, signal: AbortSignal | undefined): Promise<Connection> {
  const { tls } = options
  if (tls.mode !== 'preferred') return connect(options, tls.mode === 'disabled' ? null : sslOptions(options), signal)
  try {
    return await connect(options, sslOptions(options), signal)
  } catch (error) {
    const cause = toError(error).cause as { code?: string } | undefined
    if (cause?.code !== 'HANDSHAKE_NO_SSL_SUPPORT') throw error
    return connect(options, null, signal)
  }
}

async function connect(
  options: MySqlConnectionOptions,
  ssl: SslOptions | null,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const mysql2 = await loadDriver()
  if (signal?.aborted) throw new StoppedError()
  const { host, port, user, password, connectTimeoutMs } = options
  const config: ConnectionOptions = {
    host,
    port,
    user,
    password,
    connectTimeout: connectTimeoutMs,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    enableKeepAlive: true,
    multipleStatements: options.takesSeveralStatements ?? false,
    // None is prepared; room for the driver's 16,000 takes half a megabyte of each connection.
    maxPreparedStatements: 1,
    // A peer that is gone is noticed within a minute; the system's own pause is two hours.
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    // Query attributes would change the form of COM_QUERY, which RowStream sends itself; a server that asks for a local file
    // must not get one; IGNORE_SPACE changes how statements are parsed.
    flags: ['-CLIENT_QUERY_ATTRIBUTES', '-LOCAL_FILES', '-IGNORE_SPACE'],
    ...(ssl === null ? {} : { ssl }),
  }
  return new Promise((resolve, reject) => {
    const driver = mysql2.createConnection(config)
    const settle = (): void => signal?.removeEventListener('abort', onAbort)
    const onAbort = (): void => {
      driver.destroy()
      reject(new StoppedError())
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    driver.on('error', () => undefined)
    driver.connect((error) => {
      settle()
      if (error === null) resolve(driver)
      else {
        driver.destroy()
        reject(loginError(error, { address: addressOf(options), tlsMode: options.tls.mode, doing: 'logging in' }))
      }
    })
  })
}

/** When it is needed: a worker answers requests 40 ms earlier without, and one that only looks after tasks needs 6 MB less. */
async function loadDriver(): Promise<typeof mysqlDriver> {
  const { default: mysql2 } = await import('mysql2')
  // It comes with room for 15,000, half a megabyte of each thread.
  mysql2.setMaxParserCache(PARSERS_MAX)
  return mysql2
}

function sslOptions({ tls }: MySqlConnectionOptions): SslOptions {
  const isVerified = tls.mode === 'verify_ca' || tls.mode === 'verify_identity'
  return {
    rejectUnauthorized: isVerified,
    verifyIdentity: tls.mode === 'verify_identity',
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.passphrase === undefined ? {} : { passphrase: tls.passphrase }),
  }
}

/** Of the driver: one for each form of result, and most results are read by ourselves. */
const PARSERS_MAX = 100
const KEEP_ALIVE_MS = 30_000

interface DriverField {
  string(): string | null
}

/** Every value as the server's text: no dates in local time, no rounded numbers. */
function textOnly(field: DriverField): string | null {
  return field.string()
}

function addressOf({ host, port }: MySqlConnectionOptions): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
