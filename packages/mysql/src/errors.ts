import { CodedError, defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  MYSQL_UNREACHABLE: {
    message: 'Unable to connect to the database at {address}: {reason}.',
    action: 'Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.',
    retriable: true,
  },
  MYSQL_ACCESS_DENIED: {
    message: 'Unable to connect: {reason}',
    action:
      '(database {address}; check database.user and database.password, and that the user may log in from this host)',
  },
  MYSQL_TLS_FAILED: {
    message: 'Unable to connect to the database at {address} with database.ssl.mode={mode}: {reason}.',
    action: 'Check the certificates named by the database.ssl.* properties, or choose another database.ssl.mode.',
  },
  MYSQL_CONNECTION_LOST: {
    message: 'The connection to the database at {address} was lost while {doing}: {reason}.',
    action: 'The task connects again by itself.',
    retriable: true,
  },
  MYSQL_BUSY: {
    message: 'The database at {address} refused for now while {doing}: {reason}.',
    action: 'The task tries again by itself; if it stays, free connections or raise max_connections.',
    retriable: true,
  },
  MYSQL_QUERY_FAILED: {
    message: 'The database at {address} refused a statement ({sql}): {reason}.',
    action: 'Grant what the message names, or correct the statement if it comes from the configuration.',
  },
  MYSQL_PROTOCOL: {
    message: 'The database at {address} sent what the protocol does not allow while {doing}: {reason}.',
    action: 'The task connects again by itself; if it repeats, something between it and the server changes the bytes.',
    retriable: true,
  },
  MYSQL_DRIVER_CHANGED: {
    message: 'The installed mysql2 has no {member}, which the binlog connection is built on.',
    action: 'Install the exact version of mysql2 that this release names in its package.json.',
  },
  BINLOG_UNAVAILABLE: {
    message: 'The database at {address} has no binlog from {position} on any more: {reason}.',
    action:
      'Changes since that position are lost to this connector. For a new snapshot stop it, remove its offsets (DELETE /connectors/NAME/offsets) and resume it; raise binlog_expire_logs_seconds (MariaDB: expire_logs_days) above the longest outage.',
  },
  BINLOG_POSITION_INVALID: {
    message: 'The database at {address} has no event at {position}: {reason}.',
    action:
      'A crash may have cost the server the end of its binlog (sync_binlog is to be 1), or the address leads to another server now, or the stored offset was changed by hand. Correct the address or the offset; if neither is wrong, stop the connector, remove its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_GTID_AHEAD: {
    message: 'The database at {address} lacks transactions that were read already ({position}): {reason}.',
    action:
      'The server may have lost them in a crash or a failover, or be a replica that lags. The task waits some minutes for it; after that let database.hostname lead to a server that has them, or take a new snapshot.',
    retriable: true,
  },
  BINLOG_GTID_DIVERGED: {
    message: 'The binlog of the database at {address} does not go on from {position}: {reason}.',
    action:
      'The server has another history than the one that was read, or has purged that part of it. Let database.hostname lead to the right server; if this is it, stop the connector, remove its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_GTID_MODE: {
    message:
      'The database at {address} cannot send its binlog by GTID, which the stored offset ({position}) asks for: {reason}.',
    action:
      'Set gtid_mode = ON on the server again, or let database.hostname lead to one that has it; then restart the task.',
  },
  BINLOG_EVENT_TOO_LARGE: {
    message: 'The database at {address} cannot send an event after {position}: {reason}.',
    action:
      'Run: SET GLOBAL max_allowed_packet = 1073741824; and set it in its configuration file; then restart the task.',
  },
  BINLOG_DAMAGED: {
    message: 'The database at {address} cannot read its own binlog from {position} on: {reason}.',
    action:
      'Look at the file with mysqlbinlog --verify-binlog-checksum and at the disk of the server. What is damaged cannot be captured: stop the connector, remove its offsets (DELETE /connectors/NAME/offsets) and resume it for a new snapshot.',
  },
  BINLOG_REFUSED: {
    message: 'The database at {address} does not send its binlog from {position}: {reason}.',
    action: 'Do what the server asks for; its error log may say more. Then restart the task.',
  },
  BINLOG_NOT_ALLOWED: {
    message: 'The database at {address} does not let this user read its binlog: {reason}.',
    action:
      'Run, with the name of database.user: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO …; then restart the task.',
  },
  BINLOG_SERVER_ID_TAKEN: {
    message: 'Another replica uses database.server.id={serverId} on the database at {address}: {reason}.',
    action: 'Give this connector a database.server.id that no other connector and no replica of that server has.',
  },
  BINLOG_CORRUPT: {
    message: 'The event at {position} cannot be read: {reason}.',
    action:
      'Compare with `mysqlbinlog --verify-binlog-checksum` of that file; if it is sound there, report this error with the event.',
  },
  BINLOG_CHECKSUM: {
    message: 'The event at {position} has checksum {actual}, its header says {expected}.',
    action:
      'The task reads it again; if it repeats, the binlog file of the server is damaged: check it with mysqlbinlog.',
    retriable: true,
  },
  BINLOG_EVENT_UNKNOWN: {
    message:
      'The event at {position} has type {type}, which this version does not know, and its header does not allow to skip it.',
    action: 'Update Tributary, or switch off the server option that writes such events.',
  },
  BINLOG_TABLE_UNKNOWN: {
    message: 'The row event at {position} names table id {tableId}, for which no table map was sent.',
    action: 'The task reads again from the start of the transaction.',
    retriable: true,
  },
  GTID_MALFORMED: {
    message: 'Not a GTID set: {text} ({reason}).',
    action: 'Correct the GTID set in the stored offset or in the configuration.',
  },
} as const

