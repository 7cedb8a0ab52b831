import { type MySqlConnection, serverErrno } from '@tributary/mysql'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { LogPlace, StreamPosition } from '../offset/stream-position.ts'

/**
 * Returns where the binlog of the server ends, if everything that was executed before the position is in it. Null: the
 * server lacks some of that (a replica that has not logged a domain of the position), the user may not read the end, or
 * the server is MySQL, whose chunks do not need it.
 */
export async function readBinlogEnd(
  { flavor, serverInfo }: { readonly flavor: Flavor; readonly serverInfo: ServerInfo },
  { gtids }: StreamPosition,
  { connection, signal }: { readonly connection: MySqlConnection; readonly signal: AbortSignal },
): Promise<LogPlace | null> {
  if (flavor.name !== 'mariadb') return null
  try {
    const [row] = await connection.query('SELECT @@global.gtid_binlog_pos', 'reading the GTID position', { signal })
    if (gtids !== null && !flavor.isGtidSubset(gtids, row?.[0] ?? '')) return null
    // Only now: the binlog up to this end has those GTIDs.
    const { file, position } = await flavor.readPosition(connection, serverInfo, signal)
    return { file, position }
  } catch (error) {
    if (serverErrno(error) !== SPECIFIC_ACCESS_DENIED) throw error
    return null
  }
}

/** ER_SPECIFIC_ACCESS_DENIED_ERROR */
const SPECIFIC_ACCESS_DENIED = 1227
