import { CodedError, defineErrors, type ErrorRegistry } from '@tributary/support'
import { causeOf, type DriverError, isOfServer, isOfTls, PUBLIC_KEY_RETRIEVAL, reasonOf } from './error-texts.ts'

const definitions = {
  MYSQL_UNREACHABLE: {
    message: 'Unable to connect to the database at {address}: {reason}.',
    action: 'Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.',
    retriable: true,
  },
  MYSQL_NOT_A_SERVER: {
    message: 'The program at {address} is not a MySQL or MariaDB server: {reason}.',
    action:
      'Set database.hostname and database.port to the port of the database for clients, which is 3306 by default. The task tries again.',
    retriable: true,
  },
  MYSQL_LOGIN_UNSUPPORTED: {
    message: 'The server at {address} wants user {user} to log in by {plugin}, which Tributary does not support.',
    action:
      "Let the user log in by a password: ALTER USER … IDENTIFIED WITH caching_sha2_password BY '…' (MariaDB: IDENTIFIED VIA mysql_native_password USING PASSWORD('…')).",
    recoverable: true,
  },
  MYSQL_ACCESS_DENIED: {
    message: 'Unable to connect: {reason}',
    action:
      '(database {address}; check database.user and database.password, and that the user may log in from this host)',
    recoverable: true,
  },
  MYSQL_PUBLIC_KEY: {
    message:
      'The connection to the database at {address} is not encrypted, and the user logs in by a password that the server wants encrypted with its public key: Public Key Retrieval is not allowed.',
    action:
      'Whoever intercepts the connection could present a key of their own and read the password. Enable TLS on the server (database.ssl.mode=required or verify_identity). If the network is trusted, set driver.allowPublicKeyRetrieval=true.',
    recoverable: true,
  },
  MYSQL_TLS_FAILED: {
    message: 'Unable to connect to the database at {address} with database.ssl.mode={mode}: {reason}.',
    action: 'Check the certificates named by the database.ssl.* properties, or choose another database.ssl.mode.',
    recoverable: true,
  },
  MYSQL_CONNECTION_LOST: {
    message: 'The connection to the database at {address} was lost while {doing}: {reason}.',
    action: 'The task reconnects.',
    retriable: true,
  },
  MYSQL_BUSY: {
    message: 'The database at {address} is temporarily unavailable while {doing}: {reason}.',
    action:
      'The task retries. If the error persists, fix the reason: end the session that holds a lock, or raise max_connections.',
    retriable: true,
  },
  MYSQL_QUERY_FAILED: {
    message: 'The database at {address} refused a statement ({sql}): {reason}.',
    action: 'Grant what the message names, or correct the statement if it comes from the configuration.',
    recoverable: true,
  },
  MYSQL_ANSWER_TOO_LARGE: {
    message: 'The answer of the database at {address} while {doing} does not end: {reason}.',
    action:
      'No MySQL or MariaDB answers like that. Check that database.hostname and database.port lead to the database, and not to another service or a broken proxy.',
    recoverable: true,
  },
  MYSQL_PROTOCOL: {
    message: 'The database at {address} violated the protocol while {doing}: {reason}.',
    action: 'The task reconnects. If the error repeats, something between the task and the server changes the bytes.',
    retriable: true,
  },
  MYSQL_DRIVER_CHANGED: {
    message: 'The installed mysql2 has no {member}, which the binlog connection needs.',
    action: 'Install the exact version of mysql2 that package.json of this release names.',
  },
  BINLOG_UNAVAILABLE: {
    message: 'The database at {address} no longer has the binlog from {position} on: {reason}.',
    action:
      'The connector cannot read the changes since that position. For a new snapshot, stop the connector, delete its offsets (DELETE /connectors/NAME/offsets) and resume it. Set binlog_expire_logs_seconds (MariaDB: expire_logs_days) above the longest outage.',
  },
  BINLOG_POSITION_INVALID: {
    message: 'The database at {address} has no event at {position}: {reason}.',
    action:
      'The server may have lost the end of its binlog in a crash (set sync_binlog=1), the address may lead to another server, or the stored offset was changed by hand. Correct the address or the offset. If neither is wrong, stop the connector, delete its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_GTID_AHEAD: {
    message: 'The database at {address} lacks transactions that the connector has read ({position}): {reason}.',
    action:
      'The server may have lost them in a crash or a failover, or it is a lagging replica. The task waits some minutes for them, then fails: set database.hostname to a server that has them, or take a new snapshot.',
    retriable: true,
  },
  BINLOG_GTID_DIVERGED: {
    message: 'The binlog of the database at {address} does not continue from {position}: {reason}.',
    action:
      'The history of the server differs from the one that the connector has read, or the server has purged that part of it. Set database.hostname to the right server. If it is the right one, stop the connector, delete its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_GTID_MODE: {
    message:
      'The database at {address} cannot send its binlog by GTID, which the stored offset ({position}) requires: {reason}.',
    action: 'Set gtid_mode=ON on the server again, or set database.hostname to a server that has it.',
    recoverable: true,
  },
  BINLOG_EVENT_TOO_LARGE: {
    message: 'The database at {address} cannot send an event after {position}: {reason}.',
    action: 'Run SET GLOBAL max_allowed_packet = 1073741824 and set it in the configuration file of the server.',
    recoverable: true,
  },
  BINLOG_DAMAGED: {
    message: 'The database at {address} cannot read its own binlog from {position} on: {reason}.',
    action:
      'Check the file with mysqlbinlog --verify-binlog-checksum, and the disk of the server. The connector cannot capture damaged events: stop it, delete its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_REFUSED: {
    message: 'The database at {address} does not send its binlog from {position}: {reason}.',
    action: 'Fix what the message names; the error log of the server may have more details.',
    recoverable: true,
  },
  BINLOG_NOT_ALLOWED: {
    message: 'The database at {address} does not permit this user to read its binlog: {reason}.',
    action: 'Run, with the name of database.user: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO ….',
    recoverable: true,
  },
  BINLOG_SERVER_ID_TAKEN: {
    message: 'Another replica uses database.server.id={serverId} on the database at {address}: {reason}.',
    action: 'Give this connector a database.server.id that no other connector and no replica of that server has.',
    // The other replica may be a worker that has lost this task and is about to notice.
    recoverable: true,
  },
  BINLOG_CORRUPT: {
    message: 'The event at {position} cannot be read: {reason}.',
    action:
      'Check the file with mysqlbinlog --verify-binlog-checksum. If mysqlbinlog can read the event, report this error with the event.',
  },
  BINLOG_CHECKSUM: {
    message: 'The event at {position} has the checksum {actual} instead of {expected}.',
    action:
      'The task reads the event again. If the error repeats, the binlog file of the server is damaged: check it with mysqlbinlog.',
    retriable: true,
  },
  BINLOG_EVENT_UNKNOWN: {
    message:
      'The event at {position} has the type {type}, which this version does not know, and its header does not permit skipping it.',
    action: 'Update Tributary, or disable the server option that writes such events.',
  },
  BINLOG_TABLE_UNKNOWN: {
    message: 'The row event at {position} names the table id {tableId}, for which the server sent no table map.',
    action: 'The task reads again from the start of the transaction.',
    retriable: true,
  },
  GTID_MALFORMED: {
    message: '{text} is no GTID set: {reason}.',
    action: 'Correct the GTID set in the stored offset or in the configuration.',
  },
} as const

