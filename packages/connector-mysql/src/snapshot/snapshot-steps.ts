import type { RecordFormat, SchemaChangeStage, SchemaHistory, SnapshotNumbers, TableId } from '@tributary/connector-kit'
import { type DumpStart, type MySqlConnection, type MySqlConnectionOptions, MySqlGtidSet } from '@tributary/mysql'
import { present, sideBySide, type Clock, type Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { snapshotScopeOf } from '../config/snapshot-scope.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import type { BinlogFile } from '../offset/binlog-file.ts'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { SnapshotPace } from '../pace/snapshot-pace.ts'
import type { SourceInfo } from '../source/source-info.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { requireAllTables } from './all-tables.ts'
import { SnapshotLock } from './snapshot-lock.ts'
import { warnOfUnusedOverrides } from './snapshot-override.ts'
import { dumpsOf, identityOf, requireServer } from './same-server.ts'
import { type Readers, SnapshotConnections } from './snapshot-connections.ts'
import { beginReading } from './snapshot-session.ts'
import { requireDefinitions } from './snapshot-resume.ts'
import { findTables, readStructure, type FoundTables } from './snapshot-structure.ts'
import { structureEvents, StructureHistory } from './structure-history.ts'
import { StructureAhead } from './structure-ahead.ts'
import { StructureWatch } from './structure-watch.ts'
import { beginExactView } from './exact-view.ts'
import { listOf, logTables } from './captured-log.ts'
import { RowEstimates } from './row-estimates.ts'
import { byRowCount, estimateRows, type TableOrder } from './row-count-order.ts'
import type { NotifySnapshot } from './snapshot-event.ts'
import { TableGuard, type TableGuardOptions } from './table-guard.ts'
import { TableRows } from './table-rows.ts'

export interface SnapshotOptions {
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: MySqlConnectionOptions
  /** An unfinished snapshot that continues; null: it begins. */
  readonly resume: StreamPosition | null
  readonly binlogFrom: TableGuardOptions['binlogFrom']
  /** What of the stored offset stays when a snapshot begins: signals that were handled, and tables that it does not read. */
  readonly carried: IncrementalProgress
  /** Whether the server has lost what follows the position of the snapshot, which is then logged. */
  readonly isLost: (position: StreamPosition, signal: AbortSignal) => Promise<boolean>
  /** False: the snapshot consists of the structure only. */
  readonly readsRows: boolean
  /** False: nothing is locked, because of `snapshot.locking.mode` or for lack of a privilege. */
  readonly locks: boolean
  /**
   * Without a lock: whether the rows of a table are copied beside the stream after the snapshot. Null: there is no stream,
   * and the snapshot reads them all.
   */
  readonly isCopiedBeside: ((table: MySqlTable) => boolean) | null
  /** The position of the stream, beside which these tables are copied. */
  readonly withCopies: (position: StreamPosition, tables: readonly TableId[]) => StreamPosition
  readonly numbers: SnapshotNumbers
  readonly pace: SnapshotPace | null
  readonly notify?: NotifySnapshot | undefined
  readonly interpreter: DdlInterpreter
  readonly compiler: TableCompiler
  readonly history: SchemaHistory
  readonly format: RecordFormat<SourceInfo>
  /** Stores the structure in the history. */
  readonly schemaChanges: SchemaChangeStage
  readonly clock: Clock
  readonly logger: Logger
}

/** The result of steps 1 to 6: transactions that see the tables as they were at the position. */
export interface OpenSnapshot {
  readonly connections: readonly MySqlConnection[]
  /** Null: it was handed over before. */
  readonly structure: StructureHistory | null
  readonly offset: StreamPosition
  readonly rows: TableRows
  /** Tables that are copied beside the stream. */
  readonly beside: readonly TableId[]
  /** For the progress. */
  readonly estimates: AsyncDisposable
  /** Null: nothing can be altered. */
  readonly guard: TableGuard | null
  /** The lock of the mode `extended`, which is held to the end of the snapshot; else null. */
  readonly lock: { readonly held: SnapshotLock; readonly connection: MySqlConnection } | null
}

/**
 * Steps 1 to 6 of a snapshot (docs/reference/record-format-v1.md has all seven). The read lock is held from step 3
 * until after step 6; all transactions that read rows begin under it, so they see the tables as of the position of step
 * 4. Without a lock, the binlog proves that the structure is that of the position, and only rows that cannot be copied
 * beside the stream are read, in a transaction that sees them as of the position.
 */
export class SnapshotSteps {
  #options: SnapshotOptions
  readonly #given: SnapshotOptions
  /** The topic of the history exists: it was checked, or created. */
  #hasHistory = false
  /** Null: the server was not asked. */
  #estimates: ReadonlyMap<TableId, number> | null = null

  constructor(options: SnapshotOptions) {
    this.#options = options
    this.#given = options
  }

  async open(signal: AbortSignal): Promise<OpenSnapshot> {
    const { logger, config } = this.#options
    logger.info('Snapshot step 1 - Preparing')
    const connections = this.#connections(this.#options.isCopiedBeside === null ? this.#threads : 1)
    try {
      const [[readers, lockConnection]] = await sideBySide(
        // Connected now: under the lock nothing may wait for an unreachable broker.
        [(limit) => connections.open(limit), (limit) => this.#prepareHistory(limit)],
        signal,
      )
      await this.#requireOneServer(connections.opened, signal)
      logger.info('Snapshot step 2 - Determining captured tables')
      const found = await findTables(readers[0], config, signal)
      logTables(found, logger)
      // Before the lock: a server with many tables takes seconds to estimate their rows.
      const order = await this.#rowOrder(readers[0], found.captured, signal)
      if (!this.#options.locks) return await this.#withoutLock({ readers, order, signal })
      return await this.#underLock({ readers, lockConnection, found, order, signal })
    } catch (error) {
      await connections.close()
      throw error
    }
  }

  /**
   * Opens a snapshot that continues: its transactions see the tables as they are now. Nothing is locked: the stream
   * begins at the position of the snapshot, and so has all changes that these rows contain.
   *
   * @throws SNAPSHOT_TABLES_CHANGED
   */
  async resume(stored: StreamPosition, signal: AbortSignal): Promise<OpenSnapshot> {
    const { logger, interpreter, flavor, serverInfo } = this.#options
    const progress = present(stored.snapshotProgress, 'a snapshot continues from its progress')
    const connections = this.#connections(this.#threads, false)
    try {
      const [[readers]] = await sideBySide(
        [(limit) => connections.open(limit), (limit) => this.#prepareHistory(limit)],
        signal,
      )
      await this.#requireOneServer(connections.opened, signal)
      // Before the transactions: statements in between are found.
      const guard = this.#guard(await flavor.readPosition(readers[0], serverInfo, signal))
      await this.#beginAll(readers, signal)
      const ids = progress.tables.map(({ id }) => id)
      const tables = ids.map((id) => interpreter.tables.get(id)).filter((table) => table !== undefined)
      if (tables.length < ids.length) {
        throw connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason: 'the schema history does not have all of its tables' })
      }
      await requireDefinitions(readers[0], tables, interpreter, signal)
      logger.info(`The snapshot continues with ${ids.length} tables: ${listOf(ids)}`)
      const rows = this.#tableRows(readers, ids, { offset: stored, guard })
      return {
        connections: readers,
        structure: null,
        offset: stored,
        rows,
        beside: [],
        estimates: this.#estimate(stored),
        guard,
        lock: null,
      }
    } catch (error) {
      await connections.close()
      throw error
    }
  }

  async #rowOrder(
    connection: MySqlConnection,
    captured: readonly TableId[],
    signal: AbortSignal,
  ): Promise<TableOrder | null> {
    const { config, readsRows } = this.#options
    if (!readsRows || config.snapshotOrder === 'disabled') return null
    const counts = await estimateRows(connection, captured, signal)
    this.#estimates = counts
    return byRowCount(counts, config.snapshotOrder)
  }

  /** The tables whose rows are read, in the order of reading. */
  #withRows(captured: readonly TableId[], order: TableOrder | null): readonly TableId[] {
    const { filter } = this.#options.config
    const included = captured.filter((id) => filter.includesRows(id))
    if (included.length < captured.length) {
      this.#options.logger.info(
        `snapshot.include.collection.list: the rows of ${included.length} of ${captured.length} captured tables are read`,
      )
    }
    return order === null ? included : included.toSorted(order)
  }

  async #prepareHistory(signal: AbortSignal): Promise<void> {
    const { history } = this.#options
    if (!this.#hasHistory) await history.initialize(signal)
    this.#hasHistory = true
    await history.prepare(signal)
  }

  /** From here on the snapshot reads the binlog of that server only, which may be another one than before. */
  async #requireOneServer(opened: readonly MySqlConnection[], signal: AbortSignal): Promise<void> {
    const { flavor, serverInfo, binlogFrom } = this.#given
    const [first, ...others] = opened
    const identity = await identityOf(present(first, 'a connection was opened'), flavor, signal)
    for (const each of others) await requireServer(each, { flavor, identity }, signal)
    this.#options = {
      ...this.#given,
      serverInfo: { ...serverInfo, identity },
      binlogFrom: dumpsOf({ flavor, identity }, binlogFrom),
    }
  }

  get #threads(): number {
    const { config, readsRows } = this.#options
    return readsRows ? config.snapshotThreads : 1
  }

  #connections(readers: number, locks = this.#options.locks): SnapshotConnections {
    return new SnapshotConnections({ connection: this.#options.connection, readers, locks })
  }

  async #underLock(parts: UnderLock): Promise<OpenSnapshot> {
    const { clock, logger, config, serverInfo, interpreter, readsRows } = this.#options
    const { readers, lockConnection, signal } = parts
    const [first] = readers
    const file = await this.#currentFile(first, signal)
    await using ahead = await this.#readAhead(parts)
    logger.info(`Snapshot step 3 - Locking captured tables [${listOf(parts.found.captured)}]`)
    const connection = present(lockConnection, 'a connection for the lock was opened')
    const lock = await SnapshotLock.take(connection, parts.found.captured, config, { clock, logger, signal })
    this.#options.numbers.isLocking = true
    const found = await this.#listAgain(parts, lock)
    logger.info('Snapshot step 4 - Determining snapshot offset')
    await this.#beginAll(readers, signal)
    // Under the lock all transactions see the tables as of this position.
    const position = await this.#options.flavor.readPosition(first, serverInfo, signal)
    const offset = this.#offset(position, file)
    logger.info('Read binlog position of the server', { ...offset.toDocument() })
    logger.info('Snapshot step 5 - Reading structure of captured tables')
    const events =
      (await ahead?.eventsAt(position, first, found, signal)) ??
      structureEvents(interpreter, await readStructure(first, found, serverInfo, { signal }))
    logger.info('Snapshot step 6 - Persisting schema history')
    const structure = new StructureHistory({
      ...this.#options,
      readsRows: readsRows && found.captured.length > 0,
      batchRowsMax: config.batchRowsMax,
    })
    await structure.persistEvents(events, offset, signal)
    const isKept = config.snapshotLocking === 'extended'
    if (!isKept) {
      await lock.release(signal)
      this.#options.numbers.isLocking = false
      await connection.close()
    }
    logger.info(readsRows ? 'Snapshot step 7 - Snapshotting data' : 'Snapshot step 7 - Skipping snapshotting of data')
    const kept = isKept ? { held: lock, connection } : null
    const guard = isKept ? null : this.#guard(offset)
    const ids = readsRows ? this.#withRows(found.captured, parts.order) : []
    const rows = this.#tableRows(readers, ids, { offset, guard })
    const estimates = this.#estimate(offset)
    return { connections: readers, structure, offset, rows, beside: [], estimates, guard, lock: kept }
  }

  /** Null for few tables, whose structure is read under the lock in a moment. */
  async #readAhead({ readers: [first], found, signal }: UnderLock): Promise<StructureAhead | null> {
    const { config, flavor, serverInfo, interpreter, logger } = this.#options
    // An extended lock lasts for as long as all rows are read, and nothing compares the tables then.
    if (found.all.length < TABLES_AHEAD_MIN || config.snapshotLocking === 'extended') return null
    const begun = await flavor.readPosition(first, serverInfo, signal)
    logger.info(`Reading the structure of ${found.all.length} tables before the lock`)
    const start = this.#startOf(begun)
    const lockTimeoutMs = config.snapshotLockTimeoutMs
    const ahead = new StructureAhead({ ...this.#guardOptions(begun), start, interpreter, lockTimeoutMs, logger })
    try {
      await ahead.read(first, found, signal)
      if (!ahead.isInDoubt) return ahead
    } catch (error) {
      await ahead[Symbol.asyncDispose]()
      throw error
    }
    await ahead[Symbol.asyncDispose]()
    return null
  }

  async #withoutLock({
    readers,
    order,
    signal,
  }: Pick<UnderLock, 'readers' | 'order' | 'signal'>): Promise<OpenSnapshot> {
    const { config, flavor, serverInfo, interpreter, logger, readsRows } = this.#options
    const [first] = readers
    const file = await this.#currentFile(first, signal)
    logger.info('Snapshot step 3 - Locking captured tables: no lock is taken')
    logger.info('Snapshot step 4 - Determining snapshot offset')
    const begun = await flavor.readPosition(first, serverInfo, signal)
    await using watch = new StructureWatch({ ...this.#guardOptions(begun), start: this.#startOf(begun), config })
    logger.info('Snapshot step 5 - Reading structure of captured tables')
    const found = await findTables(first, config, signal)
    const statements = await readStructure(first, found, serverInfo, { signal })
    await watch.requireUnchanged(first, found.databases, signal)
    const events = structureEvents(interpreter, statements)
    const { read, beside } = this.#divided(readsRows ? this.#withRows(found.captured, order) : [])
    const position = await this.#beginWithoutLock(readers, read, { begun, signal })
    await watch.requireUnchanged(first, found.databases, signal)
    await requireAllTables(first, { found, begun, position }, this.#options, signal)
    const offset = this.#offset(position, file)
    logger.info('Read binlog position of the server', { ...offset.toDocument() })
    logger.info('Snapshot step 6 - Persisting schema history')
    const structure = new StructureHistory({
      ...this.#options,
      readsRows: read.length > 0,
      batchRowsMax: config.batchRowsMax,
    })
    await structure.persistEvents(events, offset, signal)
    logger.info(readsRows ? 'Snapshot step 7 - Snapshotting data' : 'Snapshot step 7 - Skipping snapshotting of data')
    const guard = this.#guard(position)
    const rows = this.#tableRows(readers, read, { offset, guard })
    const estimates = this.#estimate(offset)
    return { connections: readers, structure, offset, rows, beside, estimates, guard, lock: null }
  }

  #divided(tables: readonly TableId[]): { readonly read: readonly TableId[]; readonly beside: readonly TableId[] } {
    const { isCopiedBeside, interpreter, config } = this.#options
    const overridden = new Set([...config.snapshotOverrides.keys()].map((name) => name.toLowerCase()))
    const isBeside = (id: TableId): boolean => {
      const table = interpreter.tables.get(id)
      if (isCopiedBeside === null || table === undefined) return false
      return !overridden.has(id.toString().toLowerCase()) && isCopiedBeside(table)
    }
    return { read: tables.filter((id) => !isBeside(id)), beside: tables.filter(isBeside) }
  }

  /**
   * Begins the transactions that read rows, and returns the position of the snapshot. With a stream after it, rows are as
   * of the position. Without one, they are of a moment after it.
   */
  async #beginWithoutLock(
    readers: Readers,
    read: readonly TableId[],
    { begun, signal }: { readonly begun: ServerPosition; readonly signal: AbortSignal },
  ): Promise<ServerPosition> {
    const { isCopiedBeside, logger } = this.#options
    if (read.length === 0) return begun
    if (isCopiedBeside !== null) return beginExactView(readers[0], read, this.#options, signal)
    await this.#beginAll(readers, signal)
    if (readers.length > 1) logger.warn(SEVERAL_MOMENTS)
    return begun
  }

  /** MySQL writes transactions into its binlog before they are executed: some before the file position are not yet. */
  #startOf({ gtids }: ServerPosition): DumpStart | undefined {
    const { flavor, serverInfo } = this.#options
    if (flavor.name !== 'mysql' || !serverInfo.hasGtids) return undefined
    return { tag: 'mysqlGtids', executed: MySqlGtidSet.parse(gtids?.toString() ?? '') }
  }

  /**
   * Tables may be created and dropped while the session waits for the lock: the list under the lock is the valid one.
   */
  async #listAgain({ readers, found: listed, signal }: UnderLock, lock: SnapshotLock): Promise<FoundTables> {
    const found = await findTables(readers[0], this.#options.config, signal)
    if (!lock.isGlobal && found.captured.map(String).join() !== listed.captured.map(String).join()) {
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
        reason: 'tables were created or dropped while others were locked',
      })
    }
    return found
  }

  async #beginAll(readers: Readers, signal: AbortSignal): Promise<void> {
    const isReadOnly = this.#options.config.snapshotOverrides.size > 0
    await Promise.all(readers.map((each) => beginReading(each, signal, { isReadOnly })))
  }

  /**
   * The current binlog file with its time of creation, by which the stream proves that its binlog continues there. Read
   * before the lock is acquired; the server rarely starts another file in between.
   */
  async #currentFile(connection: MySqlConnection, signal: AbortSignal): Promise<BinlogFile> {
    const { flavor, serverInfo } = this.#options
    const { file: name } = await flavor.readPosition(connection, serverInfo, signal)
    return { name, createdSeconds: await readFileCreated(this.#options, name, signal) }
  }

  #offset({ file: name, position, gtids }: ServerPosition, current: BinlogFile): StreamPosition {
    const { format, serverInfo, flavor, clock, config } = this.#options
    const executed = gtids === null ? '' : gtids.toString()
    return StreamPosition.at(
      {
        file: name === current.name ? current : { name, createdSeconds: null },
        position,
        gtids: executed === '' ? null : flavor.parseGtids(executed),
      },
      {
        timestampSeconds: Math.floor(clock.now() / 1000),
        serverId: 0,
        isSnapshotUnfinished: true,
        recordFormat: format.name,
        serverIdentity: serverInfo.identity,
        capturedLists: config.capturedLists,
      },
    ).withIncremental(this.#options.carried)
  }

  /** Rows that are not copied beside the stream have no key, mostly: later they would not be as of the position. */
  get #isResumable(): boolean {
    const { config, isCopiedBeside } = this.#options
    return config.snapshotLocking !== 'extended' && config.capturedLists !== null && isCopiedBeside === null
  }

  /** A server that ignores the case of names reports them in lower case. */
  #overrides(): ReadonlyMap<string, string> {
    const { config, serverInfo } = this.#options
    if (serverInfo.lowerCaseTableNames === 0) return config.snapshotOverrides
    return new Map([...config.snapshotOverrides].map(([name, sql]) => [name.toLowerCase(), sql]))
  }

  #guard(from: Pick<ServerPosition, 'file' | 'position'>): TableGuard {
    return new TableGuard(this.#guardOptions(from))
  }

  #guardOptions({ file, position }: Pick<ServerPosition, 'file' | 'position'>): TableGuardOptions {
    return {
      ...this.#options,
      from: { file, position },
      silenceMsMax: this.#options.config.keepAliveIntervalMs,
    }
  }

  /** A table of which a part is left, or of which a statement selects rows, has fewer than the server estimates. */
  #estimate({ snapshotProgress }: StreamPosition): RowEstimates {
    const { connection, numbers, logger } = this.#options
    const overrides = this.#overrides()
    const begun = new Set(snapshotProgress?.tables.filter(({ ranges }) => ranges !== null).map(({ id }) => id))
    const except = (id: TableId): boolean => begun.has(id) || overrides.has(id.toString())
    return new RowEstimates({ connection, numbers, except, logger })
  }

  #tableRows(
    connections: Readers,
    captured: readonly TableId[],
    { offset, guard }: { readonly offset: StreamPosition; readonly guard: TableGuard | null },
  ): TableRows {
    const { config, format, interpreter, compiler, clock, logger } = this.#options
    const tables = captured.map((id) => interpreter.tables.get(id)).filter((table) => table !== undefined)
    const overrides = this.#overrides()
    warnOfUnusedOverrides(overrides, new Set(captured.map(String)), logger)
    return new TableRows({
      connections,
      tables,
      numbers: this.#options.numbers,
      notify: this.#options.notify,
      estimates: this.#estimates,
      compiler,
      overrides,
      offset,
      guard,
      pending: new Map(offset.snapshotProgress?.tables.map((table) => [table.id, table])),
      progressScope: this.#isResumable || offset.snapshotProgress !== null ? snapshotScopeOf(config) : null,
      format,
      batchRowsMax: this.#options.pace?.batchRowsMax(config.batchRowsMax) ?? config.batchRowsMax,
      pace: this.#options.pace,
      clock,
      logger,
    })
  }
}

interface UnderLock {
  readonly readers: Readers
  /** Null: nothing is locked. */
  readonly lockConnection: MySqlConnection | null
  readonly found: FoundTables
  /** Null: as they were found. */
  readonly order: TableOrder | null
  readonly signal: AbortSignal
}

/** Fewer are read in one or two round trips, in less time than another connection takes to follow the binlog. */
const TABLES_AHEAD_MIN = 200
const SEVERAL_MOMENTS =
  'Without a lock each connection sees the tables as of its own moment, shortly after the position of the snapshot: changes in between appear as rows and again as changes. Set snapshot.max.threads=1, or another snapshot.locking.mode, to see all tables as of one moment'
