import { MySqlGtidSet, type DumpStart, type MySqlConnection } from '@tributary/mysql'
import type { StreamPosition } from '../offset/stream-position.ts'
import { connectorErrors } from '../errors.ts'
import { FIRST_POSITION, binlogFiles, findMissingFile, firstBinlogFile } from './binlog-files.ts'
import { type ExecutedGtids, MySqlExecutedGtids } from '../offset/executed-gtids.ts'
import type { Flavor, MissingPosition, ServerInfo, ServerPosition, ServerStatements } from './flavor.ts'
import { areCountersAtOrBefore, isFilePositionAtOrBefore } from './position-order.ts'
import { lowerCaseTableNames, readVariables, versionNumber } from './server-variables.ts'

const VARIABLES = [
  'version',
  'server_uuid',
  'lower_case_table_names',
  'system_time_zone',
  'character_set_server',
  'collation_server',
  'gtid_mode',
]

export const mysqlFlavor: Flavor = {
  name: 'mysql',

  async readServerInfo(connection: MySqlConnection, signal?: AbortSignal): Promise<ServerInfo> {
    const variables = await readVariables(connection, VARIABLES, signal)
    const version = variables.get('version') ?? ''
    return {
      version,
      versionNumber: versionNumber(version),
      serverUuid: variables.get('server_uuid') ?? null,
      identity: mysqlFlavor.identityOf(variables),
      lowerCaseTableNames: lowerCaseTableNames(variables),
      systemTimeZone: variables.get('system_time_zone') ?? '',
      charset: variables.get('character_set_server') ?? 'utf8mb4',
      collation: variables.get('collation_server') ?? 'utf8mb4_0900_ai_ci',
      hasGtids: variables.get('gtid_mode') === 'ON',
    }
  },

  positionPrivilege: 'REPLICATION CLIENT',

  statements({ versionNumber: version }: ServerInfo): ServerStatements {
    return {
      // Renamed in 8.2; 8.4 removed the old name.
      position: version >= 80_200 ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS',
      // Both renamed in 8.0.22; 8.4 removed the old names.
      replicas: version >= 80_022 ? 'SHOW REPLICAS' : 'SHOW SLAVE HOSTS',
      replicaStatus: version >= 80_022 ? 'SHOW REPLICA STATUS' : 'SHOW SLAVE STATUS',
    }
  },

  async readPosition(connection: MySqlConnection, info: ServerInfo, signal?: AbortSignal): Promise<ServerPosition> {
    const { position: statement } = mysqlFlavor.statements(info)
    const row = await connection.queryRow(statement, 'reading the binlog position', { signal })
    const file = row?.['File'] ?? null
    if (row === null || file === null)
      throw connectorErrors.BINLOG_POSITION_UNKNOWN({ address: connection.address, statement })
    const gtids = info.hasGtids ? MySqlGtidSet.parse(row['Executed_Gtid_Set'] ?? '') : null
    return { file, position: Number(row['Position']), gtids }
  },

  async readFirstPosition(
    connection: MySqlConnection,
    info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<ServerPosition> {
    const file = await firstBinlogFile(connection, signal)
    const gtids = info.hasGtids ? await readPurged(connection, signal) : null
    return { file, position: FIRST_POSITION, gtids }
  },

  identityVariables: ['server_uuid'],

  identityOf(variables: ReadonlyMap<string, string>): string {
    return variables.get('server_uuid') ?? ''
  },

  async readGtidsBefore(connection: MySqlConnection, file: string, signal?: AbortSignal): Promise<string | null> {
    // The second event of each file, after the format description.
    const rows = await connection.query(
      `SHOW BINLOG EVENTS IN '${file}' LIMIT 2`,
      'reading the GTIDs before a binlog file',
      { signal },
    )
    const found = rows.find(([, , type]) => type === 'Previous_gtids')
    return found?.[5] ?? null
  },

  isGtidSubset(gtids: string, of: string): boolean {
    return MySqlGtidSet.parse(gtids).isSubsetOf(MySqlGtidSet.parse(of))
  },

  parseGtids(text: string): ExecutedGtids {
    return new MySqlExecutedGtids(MySqlGtidSet.parse(text))
  },

  dumpStart(position: StreamPosition, info: ServerInfo): DumpStart {
    if (position.gtids !== null && info.hasGtids) {
      return { tag: 'mysqlGtids', executed: MySqlGtidSet.parse(position.gtids) }
    }
    return { tag: 'position', file: position.file, position: position.position }
  },

  async findMissing(
    connection: MySqlConnection,
    position: StreamPosition,
    info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<MissingPosition | null> {
    if (position.gtids === null || !info.hasGtids) return findMissingFile(connection, position, signal)
    return findMissingGtids(connection, MySqlGtidSet.parse(position.gtids), signal)
  },

  async hasPurgedUpTo(connection: MySqlConnection, { gtids }: StreamPosition, signal?: AbortSignal): Promise<boolean> {
    return MySqlGtidSet.parse(gtids ?? '').isSubsetOf(await readPurged(connection, signal))
  },

  isAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
    if (recorded.gtids === null || desired.gtids === null) {
      if (desired.gtids !== null) return true
      return recorded.gtids === null && isFilePositionAtOrBefore(recorded, desired)
    }
    const [a, b] = [MySqlGtidSet.parse(recorded.gtids), MySqlGtidSet.parse(desired.gtids)]
    return a.equals(b) ? areCountersAtOrBefore(recorded, desired) : a.isSubsetOf(b)
  },
}

async function readPurged(connection: MySqlConnection, signal: AbortSignal | undefined): Promise<MySqlGtidSet> {
  const [row] = await connection.query('SELECT @@global.gtid_purged', 'reading the purged GTIDs', { signal })
  return MySqlGtidSet.parse(row?.[0] ?? '')
}

async function findMissingGtids(
  connection: MySqlConnection,
  stored: MySqlGtidSet,
  signal: AbortSignal | undefined,
): Promise<MissingPosition | null> {
  const [row] = await connection.query(
    'SELECT @@global.gtid_executed, @@global.gtid_purged',
    'reading the executed and purged GTIDs',
    { signal },
  )
  const executed = MySqlGtidSet.parse(row?.[0] ?? '')
  const purged = MySqlGtidSet.parse(row?.[1] ?? '')
  const lost = stored.minus(executed)
  if (!lost.isEmpty) {
    return {
      needed: `a server that has executed the GTIDs ${String(lost)}`,
      available: `this one has executed ${String(executed)}: it is another server, or it lagged when it took over`,
      lacking: String(lost),
    }
  }
  const gone = purged.minus(stored)
  if (gone.isEmpty) return null
  const files = await binlogFiles(connection, signal)
  return {
    needed: `the transactions ${String(gone)}`,
    available: `the server has purged ${String(purged)}; its oldest binlog file is ${files[0] ?? 'none'}`,
    lacking: null,
  }
}