/** Errors of the database and of the connections to it. */
export const mysqlErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)

/**
 * Server errors after which the same request may succeed: too many connections or threads, shutdown, a killed
 * statement, lock waits, offline mode (3032: operators, clusters and failovers set it).
 */
const BUSY_ERRNOS: ReadonlySet<number> = new Set([
  1040, 1053, 1129, 1135, 1203, 1205, 1213, 1226, 1317, 1927, 3024, 3032, 4031,
])
/** ER_UNKNOWN_COM_ERROR, which a node of a Galera cluster also returns for every statement until it is in sync. */
const UNKNOWN_COMMAND = 1047
const LOST_CODES: ReadonlySet<string> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([...LOST_CODES, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

export interface ErrorContext {
  readonly address: string
  readonly tlsMode: string
  /** What the connection was used for, as in “while reading table a.b”. */
  readonly doing: string
}

/** Converts an error of the driver's login to one of the registry. */
export function loginError(thrown: Error, { address, tlsMode }: ErrorContext): CodedError {
  if (thrown instanceof CodedError) return thrown
  const error: DriverError = thrown
  const [reason, cause] = [reasonOf(error), causeOf(error)]
  if (error.code === PUBLIC_KEY_RETRIEVAL) return mysqlErrors.MYSQL_PUBLIC_KEY({ address }, cause)
  if (isBusy(error)) return mysqlErrors.MYSQL_BUSY({ address, doing: 'logging in', reason }, cause)
  if (isOfServer(error)) return mysqlErrors.MYSQL_ACCESS_DENIED({ address, reason }, cause)
  if (isCutInHandshake(error)) return mysqlErrors.MYSQL_UNREACHABLE({ address, reason }, cause)
  if (isOfTls(error)) return mysqlErrors.MYSQL_TLS_FAILED({ address, mode: tlsMode, reason }, cause)
  return UNREACHABLE_CODES.has(error.code ?? '') || error.syscall !== undefined
    ? mysqlErrors.MYSQL_UNREACHABLE({ address, reason }, cause)
    : mysqlErrors.MYSQL_PROTOCOL({ address, doing: 'logging in', reason }, cause)
}

/** Converts the driver's error of a statement to one of the registry. */
export function queryError(thrown: Error, sql: string, { address, doing }: ErrorContext): CodedError {
  if (thrown instanceof CodedError) return thrown
  const error: DriverError = thrown
  const [reason, cause] = [reasonOf(error), causeOf(error)]
  if (isBusy(error)) return mysqlErrors.MYSQL_BUSY({ address, doing, reason }, cause)
  if (error.sqlState === undefined || LOST_CODES.has(error.code ?? '') || error.fatal === true) {
    return mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing, reason }, cause)
  }
  return mysqlErrors.MYSQL_QUERY_FAILED({ address, sql: shorten(sql), reason: `${reason} (${error.errno})` }, cause)
}

function isBusy({ errno = 0, message }: DriverError): boolean {
  return BUSY_ERRNOS.has(errno) || (errno === UNKNOWN_COMMAND && message.includes('WSREP'))
}

/** The server’s error number in the cause of a registry error; null when the server did not report the error. */
export function serverErrno(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'errno' in cause && typeof cause.errno === 'number' ? cause.errno : null
}

/** The SQL state in the cause of a registry error; null when the server did not report the error. */
export function serverSqlState(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'sqlState' in cause && typeof cause.sqlState === 'string' ? cause.sqlState : null
}

/**
 * The driver has one code for all failures of a TLS handshake. A handshake that the network cut is no problem of the
 * certificates.
 */
function isCutInHandshake({ code, message }: DriverError): boolean {
  return code === 'HANDSHAKE_SSL_ERROR' && /ECONNRESET|EPIPE|ETIMEDOUT|socket disconnected/.test(message)
}

function shorten(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 117)}…` : line
}
