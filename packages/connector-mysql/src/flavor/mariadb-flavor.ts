import { MariaDbGtidSet, type DumpStart, type MySqlConnection } from '@tributary/mysql'
import type { StreamPosition } from '../offset/stream-position.ts'
import { connectorErrors } from '../errors.ts'
import { FIRST_POSITION, binlogFiles, findMissingFile, firstBinlogFile } from './binlog-files.ts'
import { type ExecutedGtids, MariaDbExecutedGtids } from '../offset/executed-gtids.ts'
import type { Flavor, MissingPosition, ServerInfo, ServerPosition, ServerStatements } from './flavor.ts'
import { areCountersAtOrBefore, isFilePositionAtOrBefore } from './position-order.ts'
import { lowerCaseTableNames, readVariables, versionNumber } from './server-variables.ts'

const VARIABLES = [
  'version',
  'server_id',
  'lower_case_table_names',
  'system_time_zone',
  'character_set_server',
  'collation_server',
  'wsrep_on',
  'wsrep_node_name',
]

const STATEMENTS: ServerStatements = {
  position: 'SHOW MASTER STATUS',
  replicas: 'SHOW SLAVE HOSTS',
  replicaStatus: 'SHOW ALL SLAVES STATUS',
}

export const mariadbFlavor: Flavor = {
  name: 'mariadb',

  async readServerInfo(connection: MySqlConnection, signal?: AbortSignal): Promise<ServerInfo> {
    const variables = await readVariables(connection, VARIABLES, signal)
    const version = variables.get('version') ?? ''
    return {
      version,
      versionNumber: versionNumber(version),
      serverUuid: null,
      // Unique among servers that replicate each other. The server_uid of newer releases is a hash of MAC address and
      // port, which changes with the container.
      identity: identityOf(variables),
      lowerCaseTableNames: lowerCaseTableNames(variables),
      systemTimeZone: variables.get('system_time_zone') ?? '',
      charset: variables.get('character_set_server') ?? 'utf8mb4',
      collation: variables.get('collation_server') ?? 'utf8mb4_general_ci',
      // Every MariaDB since 10.0 writes GTIDs.
      hasGtids: true,
    }
  },

  // The name since 10.5; the server still accepts the old one.
  positionPrivilege: 'BINLOG MONITOR',

  statements(): ServerStatements {
    return STATEMENTS
  },

  async readPosition(connection: MySqlConnection, _info: ServerInfo, signal?: AbortSignal): Promise<ServerPosition> {
    const { position: statement } = STATEMENTS
    const row = await connection.queryRow(statement, 'reading the binlog position', { signal })
    const file = row?.['File'] ?? null
    if (row === null || file === null)
      throw connectorErrors.BINLOG_POSITION_UNKNOWN({ address: connection.address, statement })
    const [gtids] = await connection.query('SELECT @@global.gtid_binlog_pos', 'reading the GTID position', { signal })
    return { file, position: Number(row['Position']), gtids: MariaDbGtidSet.parse(gtids?.[0] ?? '') }
  },

  async readFirstPosition(
    connection: MySqlConnection,
    _info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<ServerPosition> {
    const file = await firstBinlogFile(connection, signal)
    return { file, position: FIRST_POSITION, gtids: await gtidsBefore(connection, file, signal) }
  },

  identityVariables: ['server_id', 'wsrep_on', 'wsrep_node_name'],

  identityOf,

  async readGtidsBefore(connection: MySqlConnection, file: string, signal?: AbortSignal): Promise<string> {
    return String(await gtidsBefore(connection, file, signal))
  },

  isGtidSubset(gtids: string, of: string): boolean {
    return MariaDbGtidSet.parse(gtids).isSubsetOf(MariaDbGtidSet.parse(of))
  },

  parseGtids(text: string): ExecutedGtids {
    return new MariaDbExecutedGtids(MariaDbGtidSet.parse(text))
  },

  dumpStart(position: StreamPosition): DumpStart {
    // The dump of an empty GTID position contains everything that the server has: right only when nothing was executed.
    if (position.gtids !== null) return { tag: 'mariadbGtids', position: MariaDbGtidSet.parse(position.gtids) }
    return { tag: 'position', file: position.file, position: position.position }
  },

  async findMissing(
    connection: MySqlConnection,
    position: StreamPosition,
    _info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<MissingPosition | null> {
    if (position.gtids === null) return findMissingFile(connection, position, signal)
    const stored = MariaDbGtidSet.parse(position.gtids)
    const lacking = await findLacking(connection, stored, signal)
    if (lacking !== null) return lacking
    const files = await binlogFiles(connection, signal)
    if (files.includes(position.file)) return null
    return findMissingGtids(connection, stored, files[0], signal)
  },

  async hasPurgedUpTo(connection: MySqlConnection, { gtids }: StreamPosition, signal?: AbortSignal): Promise<boolean> {
    const [oldest] = await binlogFiles(connection, signal)
    const purged = oldest === undefined ? MariaDbGtidSet.parse('') : await gtidsBefore(connection, oldest, signal)
    return MariaDbGtidSet.parse(gtids ?? '').isSubsetOf(purged)
  },

  isAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
    if (recorded.gtids === null || desired.gtids === null) {
      if (desired.gtids !== null) return true
      return recorded.gtids === null && isFilePositionAtOrBefore(recorded, desired)
    }
    const [a, b] = [MariaDbGtidSet.parse(recorded.gtids), MariaDbGtidSet.parse(desired.gtids)]
    return a.equals(b) ? areCountersAtOrBefore(recorded, desired) : a.isSubsetOf(b)
  },
}

/** The nodes of a Galera cluster usually have one server_id, and different binlogs. */
function identityOf(variables: ReadonlyMap<string, string>): string {
  const server = `server_id ${variables.get('server_id') ?? '?'}`
  return variables.get('wsrep_on') === 'ON' ? `${server}, node ${variables.get('wsrep_node_name') ?? '?'}` : server
}

/**
 * Checks that the server has logged the stored GTIDs. A server without any domain of the position was rebuilt, or is
 * another one; it would send its whole binlog without an error. Single domains may be missing, because operators can
 * remove them (FLUSH BINARY LOGS DELETE_DOMAIN_ID).
 */
async function findLacking(
  connection: MySqlConnection,
  stored: MariaDbGtidSet,
  signal: AbortSignal | undefined,
): Promise<MissingPosition | null> {
  const [row] = await connection.query('SELECT @@global.gtid_binlog_pos', 'reading the GTID position', { signal })
  const logged = MariaDbGtidSet.parse(row?.[0] ?? '')
  const shared = stored.domains.filter((domain) => logged.last(domain) !== null)
  const isLagging = shared.some(
    (domain) => (logged.last(domain)?.sequence ?? 0n) < (stored.last(domain)?.sequence ?? 0n),
  )
  if (stored.isEmpty || (shared.length > 0 && !isLagging)) return null
  const available = logged.isEmpty ? 'this one has logged none' : `this one has logged GTID ${String(logged)}`
  // The whole stored set, which does not change: the logged position may advance by the server's own writes.
  const lacking = String(stored)
  return {
    needed: `a server that has logged GTID ${lacking}`,
    available: `${available}: it is another server, it was rebuilt, or it lagged when it took over`,
    lacking,
  }
}

/**
 * Checks the GTIDs when the server does not have the file of the position. MariaDB has no variable for purged GTIDs;
 * the GTID list at the start of its oldest file contains them.
 */
async function findMissingGtids(
  connection: MySqlConnection,
  stored: MariaDbGtidSet,
  oldest: string | undefined,
  signal: AbortSignal | undefined,
): Promise<MissingPosition | null> {
  if (oldest === undefined)
    return { needed: `the transactions after ${String(stored)}`, available: 'the server has no binlog', lacking: null }
  const before = await gtidsBefore(connection, oldest, signal)
  if (before.isSubsetOf(stored)) return null
  return {
    needed: `the transactions after GTID ${String(stored)}`,
    available: `the oldest file of the server, ${oldest}, starts after GTID ${String(before)}`,
    lacking: null,
  }
}

/** The GTID position at the start of a file. */
async function gtidsBefore(
  connection: MySqlConnection,
  file: string,
  signal: AbortSignal | undefined,
): Promise<MariaDbGtidSet> {
  const [row] = await connection.query(
    `SELECT BINLOG_GTID_POS('${file}', 4)`,
    'reading the GTID position at the start of a binlog file',
    { signal },
  )
  return MariaDbGtidSet.parse(row?.[0] ?? '')
}
