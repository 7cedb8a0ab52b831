import type { TableId } from '@tributary/connector-kit'
import { connectorErrors } from '../errors.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import { findMissing } from '../flavor/find-missing.ts'
import type { MissingPosition, ServerPosition } from '../flavor/flavor.ts'
import type { RecoverySourceOptions } from './recovery-options.ts'
import { openSession } from './snapshot-session.ts'
import { changeTimes, findTables, readStructure, readTables, type StructureStatement } from './snapshot-structure.ts'

/** The structure of the tables as it is now. */
export interface CurrentStructure {
  readonly statements: readonly StructureStatement[]
  /** When each table was altered last, logged or not, in seconds since 1970; absent: the server does not report it. */
  readonly changedAt: ReadonlyMap<TableId, number>
  /** The position of the server after that. */
  readonly position: ServerPosition
}

/**
 * Reads the current structure of all tables, or only the definitions of those that `isWanted` names.
 *
 * @throws SERVER_BEHIND, BINLOG_RESET, POSITION_PURGED when the server does not have what follows the stored position
 */
export async function readCurrentStructure(
  options: RecoverySourceOptions,
  isWanted: ((id: TableId) => boolean) | null,
  signal: AbortSignal,
): Promise<CurrentStructure> {
  const { connection: connectionOptions, config, serverInfo, flavor, stored, clock, logger } = options
  await using connection = await openSession(connectionOptions, signal)
  const found = await findTables(connection, config, signal)
  const wanted = isWanted === null ? found.all : found.all.filter(isWanted)
  if (wanted.length > 0) logger.info(`Reading the structure of ${wanted.length} tables as they are now`)
  const statements =
    isWanted === null
      ? await readStructure(connection, found, serverInfo, { signal })
      : await readTables(connection, wanted, signal)
  const changedAt = await changeTimes(connection, wanted, signal)
  // Nothing is stored for a server that lags: its structure is older than the offset.
  const createdOf = (file: string, limit: AbortSignal): Promise<number | null> =>
    readFileCreated({ flavor, connection: connectionOptions, clock }, file, limit)
  const server = { flavor, info: serverInfo, connection, readFileCreated: createdOf }
  const missing = await findMissing(server, stored, signal)
  if (missing !== null) throw lacks(options, missing, connection.address)
  return { statements, changedAt, position: await flavor.readPosition(connection, serverInfo, signal) }
}

function lacks({ stored, connectorName }: RecoverySourceOptions, missing: MissingPosition, address: string): Error {
  if (missing.lacking !== null) return connectorErrors.SERVER_BEHIND({ ...missing, address, minutes: LAGGING_MINUTES })
  const position = stored.gtids ?? `${stored.file}:${stored.position}`
  if (missing.isOtherHistory)
    return connectorErrors.BINLOG_RESET({ ...missing, address, position, connector: connectorName })
  return connectorErrors.POSITION_PURGED({ ...missing, address, position, connector: connectorName })
}

/** How long the stream waits for a lagging server, once there is a history. */
const LAGGING_MINUTES = 10
