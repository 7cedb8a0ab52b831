import type { MySqlConnection } from '@tributary/mysql'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { Flavor, MissingPosition, ServerInfo } from './flavor.ts'

/** A server, and a connection to it. */
export interface InspectedServer {
  readonly flavor: Flavor
  readonly info: ServerInfo
  readonly connection: MySqlConnection
  /** Seconds since 1970; null when the server has no such file. */
  readonly readFileCreated: (file: string, signal: AbortSignal) => Promise<number | null>
}

/**
 * Returns why the stream cannot continue from a stored position, or null when it can: the server's binlog has everything
 * after the position, and is the binlog that was read.
 *
 * After RESET BINARY LOGS AND GTIDS, and on a server that was rebuilt at the same address, the names of files and the
 * numbers of GTIDs start again, and soon include those of the stored position. So for the same server, this proves that
 * its history is the same one: by the creation time of the position's file; once the file is purged, by the purged
 * GTIDs, which are then exactly those before the position. Another server (a replica that took over) can only be
 * compared by GTIDs.
 */
export async function findMissing(
  { flavor, info, connection, readFileCreated }: InspectedServer,
  stored: StreamPosition,
  signal: AbortSignal,
): Promise<MissingPosition | null> {
  const { createdSeconds } = stored.restart.file
  if (createdSeconds === null || stored.serverIdentity !== info.identity)
    return flavor.findMissing(connection, stored, info, signal)
  const created = await readFileCreated(stored.file, signal)
  if (created !== null && created !== createdSeconds) return recreated(stored.file, createdSeconds, created)
  const missing = await flavor.findMissing(connection, stored, info, signal)
  // A server cannot lag behind itself.
  if (missing !== null) return missing.lacking === null ? missing : { ...missing, lacking: null, isOtherHistory: true }
  if (created !== null || stored.gtids === null || (await flavor.hasPurgedUpTo(connection, stored, signal))) return null
  return {
    needed: `the binlog file ${stored.file}, or a server that has purged exactly the GTIDs ${stored.gtids}`,
    available: 'the server has no such file, and has purged other GTIDs',
    lacking: null,
    isOtherHistory: true,
  }
}

function recreated(file: string, before: number, now: number): MissingPosition {
  return {
    needed: `the binlog file ${file} that was created at ${before} (UNIX_TIMESTAMP)`,
    available: `the server created its file of that name at ${now}`,
    lacking: null,
    isOtherHistory: true,
  }
}
