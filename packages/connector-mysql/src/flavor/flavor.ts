import type { DumpStart, MySqlConnection } from '@tributary/mysql'
import type { ExecutedGtids, Printable } from '../offset/executed-gtids.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/** Where the server's binlog ends now. */
export interface ServerPosition {
  readonly file: string
  readonly position: number
  /** Null: the server has no GTIDs. */
  readonly gtids: Printable | null
}

/** What about a server decides how it is spoken to. */
export interface ServerInfo {
  /** As the server says it. */
  readonly version: string
  /** Major × 10000 + minor × 100 + patch. */
  readonly versionNumber: number
  readonly serverUuid: string | null
  /** Tells this server from its replicas and its predecessors. */
  readonly identity: string
  readonly lowerCaseTableNames: 0 | 1 | 2
  readonly charset: string
  readonly collation: string
  readonly hasGtids: boolean
}

/** Why a stored position cannot be gone on from. */
export interface MissingPosition {
  /** What the stored position needs, as in “binlog.000003” or “GTIDs 1-5”. */
  readonly needed: string
  /** What the server has, as in “its oldest file is binlog.000007”. */
  readonly available: string
  /**
   * Not null: it has not got so far, which may mend itself (a replica that lags, or that took over without the rest). What it has
   * still to get: another text as long as it gets on.
   */
  readonly lacking: string | null
}

/** Statements that servers and versions spell differently. */
export interface ServerStatements {
  /** Where the binlog ends. */
  readonly position: string
  /** The replicas that are connected. */
  readonly replicas: string
  /** What the server itself replicates. */
  readonly replicaStatus: string
}

/** Everything in which MySQL and MariaDB differ for a connector. */
export interface Flavor {
  readonly name: 'mysql' | 'mariadb'
  /** Reads what `ServerInfo` holds. */
  readServerInfo(connection: MySqlConnection, signal?: AbortSignal): Promise<ServerInfo>
  statements(info: ServerInfo): ServerStatements
  /** The privilege that the statement for the position needs, as the server's own texts name it. */
  readonly positionPrivilege: string
  readPosition(connection: MySqlConnection, info: ServerInfo, signal?: AbortSignal): Promise<ServerPosition>
  parseGtids(text: string): ExecutedGtids
  /** Where to begin a dump so that the first event is the restart point of the position. */
  dumpStart(position: StreamPosition, info: ServerInfo): DumpStart
  /** Is what comes after the position still in the server's binlog? Null: yes. */
  findMissing(
    connection: MySqlConnection,
    position: StreamPosition,
    info: ServerInfo,
    signal?: AbortSignal,
  ): Promise<MissingPosition | null>
  /** Was a change of the schema made at or before a position? Both are of this server or of its predecessor. */
  isAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean
}
