import type { DumpStart, MySqlConnection } from '@tributary/mysql'
import type { ExecutedGtids, Printable } from '../offset/executed-gtids.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/** The current end of the server's binlog. */
export interface ServerPosition {
  readonly file: string
  readonly position: number
  /** Null when the server has no GTIDs. */
  readonly gtids: Printable | null
}

/** Facts of a server that the connector's statements, decoders and checks depend on. */
export interface ServerInfo {
  /** As `SELECT version()` returns it. */
  readonly version: string
  /** Major × 10000 + minor × 100 + patch. */
  readonly versionNumber: number
  readonly serverUuid: string | null
  /** Distinguishes this server from its replicas and its predecessors. */
  readonly identity: string
  readonly lowerCaseTableNames: 0 | 1 | 2
  /** Of the machine, as the server abbreviates it: `UTC`, `CEST`. */
  readonly systemTimeZone: string
  readonly charset: string
  readonly collation: string
  readonly hasGtids: boolean
}

/** Why the stream cannot continue from a stored position. */
export interface MissingPosition {
  /** What the stored position needs, as in “binlog.000003” or “GTIDs 1-5”. */
  readonly needed: string
  /** What the server has, as in “its oldest file is binlog.000007”. */
  readonly available: string
  /**
   * The transactions that a lagging server has not executed yet: a replica, or one that took over without them. The
   * text changes while the server catches up. Null when waiting does not help.
   */
  readonly lacking: string | null
  /** True when it is the same server, and its binlog is another one than the one that was read. */
  readonly isOtherHistory?: true
}

/** Statements that servers and versions spell differently. */
export interface ServerStatements {
  /** Returns the end of the binlog. */
  readonly position: string
  /** Lists the connected replicas. */
  readonly replicas: string
  /** Returns what the server itself replicates. */
  readonly replicaStatus: string
}

/** The differences between MySQL and MariaDB that concern a connector. */
export interface Flavor {
  readonly name: 'mysql' | 'mariadb'
  readServerInfo(connection: MySqlConnection, signal?: AbortSignal): Promise<ServerInfo>
  /** Variables from which `identityOf` reads. */
  readonly identityVariables: readonly string[]
  /** `ServerInfo.identity`. `variables`: by name, in lower case. */
  identityOf(variables: ReadonlyMap<string, string>): string
  statements(info: ServerInfo): ServerStatements
  /** The privilege for `readPosition`, as the server names it. */
  readonly positionPrivilege: string
  readPosition(connection: MySqlConnection, info: ServerInfo, signal?: AbortSignal): Promise<ServerPosition>
  /** The beginning of the oldest binlog file, with the GTIDs that precede it. */
  readFirstPosition(connection: MySqlConnection, info: ServerInfo, signal?: AbortSignal): Promise<ServerPosition>
  parseGtids(text: string): ExecutedGtids
  /** The start of a dump whose first event is the restart point of the position. */
  dumpStart(position: StreamPosition, info: ServerInfo): DumpStart
  /** Checks that the server's binlog has everything after the position. Returns null when it does. */
  findMissing(
    connection: MySqlConnection,
    position: StreamPosition,
    info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<MissingPosition | null>
  /** Whether the server has purged all GTIDs before the position. */
  hasPurgedUpTo(connection: MySqlConnection, position: StreamPosition, signal?: AbortSignal): Promise<boolean>
  /** The GTIDs before the first transaction of a binlog file, as text; null when the file does not state them. */
  readGtidsBefore(connection: MySqlConnection, file: string, signal?: AbortSignal): Promise<string | null>
  /** Whether the second set contains the whole first one. */
  isGtidSubset(gtids: string, of: string): boolean
  /**
   * True when the `recorded` position is not after the `desired` one. Both are of this server or of its predecessor.
   */
  isAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean
}
