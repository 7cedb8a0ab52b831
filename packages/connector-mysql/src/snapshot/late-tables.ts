import { TableId } from '@tributary/connector-kit'
import { type BinlogEvent, type MySqlConnection, serverErrno } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import type { ServerPosition } from '../flavor/flavor.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { BinlogWatchOptions } from './binlog-watch.ts'
import { type BinlogVisitor, scanBinlog } from './structure-scan.ts'

export interface LateTablesOptions {
  readonly connection: MySqlConnection
  readonly binlogFrom: BinlogWatchOptions['binlogFrom']
  readonly silenceMsMax: number
  readonly clock: Clock
  /** Tables that a list has, or that are not captured. */
  readonly isKnown: (id: TableId) => boolean
}

/**
 * For MySQL without GTIDs. A `CREATE TABLE … SELECT` is in the binlog before others see the table, with semi-synchronous
 * replication by seconds. If that is before the position and after the list of tables, its rows would be in no event.
 * MySQL begins a binlog file only when all transactions of the former one are complete, so such a table has rows in the
 * file of the position.
 *
 * Returns the first table with rows before the position that exists, and is not known. SHOW CREATE TABLE waits until the
 * statement is complete.
 */
export async function findLateTable(
  until: ServerPosition,
  { connection, binlogFrom, silenceMsMax, clock, isKnown }: LateTablesOptions,
  signal: AbortSignal,
): Promise<TableId | null> {
  const changed = new TablesWithRows()
  const binlog = binlogFrom({ tag: 'position', file: until.file, position: FIRST_POSITION })
  await scanBinlog(changed, { binlog, until, silenceMsMax, clock }, signal)
  for (const id of changed.tables) if (!isKnown(id) && (await isThere(connection, id, signal))) return id
  return null
}

class TablesWithRows implements BinlogVisitor {
  readonly tables = new Set<TableId>()

  observe(event: BinlogEvent): void {
    if (event.tag === 'rows') this.tables.add(TableId.of(event.table.database, event.table.table))
  }
}

async function isThere(
  connection: MySqlConnection,
  { database, table }: TableId,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await connection.query(`SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`, 'looking for a new table', {
      signal,
    })
    return true
  } catch (error) {
    if (MISSING.has(serverErrno(error))) return false
    throw error
  }
}

/** After the magic number. */
const FIRST_POSITION = 4
/** No such database, no such table, no privilege for it: then it is not captured either. */
const MISSING: ReadonlySet<number | null> = new Set([1049, 1146, 1142, 1044])
