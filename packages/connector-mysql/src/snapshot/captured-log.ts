import type { TableId } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import type { FoundTables } from './snapshot-structure.ts'

/** Logs which tables the snapshot captures. */
export function logTables(found: FoundTables, logger: Logger): void {
  if (found.denied.length > 0) {
    logger.warn(`Left out, since the user may not list their tables: ${found.denied.join(', ')}`)
  }
  if (found.captured.length === 0) logger.warn(NOTHING_CAPTURED)
  else logger.info(`Captured tables: ${listOf(found.captured)}`)
}

const NOTHING_CAPTURED =
  'The include and exclude lists match no table that the user may see. Compare database.include.list and table.include.list with SHOW DATABASES and SHOW TABLES, run as that user; a table that is created later is captured when it matches'

/** The names, for a log line. */
export function listOf(tables: readonly TableId[]): string {
  const names = tables.slice(0, LISTED_TABLES_MAX).map(String).join(', ')
  return tables.length > LISTED_TABLES_MAX ? `${names} and ${tables.length - LISTED_TABLES_MAX} more` : names
}

/** Enough for a log line. */
const LISTED_TABLES_MAX = 100
