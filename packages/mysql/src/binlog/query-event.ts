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
  if (isBegin(bytes, sqlStart, end)) return { tag: 'query', threadId, database: '', sql: 'BEGIN', sqlMode: null }
  const database = bytes.utf8Slice(variablesEnd, variablesEnd + databaseLength)
  const { sqlMode, clientCollation } = parseStatusVariables(bytes, variables, variablesEnd)
  return { tag: 'query', threadId, database, sql: decode(bytes, sqlStart, end, clientCollation), sqlMode }
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
  readonly sqlMode: bigint | null
  readonly clientCollation: number
}

/**
 * Status variables (Query_log_event): code byte · value, whose length depends on the code. The server writes them in
 * ascending order of code, except for the catalog. So the two that are needed precede any that this version does not
 * know.
 */
function parseStatusVariables(bytes: Buffer, start: number, end: number): StatusVariables {
  let sqlMode: bigint | null = null
  let clientCollation = 0
  let at = start
  while (at < end) {
    const code = bytes[at] as number
    if (code === Q_SQL_MODE) sqlMode = bytes.readBigUInt64LE(at + 1)
    if (code === Q_CHARSET) clientCollation = bytes.readUInt16LE(at + 1)
    const length = valueLength(code, bytes, at + 1)
    if (length < 0) break
    at += 1 + length
  }
  return { sqlMode, clientCollation }
}

const Q_SQL_MODE = 1
const Q_CHARSET = 4

/** Bytes of a status variable's value; -1 for an unknown code. */
function valueLength(code: number, bytes: Buffer, at: number): number {
  switch (code) {
    case 0: // flags
    case 3: // auto_increment_increment, _offset
      return 4
    case Q_SQL_MODE:
      return 8
    case 2: // catalog, followed by a zero byte
      return 2 + (bytes[at] as number)
    case Q_CHARSET:
      return 6
    case 5: // time zone
    case 6: // catalog
      return 1 + (bytes[at] as number)
    case 7: // lc_time_names
    case 8: // collation_database
      return 2
    default:
      return -1
  }
}
