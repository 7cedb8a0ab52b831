import { type MySqlConnection, serverErrno } from '@tributary/mysql'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { LogPlace, StreamPosition } from '../offset/stream-position.ts'

/**
 * A place before which the binlog of the server has everything that was executed before the position: where the binlog
 * ends. Only of MariaDB, whose chunks of incremental snapshots need it. Null: there is none yet, as when a replica has not
 * logged a domain of the position, or it cannot be read without a privilege.
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
    // Read after the GTIDs: the binlog up to there has them.
    const { file, position } = await flavor.readPosition(connection, serverInfo, signal)
    return { file, position }
  } catch (error) {
    if (serverErrno(error) !== SPECIFIC_ACCESS_DENIED) throw error
    return null
  }
}

/** ER_SPECIFIC_ACCESS_DENIED_ERROR */
const SPECIFIC_ACCESS_DENIED = 1227
