import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import { findLateTable, type LateTablesOptions } from './late-tables.ts'
import { findTables, type FoundTables } from './snapshot-structure.ts'

export interface AllTablesOptions extends Pick<LateTablesOptions, 'interpreter' | 'binlogFrom' | 'clock'> {
  readonly config: ConnectorConfig
  readonly flavor: Pick<Flavor, 'name'>
  readonly serverInfo: Pick<ServerInfo, 'hasGtids'>
}

/** A list that was read after the position `begun`. */
export interface ListedTables {
  readonly found: FoundTables
  readonly begun: ServerPosition
  /** Where the stream begins: `begun`, or later. */
  readonly position: ServerPosition
}

/**
 * Makes sure that the list has all tables whose CREATE or RENAME the stream does not have: their rows would be in no
 * event. Statements about known tables were excluded before; `CREATE TABLE IF NOT EXISTS` was not.
 *
 * @throws SNAPSHOT_TABLES_CHANGED; errors of the server and the connection
 */
export async function requireAllTables(
  connection: MySqlConnection,
  { found, begun, position }: ListedTables,
  options: AllTablesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { config, flavor, serverInfo } = options
  if (flavor.name === 'mysql' && !serverInfo.hasGtids) {
    const listed = new Set(found.captured.map((id) => id.toString().toLowerCase()))
    const isKnown = (id: TableId): boolean =>
      !config.filter.includesTable(id) || listed.has(id.toString().toLowerCase())
    const silenceMsMax = config.keepAliveIntervalMs
    const late = await findLateTable(position, { ...options, connection, silenceMsMax, isKnown }, signal)
    if (late !== null) throw changed(late)
  }
  if (position === begun) return
  const now = await findTables(connection, config, signal)
  const different = differenceOf(found.all, now.all) ?? differenceOf(found.captured, now.captured)
  if (different !== null) throw changed(different)
}

/** Null: both lists have the same tables. */
function differenceOf(before: readonly TableId[], after: readonly TableId[]): TableId | null {
  const [first] = new Set(before).symmetricDifference(new Set(after))
  return first ?? null
}

function changed(id: TableId): Error {
  return connectorErrors.SNAPSHOT_TABLES_CHANGED({
    reason: `${id.toString()} was created while the structure was read without a lock`,
  })
}
