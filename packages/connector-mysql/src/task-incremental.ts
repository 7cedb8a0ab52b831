import type { ConfigMap, SignalResult, SourceOffset, TaskSignal } from '@tributary/connect-api'
import { type ChangeStage, type Poll, type SideSource, SignalTopic, TableId } from '@tributary/connector-kit'
import type { MySqlConnectionOptions } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
import { BlockingSnapshot } from './incremental/blocking-snapshot.ts'
import { ChunkReaders } from './incremental/chunk-readers.ts'
import { hiddenUpdate } from './incremental/hidden-update.ts'
import { IncrementalSnapshot } from './incremental/incremental-snapshot.ts'
import { IncrementalStage } from './incremental/incremental-stage.ts'
import { RowIdentity } from './incremental/row-identity.ts'
import { SignalActions } from './incremental/signal-actions.ts'
import { SignalRequests } from './incremental/signal-requests.ts'
import { WindowMarkers } from './incremental/window-markers.ts'
import type { Server } from './inspect-server.ts'
import { collectionOf } from './added-tables.ts'
import { chunkKeyOf } from './chunks/chunk-key.ts'
import { IncrementalProgress, type SnapshotCollection } from './offset/incremental-progress.ts'
import { StreamPosition } from './offset/stream-position.ts'
import type { SnapshotPace } from './pace/snapshot-pace.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import type { MySqlTable } from './schema/mysql-table.ts'
import type { NotifySnapshot } from './snapshot/snapshot-event.ts'
import type { TableCompiler } from './tables/captured-table.ts'
import { parseSignal } from './signals/signal.ts'
import { SignalFile } from './signals/signal-file.ts'
import type { TaskRecords } from './task-records.ts'
import type { TaskNotifications } from './task-notifications.ts'
import { storedPosition, taskLogger, type TaskSettings } from './task-settings.ts'

export interface TaskIncrementalOptions {
  readonly settings: TaskSettings
  readonly connection: MySqlConnectionOptions
  readonly server: Server
  readonly interpreter: DdlInterpreter
  readonly records: TaskRecords
  readonly notifications: TaskNotifications | null
  readonly pace: SnapshotPace | null
}

/** Signals and incremental snapshots of a task. */
export class TaskIncremental implements SideSource, AsyncDisposable {
  readonly snapshot: IncrementalSnapshot
  readonly #blocking: BlockingSnapshot
  readonly #actions: SignalActions
  readonly #signalTable: TableId | null
  readonly #topic: SignalTopic | null
  readonly #file: SignalFile | null
  readonly #requests: SignalRequests
  readonly #settings: TaskSettings
  readonly #logger: Logger
  readonly #isCaptured: (id: TableId) => boolean
  readonly #compiler: TableCompiler
  readonly #notify: NotifySnapshot | undefined
  #hasStarted = false
  /** What was stored or reported last. */
  #unstored: IncrementalProgress | null = null

