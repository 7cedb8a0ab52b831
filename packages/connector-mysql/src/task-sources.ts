import type { SignalResult, SourceOffset, TaskSignal } from '@tributary/connect-api'
import {
  type BeginChange,
  type ChangeSource,
  type ChangeStage,
  ProgressStage,
  RowsStage,
  SchemaChangeStage,
  type SchemaHistory,
  type SideSource,
  type SourceSequence,
  type TableId,
  TransactionStage,
} from '@tributary/connector-kit'
import type { BinlogStreamOptions, DumpStart, MySqlConnectionOptions } from '@tributary/mysql'
import { type Logger, type Meter, noMeter } from '@tributary/support'
import type { HistoryCheckpoints } from './history-checkpoints.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import type { HistoryLoss } from './snapshot/history-loss.ts'
import { findMissing, type Server } from './inspect-server.ts'
import { lostText } from './snapshot/snapshot-decision.ts'
import { collectionOf, withoutOverridden } from './added-tables.ts'
import { IncrementalProgress, type SnapshotCollection } from './offset/incremental-progress.ts'
import type { StreamPosition } from './offset/stream-position.ts'
import { createInterpreter } from './record-parts.ts'
import { replicaUuid } from './replica-uuid.ts'
import { DelayedSource } from './snapshot/delayed-source.ts'
import { IdleSource } from './snapshot/idle-source.ts'
import { RecoverySource } from './snapshot/recovery-source.ts'
import { SnapshotPace } from './pace/snapshot-pace.ts'
import { SnapshotSource } from './snapshot/snapshot-source.ts'
import type { SnapshotOptions } from './snapshot/snapshot-steps.ts'
import type { BinlogAheadOptions } from './streaming/binlog-ahead.ts'
import { BinlogSource } from './streaming/binlog-source.ts'
import type { TaskSpool } from './streaming/spool/late-spool.ts'
import { DdlHandler, type DdlHandlerOptions } from './streaming/ddl-handler.ts'
import { DefinitionCheck } from './streaming/definition-check.ts'
import { DefinitionFinder } from './streaming/definition-finder.ts'
import { DefinitionLearner } from './streaming/definition-learner.ts'
import { PreparedFinder } from './streaming/prepared/prepared-finder.ts'
import { PreparedTransactions } from './streaming/prepared/prepared-transactions.ts'
import { sameTableOn } from './schema/statement-targets.ts'
import { RollbackFinder } from './streaming/rollbacks/rollback-finder.ts'
import { RowPlaces } from './streaming/row-places.ts'
import { decodeStatement } from './streaming/statement-decoder.ts'
import { quoted } from './tables/quoted-name.ts'
import { SchemaReader } from './tables/schema-reader.ts'
import { type Heartbeat, heartbeatOf } from './task-heartbeat.ts'
import type { TaskRecords } from './task-records.ts'
import { incrementalOf, TaskIncremental } from './task-incremental.ts'
import { notificationsOf, type TaskNotifications } from './task-notifications.ts'
import { type Reselection, reselectionOf } from './task-reselect.ts'
import { partitionOf, storedPosition, taskLogger, type TaskSettings } from './task-settings.ts'

export interface TaskSourcesOptions {
  readonly settings: TaskSettings
  readonly connection: MySqlConnectionOptions
  readonly server: Server
  readonly history: SchemaHistory
  readonly interpreter: DdlInterpreter
  readonly checkpoints: HistoryCheckpoints
  readonly records: TaskRecords
  /** Null: the task has no spool. */
  readonly spool: TaskSpool | null
}

/** Makes the sources of a task, and the stages that their changes pass. */
export class TaskSources {
  /** For the offsets of the stream. */
  capturedLists: string | null
  /** False: the user has no privilege for the lock of a snapshot. */
  mayLock: boolean
  readonly #options: TaskSourcesOptions
  readonly #schemaChanges: SchemaChangeStage
  readonly #heartbeat: Heartbeat | null
  readonly #reselection: Reselection | null
  #incremental: TaskIncremental | null
  readonly #notifications: TaskNotifications | null
  readonly #pace: SnapshotPace | null
  #hasStreamed = false

