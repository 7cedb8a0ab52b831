import { cliErrors } from '../errors.ts'

/** The database that a URL names. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string | null
  /** Null: the URL has none. */
  readonly password: string | null
  /** Null: all databases. */
  readonly database: string | null
  /** Null: all tables. */
  readonly table: string | null
}

/**
 * Reads `mysql://user:password@host:port/database.table`. Names are encoded as in every URL (%20); a dot that belongs to
 * a name is %2E, or the name is in backquotes.
 *
 * @throws DATABASE_URL, without the password
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const match = /^(?:mysql|mariadb):\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/@?#[\]]*)(?::(\d*))?(?:\/([^?#]*))?$/i.exec(url)
  if (match === null) throw refused(url, 'it is not of the form mysql://user:password@host:port/database.table')
  const [, login, host = '', port = '', path = ''] = match
  if (host === '') throw refused(url, 'it names no host')
  const number = port === '' ? DEFAULT_PORT : Number(port)
  if (number < 1 || number > PORT_MAX) throw refused(url, `${port} is no port`)
  const [user, ...password] = login === undefined ? [null] : login.split(':')
  const [database = null, table = null, ...more] = namesIn(path, url)
  if (more.length > 0) throw refused(url, 'it has more than a database and a table; a dot in a name is %2E')
  return {
    host: host.replaceAll(/[[\]]/g, ''),
    port: number,
    user: user === null || user === undefined || user === '' ? null : decoded(user, url),
    password: password.length === 0 ? null : decoded(password.join(':'), url),
    database,
    table,
  }
}

const DEFAULT_PORT = 3306
const PORT_MAX = 65_535

function namesIn(path: string, url: string): readonly string[] {
  if (path === '') return []
  const text = path.replaceAll(/%60/gi, '`')
  const names: string[] = []
  const name = /`((?:[^`]|``)+)`|([^`.]+)/y
  for (;;) {
    const found = name.exec(text)
    if (found === null) throw refused(url, 'a name is empty, or its backquotes are not closed')
    names.push(decoded(found[1]?.replaceAll('``', '`') ?? found[2] ?? '', url))
    if (name.lastIndex === text.length) return names
    if (text.charAt(name.lastIndex) !== '.') throw refused(url, 'a dot must be between database and table')
    name.lastIndex += 1
  }
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(url, 'a % must be followed by two hexadecimal digits of UTF-8; write %25 for the character itself')
  }
}

function refused(url: string, reason: string): Error {
  return cliErrors.DATABASE_URL({ url: withoutPassword(url), reason })
}

/** Everything up to the last @ may be a part of the password. */
export function withoutPassword(url: string): string {
  const at = url.lastIndexOf('@')
  if (at < 0) return url
  const scheme = url.indexOf('://')
  return `${scheme < 0 ? '' : url.slice(0, scheme + 3)}…${url.slice(at)}`
}