/** Errors of the database side. */
export const mysqlErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)

interface DriverError extends Error {
  readonly code?: string
  readonly errno?: number
  readonly fatal?: boolean
  readonly sqlState?: string
}

/**
 * Server errors after which the same request may succeed: too many connections or threads, shutting down, killed, lock waits,
 * offline mode (3032: operators, clusters and failovers set it).
 */
const BUSY_ERRNOS: ReadonlySet<number> = new Set([
  1040, 1053, 1129, 1135, 1203, 1205, 1213, 1226, 1317, 1927, 3024, 3032, 4031,
])
/** ER_UNKNOWN_COM_ERROR, which a node of a Galera cluster also says of everything until it is in step with the others. */
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
  /** What was being done, as in “while reading table a.b”. */
  readonly doing: string
}

/** The driver's error while logging in, as one of ours. */
export function loginError(thrown: Error, { address, tlsMode }: ErrorContext): CodedError {
  const error = thrown as DriverError
  const reason = withoutFullStop(error.message)
  if (error.errno === 1045 || error.errno === 1044 || error.errno === 1698 || error.errno === 1130) {
    return mysqlErrors.MYSQL_ACCESS_DENIED({ address, reason: error.message }, error)
  }
  if (isBusy(error)) {
    return mysqlErrors.MYSQL_BUSY({ address, doing: 'logging in', reason }, error)
  }
  if (isCutInHandshake(error)) return mysqlErrors.MYSQL_UNREACHABLE({ address, reason }, error)
  if (isTlsError(error)) return mysqlErrors.MYSQL_TLS_FAILED({ address, mode: tlsMode, reason }, error)
  if (UNREACHABLE_CODES.has(error.code ?? '')) return mysqlErrors.MYSQL_UNREACHABLE({ address, reason }, error)
  // Numbers below zero are the operating system's.
  return error.errno === undefined || error.errno < 0
    ? mysqlErrors.MYSQL_UNREACHABLE({ address, reason }, error)
    : mysqlErrors.MYSQL_ACCESS_DENIED({ address, reason: error.message }, error)
}

/** The driver's error of a statement, as one of ours. */
export function queryError(thrown: Error, sql: string, { address, doing }: ErrorContext): CodedError {
  if (thrown instanceof CodedError) return thrown
  const error = thrown as DriverError
  const reason = withoutFullStop(error.message)
  if (isBusy(error)) {
    return mysqlErrors.MYSQL_BUSY({ address, doing, reason }, error)
  }
  if (error.sqlState === undefined || LOST_CODES.has(error.code ?? '') || error.fatal === true) {
    return mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing, reason }, error)
  }
  return mysqlErrors.MYSQL_QUERY_FAILED({ address, sql: shorten(sql), reason: `${reason} (${error.errno})` }, error)
}

function isBusy({ errno = 0, message }: DriverError): boolean {
  return BUSY_ERRNOS.has(errno) || (errno === UNKNOWN_COMMAND && message.includes('WSREP'))
}

/** The server’s number of the error that one of ours wraps; null: it is not the server’s. */
export function serverErrno(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'errno' in cause && typeof cause.errno === 'number' ? cause.errno : null
}

/** The driver gives every end of a TLS handshake one code; what the network has cut says nothing about certificates. */
function isCutInHandshake({ code, message }: DriverError): boolean {
  return code === 'HANDSHAKE_SSL_ERROR' && /ECONNRESET|EPIPE|ETIMEDOUT|socket disconnected/.test(message)
}

function isTlsError(error: DriverError): boolean {
  const code = error.code ?? ''
  return /^HANDSHAKE_|^ERR_(TLS|SSL|OSSL)|CERT|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code)
}

function shorten(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 117)}…` : line
}

function withoutFullStop(text: string): string {
  return text.replace(/\.$/, '')
}