  constructor(options: TaskSourcesOptions) {
    const { settings, history, records, connection, checkpoints } = options
    this.#options = options
    this.capturedLists = settings.config.capturedLists
    this.mayLock = options.server.mayLock
    const offset = this.#offsetOf
    this.#heartbeat = heartbeatOf(settings, connection, offset)
    this.#reselection = reselectionOf(options)
    this.#notifications = notificationsOf(settings, offset)
    this.#pace = paceOf(options)
    this.#incremental = incrementalOf({ ...options, notifications: this.#notifications, pace: this.#pace })
    this.#schemaChanges = new SchemaChangeStage({
      history,
      records: records.schemaChanges,
      partition: partitionOf(settings),
      clock: settings.context.clock,
      onStored: (position, count) => {
        checkpoints.appended(position, count)
        settings.numbers.history.applied += count
        settings.numbers.history.lastAppliedMs = settings.context.clock.now()
      },
      ...offset,
    })
  }

  /** Offsets inside a transaction contain its counts. */
  get #offsetOf(): { readonly offsetOf?: (position: SourceOffset) => SourceOffset } {
    const { transactions } = this.#options.records
    return transactions === null ? {} : { offsetOf: (position) => transactions.counter.offsetAt(position) }
  }

  /** Whether a source of changes was created. */
  get hasStreamed(): boolean {
    return this.#hasStreamed
  }

  get stages(): readonly ChangeStage[] {
    const { settings, records } = this.#options
    const partition = partitionOf(settings)
    const heartbeat = this.#heartbeat === null ? [] : [this.#heartbeat.stage]
    const progress = new ProgressStage(partition, this.#offsetOf.offsetOf)
    const { transactions } = records
    const boundaries = transactions === null ? [] : [new TransactionStage({ ...transactions, nameOf: transactionName })]
    // Heartbeats come before progress, which is of no use in a poll that has records.
    const rows = new RowsStage(records.rows)
    const reselected = this.#reselection === null ? rows : this.#reselection.around(rows)
    const observed = this.#incremental === null ? reselected : this.#incremental.around(reselected)
    const stage = this.#notifications?.stage ?? null
    const notifications = stage === null ? [] : [stage]
    return [...boundaries, observed, this.#schemaChanges, ...notifications, ...heartbeat, progress]
  }

  /** What hands over changes between those of the stream. */
  get sideSources(): readonly SideSource[] {
    return this.#incremental === null ? [] : [this.#incremental]
  }

  /** Runs a signal; null: this task has none. */
  signal(signal: TaskSignal): Promise<SignalResult> | null {
    return this.#incremental?.send(signal) ?? null
  }

  /** An offset of the task was stored. */
  onStored(offset: SourceOffset): void {
    this.#incremental?.onStored(offset)
  }

  /** Closes what the stages have open. */
  async close(): Promise<void> {
    await this.#incremental?.[Symbol.asyncDispose]()
    await this.#pace?.[Symbol.asyncDispose]()
    await this.#heartbeat?.close()
    await this.#reselection?.close()
  }

  /** @param resume an unfinished snapshot that continues; null: it begins */
  snapshot(readsRows: boolean, resume: StreamPosition | null): SourceSequence {
    const { streams } = this.#options.settings.config.snapshotMode
    if (readsRows && streams && !this.#locks) {
      this.#incremental ??= new TaskIncremental({
        ...this.#options,
        notifications: this.#notifications,
        pace: this.#pace,
      })
    }
    const snapshot = new SnapshotSource(this.#snapshotOptions(readsRows, resume))
    return { first: snapshot, next: () => (snapshot.end === null ? null : this.#afterSnapshot(snapshot.end)) }
  }

  /** @param loss what of the schema history is missing; null: `snapshot.mode` asks for the recovery */
  recovery(stored: StreamPosition, loss: HistoryLoss | null): SourceSequence {
    const { settings, server, checkpoints } = this.#options
    const { flavor, info } = server
    const recovery = new RecoverySource({
      ...this.#snapshotOptions(false),
      connectorName: settings.context.connectorName,
      stored,
      binlog: this.#binlogFrom(flavor.dumpStart(stored, info)),
      loss,
      onRebuilt: () => checkpoints.rebuilt(),
      createInterpreter: () => createInterpreter(server, settings.config),
    })
    return { first: recovery, next: () => this.#streamOrNot(stored) }
  }

  #binlogFrom(start: DumpStart): BinlogStreamOptions {
    const { settings, server, connection } = this.#options
    return {
      connection,
      decodeStatement,
      dump: {
        flavor: server.flavor.name,
        start,
        serverId: settings.config.serverId,
        replicaUuid: this.#replicaUuid,
        heartbeatMs: SCAN_HEARTBEAT_MS,
        wantsStatements: false,
      },
    }
  }

  stream(stored: StreamPosition): SourceSequence {
    this.#notifications?.initial('SKIPPED')
    return { first: this.#streamOrNot(stored), next: () => null }
  }

  get #meter(): Meter {
    return this.#options.settings.context.meter ?? noMeter
  }

  get #replicaUuid(): string {
    const { context, config } = this.#options.settings
    return replicaUuid(context.connectorName, config)
  }

  /** Whether a snapshot takes a lock. */
  get #locks(): boolean {
    return this.#options.settings.config.snapshotLocking !== 'none' && this.mayLock
  }

  #snapshotOptions(readsRows: boolean, resume: StreamPosition | null = null): SnapshotOptions {
    const { settings, connection, server, history, interpreter, records } = this.#options
    const { config, context } = settings
    const incremental = this.#incremental
    const copiesBeside = readsRows && config.snapshotMode.streams && !this.#locks
    return {
      locks: this.#locks,
      isCopiedBeside: copiesBeside && incremental !== null ? (table) => incremental.canCopyBeside(table) : null,
      withCopies: (position, tables) => incremental?.withInitial(position, tables) ?? position,
      config,
      flavor: server.flavor,
      serverInfo: server.info,
      connection: {
        ...connection,
        initialStatements: config.initialStatements,
        takesSeveralStatements: true,
        answerLimit: { clock: context.clock, limitMs: SNAPSHOT_ANSWER_MS_MAX },
      },
      readsRows,
      resume,
      binlogFrom: (start) => this.#binlogFrom(start),
      carried: carriedProgress(settings, readsRows),
      isLost: (position, signal) => this.#isLost(position, signal),
      numbers: settings.numbers.snapshot,
      pace: this.#pace,
      notify: this.#notifications?.initial,
      interpreter,
      compiler: records.compiler,
      history,
      format: records.format,
      schemaChanges: this.#schemaChanges,
      clock: context.clock,
      logger: taskLogger(settings, 'snapshot'),
    }
  }

  #afterSnapshot(start: StreamPosition): ChangeSource {
    const { settings } = this.#options
    const delayMs = settings.config.streamingDelayMs
    if (delayMs === 0) return this.#streamOrNot(start)
    const open = (): ChangeSource => this.#streamOrNot(start)
    return new DelayedSource({ delayMs, open, clock: settings.context.clock, logger: taskLogger(settings, 'task') })
  }

  async #isLost(position: StreamPosition, signal: AbortSignal): Promise<boolean> {
    const { settings, server, connection } = this.#options
    const missing = await findMissing(settings, server, connection, { stored: position, signal })
    if (missing === null) return false
    taskLogger(settings, 'snapshot').warn(`The snapshot begins again: ${lostText(position, missing)}`)
    return true
  }

  #streamOrNot(start: StreamPosition): ChangeSource {
    const { settings } = this.#options
    if (settings.config.snapshotMode.streams) {
      this.#options.checkpoints.streams()
      this.#hasStreamed = true
      return this.#stream(start)
    }
    const { name } = settings.config.snapshotMode
    taskLogger(settings, 'task').info(`snapshot.mode=${name}: changes after the snapshot are not read`)
    return new IdleSource(settings.context.clock)
  }

  /** The offset remembers the tables, and only the log of an earlier start explains why. */
  #remindOfStopped(start: StreamPosition, logger: Logger): void {
    for (const { id, since } of start.stopped) {
      this.#options.interpreter.forget(id)
      logger.warn(
        `The table ${id.toString()} is stopped since ${since}: its changes are not captured until it is continued by ALTER TABLE ${quoted(id.database)}.${quoted(id.table)}`,
      )
    }
  }

  #ddlHandler(parts: Pick<DdlHandlerOptions, 'reader' | 'learner' | 'logger'>): DdlHandler {
    const { settings, interpreter, records } = this.#options
    const { filter, skips, recordsOnlyCapturedTables, skipsUnparseable } = settings.config
    const { compiler, format } = records
    const incremental = this.#incremental
    return new DdlHandler({
      ...parts,
      interpreter,
      filter,
      compiler,
      format,
      reportsTruncation: !skips.operations.has('t'),
      recordsOnlyCapturedTables,
      skipsUnparseable,
      reportsSessions: settings.context.addsLiterals === true,
      ...(incremental === null
        ? {}
        : {
            onStatement: (tables, statement) => incremental.snapshot.noteStatement(tables, statement),
            onRenames: (oldNames) => incremental.rename(oldNames),
          }),
      ...(incremental === null || settings.config.newTables !== 'renamed'
        ? {}
        : { onRenamed: (tables) => incremental.add(this.#copiedOf(tables)) }),
      meter: this.#meter,
    })
  }

  #copiedOf(tables: readonly TableId[]): readonly SnapshotCollection[] {
    const { config } = this.#options.settings
    const withRows = tables.filter((id) => config.filter.includesRows(id))
    return withoutOverridden(withRows, config, taskLogger(this.#options.settings, 'streaming')).map(collectionOf)
  }

  /** MariaDB sends statements of rows as events when they are asked for, and counters of positions count events. */
  #counted(start: StreamPosition, logger: Logger): StreamPosition {
    const { server, settings, records } = this.#options
    if (server.flavor.name !== 'mariadb') return start
    const counted = start.counting(settings.config.includesQuery)
    if (start.isInTransaction && !counted.isInTransaction) {
      records.transactions?.counter.restart()
      logger.warn(
        `include.query was changed in the middle of the transaction at ${start.file}:${start.position}: its events are sent again`,
      )
    }
    return counted
  }

  get #ahead(): BinlogAheadOptions {
    const { settings, connection, server } = this.#options
    return {
      flavor: server.flavor.name,
      connection,
      decodeStatement,
      silenceMsMax: settings.config.keepAliveIntervalMs,
      spooled: this.#options.spool,
      clock: settings.context.clock,
    }
  }

  /** What finds definitions that do not follow from the binlog. */
  #definitions(
    reader: SchemaReader,
    logger: Logger,
  ): { readonly learner: DefinitionLearner; readonly check: DefinitionCheck } {
    const { settings, connection, server, interpreter, records } = this.#options
    const { config, context } = settings
    const { format, compiler } = records
    const finder = new DefinitionFinder({
      reader,
      interpreter,
      flavor: server.flavor,
      serverInfo: server.info,
      connection,
      decodeStatement,
      silenceMsMax: config.keepAliveIntervalMs,
      spooled: this.#options.spool,
      clock: context.clock,
      logger,
    })
    const learner = new DefinitionLearner({
      interpreter,
      finder,
      compiler,
      schemaChanges: this.#schemaChanges,
      format,
      flavor: server.flavor.name,
      meter: this.#meter,
      logger,
    })
    const check = new DefinitionCheck({
      interpreter,
      createInterpreter: () => createInterpreter(server, config),
      finder,
      compiler,
      flavor: server.flavor.name,
      address: `${connection.host}:${connection.port}`,
      clock: context.clock,
      logger,
    })
    return { learner, check }
  }

  #stream(resume: StreamPosition): BinlogSource {
    const { settings, connection, server, interpreter, records } = this.#options
    const { config, context } = settings
    const { format, compiler } = records
    const logger = taskLogger(settings, 'streaming')
    const start = this.#counted(resume, logger).withCapturedLists(this.capturedLists)
    this.#remindOfStopped(start, logger)
    this.#incremental?.begin(start.incremental)
    const reader = new SchemaReader(connection, context.clock)
    const { learner, check } = this.#definitions(reader, logger)
    const ddl = this.#ddlHandler({ reader, learner, logger })
    const ahead = this.#ahead
    const prepared = new PreparedTransactions({
      ahead: { ...ahead, wantsStatements: config.includesQuery },
      filter: config.filter,
      includesQuery: config.includesQuery,
      tables: interpreter.tables,
      finder: new PreparedFinder({ ahead, interpreter, isSame: sameTableOn(server.info), logger }),
      flavor: server.flavor,
    })
    return new BinlogSource({
      connectorName: context.connectorName,
      config,
      flavor: server.flavor,
      serverInfo: server.info,
      connection,
      replicaUuid: this.#replicaUuid,
      decodeStatement,
      numbers: settings.numbers.streaming,
      spool: this.#options.spool,
      endsWithTransactions: context.prefersWholeTransactions === true,
      // A rehearsal writes nothing, and reads as a replica of its own.
      mayRead: () => context.isRehearsal === true || context.mayWrite?.() !== false,
      translator: {
        numbers: settings.numbers.streaming,
        connectorName: context.connectorName,
        keepsNothing: context.keepsNothing === true,
        config,
        tables: interpreter.tables,
        compiler,
        format,
        places: new RowPlaces(),
        ddl,
        learner,
        check,
        prepared,
        beside: this.#incremental?.snapshot ?? null,
        // MySQL removes what is rolled back from its cache for the binlog, in all formats.
        meter: this.#meter,
        rollbacks: server.flavor.name === 'mysql' ? null : new RollbackFinder({ ahead, flavor: server.flavor, logger }),
        logger,
      },
      start,
      onRepeat: () => records.transactions?.counter.restart(),
      clock: context.clock,
      logger,
    })
  }
}

