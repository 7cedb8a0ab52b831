/** Where a reader wants to start. */
export type StartRequest =
  /** With the next change. */
  | { readonly tag: 'now' }
  /** As `time`, so many seconds ago by the server's clock. */
  | { readonly tag: 'ago'; readonly seconds: number }
  /** With what was committed at that time or later; on MariaDB, with what began then. Seconds since 1970. */
  | { readonly tag: 'time'; readonly seconds: number }
  /** After these GTIDs: a set of MySQL, or a position of MariaDB. */
  | { readonly tag: 'gtids'; readonly gtids: string }
  /** At an event of a binlog file. */
  | { readonly tag: 'place'; readonly file: string; readonly position: number }

/**
 * Reads `10m`, `2026-11-26T08:00:00Z`, `binlog.000003:4096`, or GTIDs. Null: the text has none of these forms.
 *
 * A GTID set of MySQL also has colons, but its first part is a UUID.
 */
export function parseStartRequest(text: string): StartRequest | null {
  const since = text.trim()
  const [, count, unit] = /^(\d{1,9})(s|m|h|d)$/.exec(since) ?? []
  if (count !== undefined && unit !== undefined) return { tag: 'ago', seconds: Number(count) * (SECONDS[unit] ?? 1) }
  if (INSTANT.test(since)) {
    // oxlint-disable-next-line no-restricted-globals -- parses a time
    const millis = Date.parse(since.replace(' ', 'T'))
    return Number.isNaN(millis) ? null : { tag: 'time', seconds: millis / 1000 }
  }
  if (MYSQL_GTIDS.test(since) || MARIADB_GTIDS.test(since)) return { tag: 'gtids', gtids: since.replaceAll(/\s/g, '') }
  const [, file, position] = /^([^:\s/\\]+\.\d{6,}):(\d{1,19})$/.exec(since) ?? []
  if (file === undefined || !Number.isSafeInteger(Number(position))) return null
  return { tag: 'place', file, position: Number(position) }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** With a zone, because neither that of this machine nor that of the server is obvious. */
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const INTERVALS = String.raw`(?::(?:\d+(?:-\d+)?|[a-z_][a-z0-9_]{0,31}))+`
const SID = `${UUID}${INTERVALS}`
const MYSQL_GTIDS = new RegExp(String.raw`^${SID}(?:\s*,\s*${SID})*$`)
const MARIADB_GTIDS = /^\d+-\d+-\d+(?:\s*,\s*\d+-\d+-\d+)*$/
