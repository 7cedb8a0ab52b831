import { type Header, Schemas, type SourceRecord } from '@tributary/connect-api'
import { collationById, escapeString, type QueryEvent } from '@tributary/mysql'
import type { DdlSession } from './ddl-session.ts'

const NAME = 'tributary.session'

/**
 * The settings of the session that ran a statement, as assignments of SET: a statement that is run again under others
 * may be refused, or define another default. In the binlog, only some statements have all of them.
 */
export function sessionHeader(query: QueryEvent, { timeZone, explicitTimestampDefaults }: DdlSession): Header {
  const { sqlMode, flags = 0, sql } = query
  const collation = ABOUT_DATABASE.test(sql) ? collationById(query.serverCollation ?? 0) : undefined
  const assignments = [
    timeZone === undefined ? null : `time_zone = '${escapeString(timeZone)}'`,
    sqlMode === null ? null : `sql_mode = ${sqlMode}`,
    (flags & NO_FOREIGN_KEY_CHECKS) === 0 ? null : 'foreign_key_checks = 0',
    // Needs a privilege, so it is not set without need.
    explicitTimestampDefaults === false ? 'explicit_defaults_for_timestamp = 0' : null,
    collation === undefined ? null : `collation_server = ${collation.name}`,
  ]
  const value = assignments.filter((assignment) => assignment !== null).join(', ')
  return { key: NAME, schema: Schemas.string, value }
}

/** The assignments that a record of a statement has; null: none. */
export function sessionSettingsOf({ headers }: SourceRecord): string | null {
  const value = headers.find(({ key }) => key === NAME)?.value
  return typeof value === 'string' && value !== '' ? value : null
}

/** OPTION_NO_FOREIGN_KEY_CHECKS of both servers. */
const NO_FOREIGN_KEY_CHECKS = 1 << 26

/** They are the only ones that depend on collation_server. */
const ABOUT_DATABASE = /^\s*(?:create|alter)\s+(?:database|schema)\b/i