  constructor(options: TaskIncrementalOptions) {
    const { settings, connection, server, interpreter, records, notifications } = options
    const { config, context } = settings
    const { signals, filter } = config
    const logger = taskLogger(settings, 'streaming')
    this.#settings = settings
    this.#logger = logger
    this.#compiler = records.compiler
    this.#notify = notifications?.incremental
    this.#isCaptured = (id) => filter.includesTable(id)
    this.#signalTable = signalTableOf(options)
    const markers = signals.isReadOnly || this.#signalTable === null ? null : this.#markers(options, this.#signalTable)
    const { clock } = context
    this.#requests = new SignalRequests(clock, context.connectorName)
    this.#topic = topicOf(options, logger)
    this.snapshot = new IncrementalSnapshot({
      wakesAlways: this.#topic !== null,
      tables: interpreter.tables,
      isCaptured: this.#isCaptured,
      messageKeyOf: (table) => config.columns.keyOf(table),
      skips: config.skips,
      compiler: records.compiler,
      readers: readersOf(options, markers),
      flavor: server.flavor,
      format: records.format,
      numbers: settings.numbers.incremental,
      pace: options.pace,
      notify: notifications?.incremental,
      clock,
      logger,
    })
    this.#blocking = new BlockingSnapshot({
      snapshot: this.snapshot,
      connection: { ...connection, initialStatements: config.initialStatements },
      flavor: server.flavor,
      serverInfo: server.info,
      interpreter,
      tables: interpreter.tables,
      isCaptured: this.#isCaptured,
      compiler: records.compiler,
      format: records.format,
      batchRowsMax: config.batchRowsMax,
      numbers: settings.numbers.snapshot,
      pace: options.pace,
      notify: notifications?.initial,
      clock,
      logger,
    })
    this.#actions = new SignalActions({
      snapshot: this.snapshot,
      tables: interpreter.tables,
      isCaptured: this.#isCaptured,
      signalTable: this.#signalTable,
      notify: notifications?.incremental,
      logger,
    })
    this.#file = signals.channels.has('file')
      ? new SignalFile({ path: signals.file, intervalMs: signals.pollIntervalMs, clock, logger })
      : null
    this.#warn(settings)
  }

  /** Copies the rows of more tables. Returns the progress from there on. */
  add(collections: readonly SnapshotCollection[]): IncrementalProgress {
    this.snapshot.change(this.snapshot.progress.withAdded(collections))
    return this.snapshot.progress
  }

  /** Copies tables under their new names. Returns the progress from there on. */
  rename(oldNames: ReadonlyMap<TableId, TableId>): IncrementalProgress {
    this.snapshot.change(this.snapshot.progress.withRenamed(oldNames, this.#isCaptured))
    return this.snapshot.progress
  }

  /** Whether the rows of a table can be copied beside the stream whatever changes meanwhile: by a key that events have. */
  canCopyBeside(definition: MySqlTable): boolean {
    const { config } = this.#settings
    const choice = chunkKeyOf(definition, { surrogate: null, messageKey: config.columns.keyOf(definition) })
    if (choice.tag === 'none') return false
    const table = this.#compiler.compile(definition)
    return hiddenUpdate(table, choice.key, config.skips) === null && RowIdentity.of(table) !== null
  }

  /** The position of a stream that copies the tables of an initial snapshot. */
  withInitial(position: StreamPosition, tables: readonly TableId[]): StreamPosition {
    const { signals } = this.#settings.config
    // The reference has incremental snapshots only with one of them.
    const isContinued = signals.table !== null || signals.isReadOnly
    const initial = isContinued ? 'continued by debezium' : 'begun again by debezium'
    if (tables.length > 0) this.#notify?.('STARTED', { data_collections: tables.map(String).join(',') })
    return position.withIncremental(position.incremental.withInitial(tables.map(collectionOf), initial))
  }

  /** Encloses the stage that makes records of rows. */
  around(rows: ChangeStage): ChangeStage {
    return new IncrementalStage({
      rows,
      snapshot: this.snapshot,
      actions: this.#actions,
      signalTable: this.#signalTable,
      logger: this.#logger,
    })
  }

  /** The stream begins. */
  begin(progress: IncrementalProgress): void {
    this.snapshot.begin(progress)
    if (progress.isActive) {
      const names = progress.collections.map(({ id }) => id.toString()).join(', ')
      this.#logger.info(`The incremental snapshot continues; not complete: ${names}`)
      // Tables may have been added at this start: the offset has to have them.
      this.snapshot.requestReport()
    }
  }

  poll(poll: Poll, isInTransaction: boolean): Promise<'alone' | void> | null {
    const { snapshot } = this
    // Nearly all polls of most tasks.
    const isQuiet = this.#topic === null && this.#file === null && !this.#requests.isAsked
    return isQuiet && snapshot.isQuiet && this.#blocking.isQuiet ? null : this.#poll(poll, isInTransaction)
  }

  async #poll(poll: Poll, isInTransaction: boolean): Promise<'alone' | void> {
    if (this.snapshot.position !== null) await this.#takeSignals()
    // An offset with the effect of a signal is stored before rows are read for it, which may take long.
    const isReported = await this.snapshot.report(poll, isInTransaction)
    if (isReported && this.#blocking.isReading) return 'alone'
    if (!isReported && (await this.#blocking.poll(poll, isInTransaction))) return 'alone'
    await this.snapshot.poll(poll, isInTransaction)
  }

  /** The stream is about to begin: nothing precedes it any more. */
  get #willStream(): boolean {
    const { numbers, config } = this.#settings
    const { state } = numbers.snapshot
    return config.snapshotMode.streams && (state === 'completed' || state === 'skipped')
  }

  /** Runs a signal of the REST interface. Resolves when its effect is stored. */
  async send(signal: TaskSignal): Promise<SignalResult> {
    if (this.snapshot.position === null && !this.#willStream)
      return {
        tag: 'unavailable',
        reason: noStream(this.#settings.context.connectorName),
      }
    const result = this.#requests.send(signal)
    this.snapshot.wake()
    return result
  }

  #runRequest(signal: TaskSignal): SignalResult | null {
    const refusal = this.#actions.run({ ...signal, channel: 'rest' })
    if (refusal !== null) return { tag: refusal.isForNow ? 'unavailable' : 'invalid', reason: refusal.reason }
    this.snapshot.change(this.snapshot.progress.withSignalId(signal.id))
    return null
  }

  async #takeSignals(): Promise<void> {
    const { snapshot } = this
    if (!this.#hasStarted) this.#topic?.start(snapshot.progress.signalOffset, () => snapshot.wake())
    this.#hasStarted = true
    for (const { offset, value } of this.#topic?.take() ?? []) {
      const parsed = value === null ? null : parseSignal(value, 'kafka')
      if (parsed?.tag === 'signal') this.#actions.run(parsed.signal)
      else if (parsed?.tag === 'invalid') {
        this.#logger.error(`The signal at offset ${offset} of the signal topic ${parsed.reason}. It has no effect`)
      }
      snapshot.change(snapshot.progress.withSignalOffset(offset))
    }
    const hasTaken = this.#requests.take(
      () => snapshot.progress,
      (signal) => this.#runRequest(signal),
    )
    if (hasTaken) snapshot.requestReport()
    if (this.#file === null) return
    const signals = await this.#file.take()
    for (const signal of signals) this.#actions.run(signal)
    if (signals.length > 0) {
      this.#unstored = snapshot.progress
      snapshot.requestReport()
    }
  }

  /** An offset of the task was stored. */
  onStored(offset: SourceOffset): void {
    if (this.#requests.isWaiting) this.#requests.stored(progressOf(offset))
    const unstored = this.#unstored
    if (unstored === null || this.#file === null) return
    const stored = progressOf(offset)
    if (!stored.equals(unstored) && !stored.equals(this.snapshot.progress)) return
    this.#unstored = null
    void this.#file.stored()
  }

  #markers({ settings }: TaskIncrementalOptions, table: TableId): WindowMarkers {
    const { config, context } = settings
    return new WindowMarkers({ table, strategy: config.signals.strategy, clock: context.clock, logger: this.#logger })
  }

  #warn({ config, loggedWarnings }: TaskSettings): void {
    const { signals, filter, skips } = config
    const warnings: string[] = []
    if (signals.otherChannels.length > 0) {
      warnings.push(
        `signal.enabled.channels: ${signals.otherChannels.join(', ')} have no effect; there are source, kafka and file`,
      )
    }
    const table = this.#signalTable
    if (table !== null && !filter.includesTable(table)) {
      warnings.push(
        `The signal table ${table.toString()} is in a database that the lists do not select: its rows are no signals. Add the database to database.include.list`,
      )
    }
    if (table !== null && skips.operations.has('c')) {
      warnings.push(`Rows of the signal table ${table.toString()} are no signals, since skipped.operations contains c`)
    }
    for (const warning of warnings) {
      if (!loggedWarnings.has(warning)) this.#logger.warn(warning)
      loggedWarnings.add(warning)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#topic?.[Symbol.asyncDispose]()
    await this.#blocking[Symbol.asyncDispose]()
    await this.snapshot.close()
  }
}

function progressOf(offset: SourceOffset): IncrementalProgress {
  return offset instanceof StreamPosition ? offset.incremental : IncrementalProgress.parse(offset.toDocument())
}

/** Null: a rehearsal writes nothing, and what keeps nothing has no REST interface, unless a copy of it continues. */
export function incrementalOf(options: TaskIncrementalOptions): TaskIncremental | null {
  const { context } = options.settings
  if (context.isRehearsal === true) return null
  if (context.keepsNothing !== true) return new TaskIncremental(options)
  const stored = storedPosition(options.settings)?.incremental
  const isCopying = stored !== undefined && (stored.isActive || stored.blocking.length > 0)
  return isCopying ? new TaskIncremental(options) : null
}

function noStream(name: string): string {
  return `The connector does not read changes: its initial snapshot is not complete, its database cannot be reached, or its snapshot.mode ends after the snapshot. A signal is run while it reads changes; GET /connectors/${name}/snapshot and /health show what it does`
}

function signalTableOf({ settings, server }: TaskIncrementalOptions): TableId | null {
  const { table, channels } = settings.config.signals
  if (table === null || !channels.has('source')) return null
  const dot = table.indexOf('.')
  const id = TableId.of(table.slice(0, dot), table.slice(dot + 1))
  return server.info.lowerCaseTableNames === 0 ? id : id.toLowerCase()
}

function topicOf({ settings }: TaskIncrementalOptions, logger: Logger): SignalTopic | null {
  const { config, context } = settings
  const { channels, kafkaBootstrapServers, kafkaTopic } = config.signals
  if (!channels.has('kafka') || kafkaBootstrapServers === null) return null
  return new SignalTopic({
    bootstrapServers: kafkaBootstrapServers,
    topic: kafkaTopic,
    key: config.topicPrefix,
    properties: consumerProperties(config.properties),
    clientId: `${config.topicPrefix}-signal`,
    clock: context.clock,
    logger,
  })
}

function consumerProperties(properties: ConfigMap): Readonly<Record<string, string>> {
  const prefix = 'signal.consumer.'
  const own = Object.entries(properties).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}

function readersOf(
  { settings, connection, server, interpreter }: TaskIncrementalOptions,
  markers: WindowMarkers | null,
): ChunkReaders {
  const { config } = settings
  const options = {
    connection: { ...connection, initialStatements: config.initialStatements },
    flavor: server.flavor,
    serverInfo: server.info,
    interpreter,
    rowsMax: config.signals.chunkRows,
    markers,
  }
  return new ChunkReaders(options, config.snapshotThreads)
}
