import { StoppedError, toError } from '@tributary/support'
import type mysqlDriver from 'mysql2'
import type { Connection, ConnectionOptions, SslOptions } from 'mysql2'
import { isIP } from 'node:net'
import { PUBLIC_KEY_RETRIEVAL } from '../error-texts.ts'
import { loginError, mysqlErrors } from '../errors.ts'
import { AnswerLimit } from './answer-limit.ts'
import type { MySqlConnectionOptions } from './connection-options.ts'
import { internalsOf, verifyAddress } from './driver-internals.ts'
import { LoginWatch } from './login-watch.ts'
import { PacketOrder } from './packet-order.ts'

/** A driver's connection that is logged in. */
export interface LoggedIn {
  readonly driver: Connection
  readonly answers: AnswerLimit
  readonly order: PacketOrder
}

/** Connects and logs in. With the TLS mode `preferred`, a server without TLS gets an unencrypted connection. */
export async function login(options: MySqlConnectionOptions, signal: AbortSignal | undefined): Promise<LoggedIn> {
  const { tls } = options
  if (tls.mode !== 'preferred') return connect(options, tls.mode === 'disabled' ? null : sslOptions(options), signal)
  try {
    return await connect(options, sslOptions(options), signal)
  } catch (error) {
    const { cause } = toError(error)
    const isWithoutTls = cause instanceof Error && 'code' in cause && cause.code === 'HANDSHAKE_NO_SSL_SUPPORT'
    if (!isWithoutTls) throw error
    return connect(options, null, signal)
  }
}

async function connect(
  options: MySqlConnectionOptions,
  ssl: SslOptions | null,
  signal: AbortSignal | undefined,
): Promise<LoggedIn> {
  const mysql2 = await loadDriver()
  if (signal?.aborted) throw new StoppedError()
  const { host, port, user, password, tls, connectTimeoutMs } = options
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
    // No statement is prepared on the server; the driver's cache for 16,000 takes half a megabyte of each connection.
    maxPreparedStatements: 1,
    // Detects a dead peer within a minute; the system's default delay is two hours.
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    // Query attributes would change the form of COM_QUERY, which RowStream writes itself. LOCAL_FILES would let the
    // server read files of this host. IGNORE_SPACE changes how the server parses statements.
    flags: ['-CLIENT_QUERY_ATTRIBUTES', '-LOCAL_FILES', '-IGNORE_SPACE'],
    ...(ssl === null ? refusingServerKeys(mysql2, options) : { ssl }),
  }
  return new Promise((resolve, reject) => {
    const driver = mysql2.createConnection(config)
    if (tls.mode === 'verify_identity' && isIP(host) !== 0) verifyAddress(driver, host)
    const order = PacketOrder.watch(driver)
    const answers = AnswerLimit.watch(driver)
    const watch = LoginWatch.watch(driver, { address: addressOf(options), user, connectTimeoutMs })
    const settle = (): void => signal?.removeEventListener('abort', onAbort)
    const fail = (error: Error): void => {
      settle()
      end(driver)
      reject(loginError(error, { address: addressOf(options), tlsMode: options.tls.mode, doing: 'logging in' }))
    }
    const onAbort = (): void => {
      end(driver)
      reject(new StoppedError())
    }
    const refused = { address: addressOf(options), doing: 'logging in' }
    answers.onExceeded = (reason) => fail(mysqlErrors.MYSQL_ANSWER_TOO_LARGE({ ...refused, reason }))
    order.onBroken = (reason) => fail(mysqlErrors.MYSQL_PROTOCOL({ ...refused, reason }))
    order.check = (payload) => watch.packet(payload)
    watch.onForeign = fail
    signal?.addEventListener('abort', onAbort, { once: true })
    driver.on('error', () => undefined)
    driver.connect((error) => {
      if (error !== null) fail(watch.explain(error))
      else {
        settle()
        order.check = () => null
        resolve({ driver, answers, order })
      }
    })
  })
}

/** The driver only ends its side; a server that does not end the other one would keep the socket open. */
function end(driver: Connection): void {
  driver.destroy()
  internalsOf(driver).stream.destroy()
}

/**
 * Loads the driver at the first login: a worker answers its first requests 40 ms earlier without it, and a process
 * without database connections needs 6 MB less.
 */
export async function loadDriver(): Promise<typeof mysqlDriver> {
  const { default: mysql2 } = await import('mysql2')
  // The driver's own limit of 15,000 takes half a megabyte of each thread.
  mysql2.setMaxParserCache(PARSERS_MAX)
  return mysql2
}

/** Plug-ins that end a login before the password is encrypted with a key that the server presents. */
function refusingServerKeys(
  { authPlugins }: typeof mysqlDriver,
  { allowsPublicKeyRetrieval = false }: MySqlConnectionOptions,
): Pick<ConnectionOptions, 'authPlugins'> {
  if (allowsPublicKeyRetrieval) return {}
  const onServerPublicKey = (): never => {
    throw Object.assign(new Error('Public Key Retrieval is not allowed'), { code: PUBLIC_KEY_RETRIEVAL })
  }
  return {
    authPlugins: {
      caching_sha2_password: authPlugins.caching_sha2_password({ onServerPublicKey }),
      sha256_password: authPlugins.sha256_password({ onServerPublicKey }),
    },
  }
}

function sslOptions({ host, tls }: MySqlConnectionOptions): SslOptions {
  const isVerified = tls.mode === 'verify_ca' || tls.mode === 'verify_identity'
  return {
    rejectUnauthorized: isVerified,
    // The driver can only compare names: `verifyAddress` compares an address.
    verifyIdentity: tls.mode === 'verify_identity' && isIP(host) === 0,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.passphrase === undefined ? {} : { passphrase: tls.passphrase }),
  }
}

/** The driver compiles a parser for each form of result; RowStream reads most results without it. */
const PARSERS_MAX = 100
const KEEP_ALIVE_MS = 30_000

/** host:port */
export function addressOf({ host, port }: MySqlConnectionOptions): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
