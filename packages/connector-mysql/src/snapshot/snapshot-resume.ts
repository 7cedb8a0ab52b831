import type { MySqlConnection } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { snapshotScopeOf } from '../config/snapshot-scope.ts'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { definitionDifference } from '../tables/definition-difference.ts'
import { orderingKey } from './row-keys.ts'
import { readTables } from './snapshot-structure.ts'

/** Why an unfinished snapshot cannot continue where it was; null: it can. */
export function whyNotResumed(
  stored: StreamPosition,
  config: Pick<ConnectorConfig, 'capturedLists' | 'snapshotLocking' | 'properties' | 'snapshotOverrides'>,
): string | null {
  const { capturedLists, snapshotLocking } = config
  if (stored.snapshotProgress === null) return 'its offset has no progress'
  if (snapshotLocking === 'extended')
    return 'snapshot.locking.mode=extended holds one lock from its beginning to its end'
  if (capturedLists === null || stored.capturedLists !== capturedLists) {
    return 'the include and exclude lists are not known to be those that it began with'
  }
  if (stored.snapshotProgress.scope !== snapshotScopeOf(config)) {
    return 'snapshot.include.collection.list, the statements of snapshot.select.statement.overrides or signal.data.collection are not those that it began with'
  }
  return null
}

/**
 * Compares the definitions of all tables that are left with those of the position of the snapshot. To be called after
 * the transactions have begun that read the rows. A table may still be altered, or replaced by another one, before it is
 * read: `TableGuard` finds that. This finds most differences before hours of reading.
 *
 * @throws SNAPSHOT_TABLES_CHANGED
 */
export async function requireDefinitions(
  connection: MySqlConnection,
  tables: readonly MySqlTable[],
  interpreter: Pick<DdlInterpreter, 'derive'>,
  signal: AbortSignal,
): Promise<void> {
  for (const known of tables) {
    // One by one: the names of the answers are those of the server.
    const [found] = await readTables(connection, [known.id], signal)
    requireDefinition(known, found === undefined ? null : interpreter.derive(known.id, found.sql))
  }
}

/** @throws SNAPSHOT_TABLES_CHANGED when a table is read in another form or order now */
export function requireDefinition(known: MySqlTable, current: MySqlTable | null): void {
  const difference = current === null ? null : definitionDifference(known, current)
  if (current !== null && difference?.tag === 'same' && orderOf(known) === orderOf(current)) return
  throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
    reason: `the definition of ${known.id.toString()} is not that of the position of the snapshot`,
  })
}

/** The columns by which the rows are read, in order. */
function orderOf(table: MySqlTable): string {
  return JSON.stringify(orderingKey(table)?.parts.map(({ name }) => name) ?? null)
}
