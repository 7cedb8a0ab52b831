import type { TableChange } from '@tributary/connector-kit'
import { DdlSyntaxError, type Statement } from '@tributary/mysql'
import type { DdlSession } from './ddl-session.ts'

/** One record of the schema history. */
export interface RecoveredChange {
  readonly databaseName: string | null
  readonly ddl: string | null
  readonly changes: readonly TableChange[]
}

/**
 * The session of a statement of the schema history.
 *
 * @param isAlone its record has no definitions. It may be one after which no definition was known, since that depended on
 *   what the record lacks: on the time zone of the session, or on its temporary tables
 */
export function recordedSession(database: string | null, isAlone: boolean): DdlSession {
  return isAlone ? { database, isRecorded: true, timeZone: 'not recorded' } : { database, isRecorded: false }
}

/** The modes of a session that decide what quotes and backslashes mean. */
export interface QuotingMode {
  readonly ansiQuotes?: boolean
  readonly noBackslashEscapes?: boolean
}

/** The usual ones first. */
const QUOTING_MODES: readonly QuotingMode[] = [
  {},
  { ansiQuotes: true },
  { noBackslashEscapes: true },
  { ansiQuotes: true, noBackslashEscapes: true },
]

/**
 * Parses a statement of the schema history, whose records do not contain the SQL mode of the session. What it is used for
 * is compared with the table changes of its record, so a wrong guess does no harm.
 *
 * @throws DDL_SYNTAX when no mode makes it a statement
 */
export function parseRecorded(parse: (mode: QuotingMode) => Statement): Statement {
  let first: DdlSyntaxError | null = null
  for (const mode of QUOTING_MODES) {
    try {
      return parse(mode)
    } catch (thrown) {
      if (!(thrown instanceof DdlSyntaxError)) throw thrown
      first ??= thrown
    }
  }
  throw first ?? new Error('there is a mode')
}

/** True when a source table without a database may be in another one than the resulting table. */
export function dependsOnSessionDatabase(statement: Statement): boolean {
  switch (statement.tag) {
    case 'createTable':
      return statement.table.database !== null && statement.like?.database === null
    case 'alterTable':
      return (
        statement.table.database === null &&
        statement.actions.some((action) => action.tag === 'renameTable' && action.to.database !== null)
      )
    case 'renameTable':
      return statement.renames.some(({ from, to }) => from.database === null && to.database !== null)
    default:
      return false
  }
}
