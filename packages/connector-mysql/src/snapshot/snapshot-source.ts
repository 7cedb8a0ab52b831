import type { PollResult, SourcePartition } from '@tributary/connect-api'
import type {
  ChangeEventSource,
  DataChangeRecords,
  RecordFormat,
  SchemaChangeRecords,
  SchemaHistory,
  TableId,
} from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import {
  BackOff,
  CodedError,
  isRetriable,
  sideBySide,
  StoppedError,
  toError,
  type Clock,
  type Logger,
} from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { LockWaitError, SnapshotLock } from './snapshot-lock.ts'
import { beginReading, openSession } from './snapshot-session.ts'
import { findTables, readStructure, type FoundTables } from './snapshot-structure.ts'
import { StructureHistory } from './structure-history.ts'
import { TableRows } from './table-rows.ts'

export interface SnapshotSourceOptions {
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: MySqlConnectionOptions
  /** False: the structure only. */
  readonly readsRows: boolean
  readonly interpreter: DdlInterpreter
  readonly compiler: TableCompiler
  readonly history: SchemaHistory
  readonly format: RecordFormat<SourceInfo>
  readonly records: DataChangeRecords
  /** Null: `include.schema.changes` is off. */
  readonly schemaChanges: SchemaChangeRecords | null
  readonly partition: SourcePartition
  readonly clock: Clock
  readonly logger: Logger
}

/** What steps 1 to 6 lead to: transactions that see the tables as they were at the position. */
interface OpenSnapshot {
  readonly connections: readonly MySqlConnection[]
  readonly structure: StructureHistory
  readonly offset: StreamPosition
  readonly rows: TableRows
  /** The lock of the mode `extended`, which is held to the end. */
  readonly lock: { readonly held: SnapshotLock; readonly connection: MySqlConnection } | null
}

/**
 * The initial snapshot, in the seven steps of SPEC.md. The read lock is held from step 3 until after step 6; the rows are read in
 * transactions that were all begun under it, so they are as of the position of step 4, whichever connection reads them.
 *
 * A snapshot of which a connection is lost begins again at step 1, after a pause: rows are then given again, none is left out.
 */
export class SnapshotSource implements ChangeEventSource {
  readonly #options: SnapshotSourceOptions
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  readonly #lockBackOff = new BackOff({ initialMs: 10_000, maxMs: 300_000 })
  #open: OpenSnapshot | null = null
  #finished: StreamPosition | null = null
  /** The history's topic was looked at, and created if there was none. */
  #hasHistory = false

  constructor(options: SnapshotSourceOptions) {
    this.#options = options
  }

  /** Where the stream starts; null until the snapshot is over. */
  get end(): StreamPosition | null {
    return this.#finished
  }

  async poll(signal: AbortSignal): Promise<PollResult | null> {
    if (this.#finished !== null) return null
    try {
      return await this.#step(signal)
    } catch (thrown) {
      const error = tableChange(this.#lockWait(toError(thrown)))
      await this.close()
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const isLock = error instanceof CodedError && error.code === 'SNAPSHOT_LOCK_WAIT'
      const pause = (isLock ? this.#lockBackOff : this.#backOff).next()
      this.#options.logger.warn(`The snapshot begins again in ${pause} ms`, { error })
      await this.#options.clock.sleep(pause, signal)
      return { records: [], progress: null }
    }
  }

  /** A lock that is waited for holds up the writes of others: it is not tried for ever, and with growing pauses. */
  #lockWait(error: Error): Error {
    if (!(error instanceof LockWaitError)) return error
    const tries = this.#lockBackOff.failures + 1
    if (tries < LOCK_TRIES_MAX) {
      return connectorErrors.SNAPSHOT_LOCK_WAIT({ ...error.wait, tries, triesMax: LOCK_TRIES_MAX }, error)
    }
    return connectorErrors.SNAPSHOT_LOCK_GIVEN_UP({ tries, reason: error.message }, error)
  }

  async #step(signal: AbortSignal): Promise<PollResult> {
    this.#open ??= await this.#begin(signal)
    const open = this.#open
    const told = open.structure.nextRecords(open.offset)
    if (told !== null && told.length > TOLD_WITH_ROWS_MAX) return { records: told, progress: null, hasMore: true }
    // In one poll with the first rows: the topics of both are then opened together.
    const rows = await open.rows.read(signal)
    if (told === null) return rows === null ? this.#finish(open) : { records: rows, progress: null, hasMore: true }
    return { records: [...told, ...(rows ?? [])], progress: null, hasMore: true }
  }

  /** Steps 1 to 6. */
  async #begin(signal: AbortSignal): Promise<OpenSnapshot> {
    const { logger, config } = this.#options
    logger.info('Snapshot step 1 - Preparing')
    const opened: MySqlConnection[] = []
    const closeAll = (): void => {
      for (const each of opened) void each.close()
    }
    // Statements do not take the signal: they end with their connections.
    signal.addEventListener('abort', closeAll, { once: true })
    try {
      const [[readers, lockConnection]] = await sideBySide(
        [
          (limit) => this.#openConnections(opened, limit),
          // Under the lock nothing may wait for a broker that is away.
          (limit) => this.#prepareHistory(limit),
        ],
        signal,
      )
      logger.info('Snapshot step 2 - Determining captured tables')
      const found = await findTables(readers[0], config.filter)
      tellTables(found, logger)
      return await this.#underLock({ readers, lockConnection, found, signal })
    } catch (error) {
      closeAll()
      throw signal.aborted ? new StoppedError() : error
    } finally {
      signal.removeEventListener('abort', closeAll)
    }
  }