/** Null: snapshots have no limits. */
function paceOf({ settings, connection, server }: TaskSourcesOptions): SnapshotPace | null {
  const { config, context, numbers } = settings
  const { snapshotLimits: limits } = config
  if (limits === null) return null
  const { clock } = context
  const logger = taskLogger(settings, 'snapshot')
  return new SnapshotPace({
    limits,
    connection,
    flavor: server.flavor,
    serverInfo: server.info,
    numbers,
    clock,
    logger,
  })
}

/** As Debezium names a transaction: by its GTID, else by the place of its begin. */
function transactionName({ transaction, position }: BeginChange): string {
  if (transaction !== null) return transaction.toString()
  const { file, pos } = position.toDocument()
  return `file=${String(file)},pos=${String(pos)}`
}

/**
 * How often a server sends its position while the binlog has nothing new: the position that a scan reads up to may be
 * such a one.
 */
const SCAN_HEARTBEAT_MS = 100
/** Lists and definitions of a hundred thousand tables take a minute, a lock as long as lock_wait_timeout. */
const SNAPSHOT_ANSWER_MS_MAX = 300_000

/** A snapshot reads the rows of tables that it selects; those of others still have to be copied. */
function carriedProgress(settings: TaskSettings, readsRows: boolean): IncrementalProgress {
  const { filter, snapshotOverrides } = settings.config
  const overridden = new Set([...snapshotOverrides.keys()].map((name) => name.toLowerCase()))
  const readsAll = (id: TableId): boolean =>
    readsRows && filter.includesRows(id) && !overridden.has(id.toString().toLowerCase())
  return (storedPosition(settings)?.incremental ?? IncrementalProgress.none).beforeSnapshot(readsAll)
}
