import { TableId } from '@tributary/connector-kit'
import type { MySqlConnectionOptions } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
import type { ConnectorConfig } from './config/connector-config.ts'
import { filterOfLists, listsWithout } from './config/captured-lists.ts'
import type { TableFilter } from './config/table-filter.ts'
import type { SnapshotCollection } from './offset/incremental-progress.ts'
import type { StreamPosition } from './offset/stream-position.ts'
import { plainNames } from './pre-flight/list-entries.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { openSession } from './snapshot/snapshot-session.ts'
import { findTables, type FoundTables } from './snapshot/snapshot-structure.ts'

/** Tables that the lists select since the last start. */
export interface AddedTables {
  readonly collections: readonly SnapshotCollection[]
  /** Those whose definitions the schema history does not have. */
  readonly undefinedNames: readonly string[]
  /** For the next offset; null: not known. */
  readonly capturedLists: string | null
}

type OldFilter = Pick<TableFilter, 'includesDatabase' | 'includesTable'>

/**
 * What was captured before a start, if tables may have been added since; null: none are to be copied. With a mode that
 * reads no rows, or no changes, none are.
 */
export function earlierFilter(
  config: ConnectorConfig,
  stored: StreamPosition | null,
  logger: Logger,
): OldFilter | null {
  const { snapshotMode, newTables, capturedLists } = config
  if (stored === null || stored.isSnapshotUnfinished || newTables === 'off') return null
  if (snapshotMode.atFirst !== 'rows' || !snapshotMode.streams) return null
  const { capturedLists: before } = stored
  if (before === capturedLists) return null
  const filter = before === null ? null : filterOfLists(before)
  if (filter === null) logger.info(UNKNOWN_LISTS)
  return filter
}

const UNKNOWN_LISTS =
  'The stored offset does not have the include and exclude lists that it was written under (Debezium, an earlier release, or lists of more than 32768 characters): tables that were added to them since are not copied. A signal copies them'

export interface AddedTablesOptions {
  readonly config: ConnectorConfig
  readonly before: OldFilter
  readonly connection: MySqlConnectionOptions
  readonly interpreter: Pick<DdlInterpreter, 'tables'>
  readonly logger: Logger
}

/**
 * Finds the tables of the server that are captured now and were not before. Also one that the history does not have at the
 * offset: it need not have been created after it, since what the history records depends on settings and lists that may
 * have been others, and tables come from other databases by a rename. If it was, its rows are copied in addition.
 *
 * Names that the server does not show to the user are not copied, and stay noted for the next start.
 */
export async function findAddedTables(options: AddedTablesOptions, signal: AbortSignal): Promise<AddedTables> {
  const { config, before, connection: connectionOptions, interpreter, logger } = options
  await using connection = await openSession(connectionOptions, signal)
  const found = await findTables(connection, config, signal)
  const added = found.captured.filter((id) => config.filter.includesRows(id) && !before.includesTable(id))
  const copied = withoutOverridden(added, config, logger)
  if (copied.length > 0) {
    logger.info(`Added to the captured tables, and copied while the stream continues: ${copied.map(String).join(', ')}`)
  }
  const hidden = hiddenNames(found, options)
  if (hidden.length > 0) {
    logger.warn(
      `Added to the captured tables, but the server does not show them to the user '${config.user}', so their rows are not copied: ${hidden.join(', ')}. Once they exist and the user has the privilege SELECT on them, the next start of the task copies them`,
    )
  }
  return {
    collections: copied.map(collectionOf),
    undefinedNames: copied.filter((id) => interpreter.tables.get(id) === undefined).map(String),
    capturedLists: config.capturedLists === null ? null : listsWithout(config.capturedLists, hidden),
  }
}

/** Databases and tables that are selected now and were not before, and that cannot be listed. */
function hiddenNames(
  { databases, captured, denied }: FoundTables,
  { config: { filter, properties }, before }: AddedTablesOptions,
): readonly string[] {
  const shown = new Set([...databases, ...denied, ...captured.map(String)].map((name) => name.toLowerCase()))
  const names = plainNames(properties)
    .filter(({ database, table }) => {
      if (table === null) return filter.includesDatabase(database) && !before.includesDatabase(database)
      const id = TableId.of(database, table)
      return filter.includesTable(id) && filter.includesRows(id) && !before.includesTable(id)
    })
    .map(({ database, table }) => (table === null ? database : `${database}.${table}`))
  return [...denied, ...names.filter((name) => !shown.has(name.toLowerCase()))]
}

/** A statement of the user may hide rows, and is not used beside the stream. */
export function withoutOverridden(
  tables: readonly TableId[],
  { snapshotOverrides }: Pick<ConnectorConfig, 'snapshotOverrides'>,
  logger: Logger,
): readonly TableId[] {
  const overridden = new Set([...snapshotOverrides.keys()].map((name) => name.toLowerCase()))
  const isOverridden = (id: TableId): boolean => overridden.has(id.toString().toLowerCase())
  const left = tables.filter(isOverridden)
  if (left.length > 0) {
    logger.error(
      `The rows of the added tables ${left.map(String).join(', ')} are not copied: snapshot.select.statement.overrides has a statement for them, which is for snapshots only. A signal with additional-conditions copies them`,
    )
  }
  return tables.filter((id) => !isOverridden(id))
}

export function collectionOf(id: TableId): SnapshotCollection {
  return { id, condition: null, surrogateKey: null, correlationId: null }
}