  async #prepareHistory(signal: AbortSignal): Promise<void> {
    const { history } = this.#options
    if (!this.#hasHistory) await history.initialize(signal)
    this.#hasHistory = true
    await history.prepare(signal)
  }

  /** Before the lock is asked for: under it a login would keep writes waiting. */
  #openConnections(
    opened: MySqlConnection[],
    signal: AbortSignal,
  ): Promise<[readers: Readers, lock: MySqlConnection | null]> {
    const open = [
      (limit: AbortSignal) => this.#openReaders(opened, limit),
      (limit: AbortSignal) => this.#openLock(opened, limit),
    ] as const
    return sideBySide(open, signal)
  }

  async #openReaders(opened: MySqlConnection[], signal: AbortSignal): Promise<Readers> {
    const { connection, config, readsRows } = this.#options
    const count = readsRows ? Math.min(config.snapshotThreads, CONNECTIONS_MAX) : 1
    const open = async (): Promise<MySqlConnection> => {
      const session = await openSession(connection, signal)
      opened.push(session)
      return session
    }
    const readers: [MySqlConnection, ...MySqlConnection[]] = [await open()]
    while (readers.length < count) readers.push(await open())
    return readers
  }

  async #openLock(opened: MySqlConnection[], signal: AbortSignal): Promise<MySqlConnection | null> {
    if (this.#options.config.snapshotLocking === 'none') return null
    const connection = await MySqlConnection.open(this.#options.connection, signal)
    opened.push(connection)
    return connection
  }

  async #underLock(parts: UnderLock): Promise<OpenSnapshot> {
    const { clock, logger, config, serverInfo, readsRows } = this.#options
    const { readers, lockConnection, signal } = parts
    const [first] = readers
    logger.info(`Snapshot step 3 - Locking captured tables [${listOf(parts.found.captured)}]`)
    const lock =
      lockConnection === null
        ? null
        : await SnapshotLock.take(lockConnection, parts.found.captured, config, { clock, logger })
    const found = lock === null ? parts.found : await this.#listAgain(first, parts.found, lock)
    logger.info('Snapshot step 4 - Determining snapshot offset')
    const offset = this.#offset(await this.#beginTransactions(readers, lock !== null))
    logger.info('Read binlog position of the server', { ...offset.toDocument() })
    logger.info('Snapshot step 5 - Reading structure of captured tables')
    const statements = await readStructure(first, found, serverInfo)
    logger.info('Snapshot step 6 - Persisting schema history')
    const structure = new StructureHistory({ ...this.#options, batchRowsMax: config.batchRowsMax })
    await structure.persist(statements, offset, signal)
    const isKept = config.snapshotLocking === 'extended' && lock !== null && lockConnection !== null
    if (!isKept) {
      await lock?.release()
      await lockConnection?.close()
    }
    logger.info(readsRows ? 'Snapshot step 7 - Snapshotting data' : 'Snapshot step 7 - Skipping snapshotting of data')
    const rows = this.#tableRows(readers, readsRows ? found.captured : [], offset)
    const kept = isKept ? { held: lock, connection: lockConnection } : null
    return { connections: readers, structure, offset, rows, lock: kept }
  }

  /** Tables come and go while a lock is waited for: what counts is what is there under it. */
  async #listAgain(connection: MySqlConnection, listed: FoundTables, lock: SnapshotLock): Promise<FoundTables> {
    const found = await findTables(connection, this.#options.config.filter)
    if (!lock.isGlobal && found.captured.map(String).join() !== listed.captured.map(String).join()) {
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
        reason: 'tables were created or dropped while others were locked',
      })
    }
    return found
  }

  /**
   * Under a lock the order does not matter, and all see the same. Without one the position comes first: changes between it and a
   * transaction are then streamed again; the other way round they would be lost.
   */
  async #beginTransactions(readers: Readers, isLocked: boolean): Promise<ServerPosition> {
    const { flavor, serverInfo, logger } = this.#options
    const begin = async (): Promise<unknown> => Promise.all(readers.map((each) => beginReading(each)))
    if (isLocked) await begin()
    const position = await flavor.readPosition(readers[0], serverInfo)
    if (!isLocked) await begin()
    if (!isLocked && readers.length > 1) logger.warn(SEVERAL_MOMENTS)
    return position
  }

  #offset({ file, position, gtids }: ServerPosition): StreamPosition {
    const { format, serverInfo, flavor, clock } = this.#options
    const executed = gtids === null ? '' : gtids.toString()
    return StreamPosition.at(
      { file, position, gtids: executed === '' ? null : flavor.parseGtids(executed) },
      {
        timestampSeconds: Math.floor(clock.now() / 1000),
        serverId: 0,
        isSnapshotUnfinished: true,
        recordFormat: format.name,
        serverIdentity: serverInfo.identity,
      },
    )
  }

  #tableRows(connections: Readers, captured: readonly TableId[], offset: StreamPosition): TableRows {
    const { config, format, records, interpreter, compiler, clock, logger } = this.#options
    const tables = captured.map((id) => interpreter.tables.get(id)).filter((table) => table !== undefined)
    return new TableRows({
      connections,
      tables,
      compiler,
      offset,
      format,
      records,
      batchRowsMax: config.batchRowsMax,
      clock,
      logger,
    })
  }

  async #finish({ offset, rows, lock }: OpenSnapshot): Promise<PollResult> {
    const { logger, partition } = this.#options
    await lock?.held.release()
    this.#finished = offset.afterSnapshot()
    logger.info('Snapshot completed', { rows: rows.total })
    const progress = { partition, offset: this.#finished, isMilestone: true }
    logger.info(
      `Snapshot ended with SnapshotResult [status=COMPLETED, offset=${JSON.stringify(progress.offset.toDocument())}]`,
    )
    return { records: [], progress }
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = null
    for (const each of open?.connections ?? []) await each.close()
    await open?.lock?.connection.close()
  }
}

