import type { QueryEvent } from './binlog-event.ts'

/**
 * Turns the bytes of a statement into text; `collation` is the session's character_set_client, 0 if the event lacks it.
 */
export type StatementDecoder = (bytes: Buffer, start: number, end: number, collation: number) => string

/**
 * Body of QUERY_EVENT: int<4> thread id · int<4> execution seconds · int<1> length of database · int<2> error code ·
 * int<2> length of status variables · the variables · database · 0x00 · statement. Throws RangeError if a part extends
 * past the end.
 */
export function parseQuery(bytes: Buffer, start: number, end: number, decode: StatementDecoder): QueryEvent {
  const threadId = bytes.readUInt32LE(start)
  const databaseLength = bytes[start + 8] as number
  const variables = start + 13
  const sqlStart = statementStart(bytes, start)
  const variablesEnd = sqlStart - databaseLength - 1
  if (sqlStart > end) throw new RangeError('the statement of a query event begins after the end of the event')
  // Else a BEGIN of zeros would be a statement by itself, and what follows an error in its transaction would be lost.
  if (sqlStart < end && bytes[sqlStart] === 0) throw new RangeError('the statement of a query event begins with a zero')
  if (isBegin(bytes, sqlStart, end)) return { tag: 'query', threadId, database: '', sql: 'BEGIN', ...NO_SESSION }
  const database = bytes.utf8Slice(variablesEnd, variablesEnd + databaseLength)
  const session = parseStatusVariables(bytes, variables, variablesEnd)
  return { tag: 'query', threadId, database, sql: decode(bytes, sqlStart, end, session.clientCollation), ...session }
}

/**
 * Body of EXECUTE_LOAD_QUERY_EVENT, a LOAD DATA in statement format: that of QUERY_EVENT, with the place of the file's
 * name in the statement after its first 13 bytes: int<4> file · int<4> start · int<4> end · int<1> duplicates.
 */
export function parseLoadQuery(bytes: Buffer, start: number, end: number, decode: StatementDecoder): QueryEvent {
  const query = Buffer.concat([bytes.subarray(start, start + 13), bytes.subarray(start + 26, end)])
  return parseQuery(query, 0, query.length, decode)
}

/** Where the statement of a QUERY_EVENT begins whose body begins at `start`. */
export function statementStart(bytes: Buffer, start: number): number {
  return start + 13 + bytes.readUInt16LE(start + 11) + (bytes[start + 8] as number) + 1
}

/** BEGIN does not depend on the settings of its session. */
const NO_SESSION = { sqlMode: null } as const

/** Nearly every query event of a row-format binlog is a BEGIN. This recognises one without parsing the rest. */
function isBegin(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start === 5 &&
    bytes[start] === 0x42 &&
    bytes[start + 1] === 0x45 &&
    bytes[start + 2] === 0x47 &&
    bytes[start + 3] === 0x49 &&
    bytes[start + 4] === 0x4e
  )
}

interface StatusVariables {
  sqlMode: bigint | null
  clientCollation: number
  flags?: number
  serverCollation?: number
  timeZone?: string
  hasExplicitTimestampDefaults?: boolean
}

/**
 * Status variables (Query_log_event): code byte · value, whose length depends on the code. The server writes them in
 * ascending order of code, except for the catalog. So those that are needed precede any that this version does not know.
 */
function parseStatusVariables(bytes: Buffer, start: number, end: number): StatusVariables {
  const found: StatusVariables = { sqlMode: null, clientCollation: 0 }
  let at = start
  while (at < end) {
    const code = bytes[at] as number
    const length = valueLength(code, bytes, at + 1)
    if (length < 0) break
    if (code === Q_FLAGS2) found.flags = bytes.readUInt32LE(at + 1)
    if (code === Q_SQL_MODE) found.sqlMode = bytes.readBigUInt64LE(at + 1)
    if (code === Q_CHARSET) {
      found.clientCollation = bytes.readUInt16LE(at + 1)
      found.serverCollation = bytes.readUInt16LE(at + 5)
    }
    if (code === Q_TIME_ZONE) found.timeZone = bytes.latin1Slice(at + 2, at + 2 + (bytes[at + 1] as number))
    if (code === Q_EXPLICIT_DEFAULTS) found.hasExplicitTimestampDefaults = bytes[at + 1] !== 0
    at += 1 + length
  }
  return found
}

const Q_FLAGS2 = 0
const Q_SQL_MODE = 1
const Q_CHARSET = 4
const Q_TIME_ZONE = 5
/** MySQL 8.0 and later. */
const Q_EXPLICIT_DEFAULTS = 16

/** Bytes of a status variable's value; -1 for an unknown code. */
function valueLength(code: number, bytes: Buffer, at: number): number {
  switch (code) {
    case Q_FLAGS2:
    case 3: // auto_increment_increment, _offset
    case 10: // bytes of the original event
      return 4
    case Q_SQL_MODE:
    case 9: // tables of a multi-table update
    case 17: // number of the transaction of DDL
    case 129: // MariaDB: the same
      return 8
    case 2: // catalog, followed by a zero byte
      return 2 + (bytes[at] as number)
    case Q_CHARSET:
      return 6
    case Q_TIME_ZONE:
    case 6: // catalog
      return 1 + (bytes[at] as number)
    case 7: // lc_time_names
    case 8: // collation_database
    case 18: // default_collation_for_utf8mb4
      return 2
    case 11: // user and host
      return pairLength(bytes, at)
    case 12: // databases
      return namesLength(bytes, at)
    case 13: // microseconds
    case 128: // MariaDB: the same
      return 3
    case Q_EXPLICIT_DEFAULTS:
    case 19: // sql_require_primary_key
    case 20: // default_table_encryption
      return 1
    default:
      return -1
  }
}

/** Two texts, each after its length of one byte. */
function pairLength(bytes: Buffer, at: number): number {
  const first = 1 + (bytes[at] as number)
  return first + 1 + (bytes[at + first] as number)
}

/** int<1> count · names, each followed by a zero byte. 254: more than there is room for, and no names. */
function namesLength(bytes: Buffer, at: number): number {
  const count = bytes[at] as number
  if (count === MANY_DATABASES) return 1
  let end = at + 1
  for (let i = 0; i < count; i++) {
    const zero = bytes.indexOf(0, end)
    if (zero < 0) return -1
    end = zero + 1
  }
  return end - at
}

const MANY_DATABASES = 254