/** At least one. */
type Readers = readonly [MySqlConnection, ...MySqlConnection[]]

interface UnderLock {
  readonly readers: Readers
  /** Null: nothing is locked. */
  readonly lockConnection: MySqlConnection | null
  readonly found: FoundTables
  readonly signal: AbortSignal
}

/** So many more records do not make a poll large. */
const TOLD_WITH_ROWS_MAX = 64

/** Far more than one thread that converts can keep busy; each holds up to 1 MiB of rows. */
const CONNECTIONS_MAX = 32

const SEVERAL_MOMENTS =
  'Without a lock each connection sees the tables as of a moment of its own, shortly after the position of the snapshot: changes in between are told as rows and again as changes. Set snapshot.max.threads=1, or another snapshot.locking.mode, to see all tables as of one moment'

/** With pauses that grow to five minutes, a good half hour: longer than most backups and reports hold up a lock. */
const LOCK_TRIES_MAX = 12

/** A definition that was changed since the transaction began (1412), a table that is gone (1146): a new beginning mends both. */
const ERRNOS_OF_CHANGE: ReadonlySet<unknown> = new Set([1412, 1146])

function tableChange(error: Error): Error {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ('errno' in each && ERRNOS_OF_CHANGE.has(each.errno)) {
      return connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason: each.message }, error)
    }
  }
  return error
}

function tellTables(found: FoundTables, logger: Logger): void {
  if (found.denied.length > 0) {
    logger.warn(`Left out, since the user may not list their tables: ${found.denied.join(', ')}`)
  }
  if (found.captured.length === 0) logger.warn(NOTHING_CAPTURED)
  else logger.info(`Captured tables: ${listOf(found.captured)}`)
}

const NOTHING_CAPTURED =
  'The include and exclude lists let no table through that the user may see. Compare database.include.list and table.include.list with SHOW DATABASES and SHOW TABLES, run as that user; a table that is created later is captured when it matches'

/** The names for a line of the log. */
function listOf(tables: readonly TableId[]): string {
  const names = tables.slice(0, LISTED_TABLES_MAX).map(String).join(', ')
  return tables.length > LISTED_TABLES_MAX ? `${names} and ${tables.length - LISTED_TABLES_MAX} more` : names
}

/** More of them nobody reads. */
const LISTED_TABLES_MAX = 100
