import { type Header, NO_HEADERS, type SourcePartition, type SourceTaskContext } from '@tributary/connect-api'
import {
  type ChangeEventSource,
  contextHeaders,
  DataChangeRecords,
  openKafkaSchemaHistory,
  type RecordFormat,
  type RecordFormatName,
  SchemaChangeRecords,
  type SchemaHistory,
  type SourcePhases,
  TopicNaming,
} from '@tributary/connector-kit'
import {
  answeredWithin,
  type BinlogStreamOptions,
  charsetNamed,
  collationById,
  MySqlConnection,
  type MySqlConnectionOptions,
  type StatementDecoder,
} from '@tributary/mysql'
import { doneOr, sideBySide, type Clock, type Logger } from '@tributary/support'
import { randomUUID } from 'node:crypto'
import type { ConnectorConfig } from './config/connector-config.ts'
import { takesSnapshot } from './config/snapshot-mode.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { connectorErrors } from './errors.ts'
import type { Flavor, MissingPosition, ServerInfo } from './flavor/flavor.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { PreFlight } from './pre-flight/pre-flight.ts'
import { throwErrors } from './pre-flight/throw-errors.ts'
import { createInterpreter, formatOf, formatOfWorker, tableCompiler } from './record-parts.ts'
import { replicaUuid } from './replica-uuid.ts'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { IdleSource } from './snapshot/idle-source.ts'
import { RecoverySource } from './snapshot/recovery-source.ts'
import { decideBeginning } from './snapshot/snapshot-decision.ts'
import { SnapshotSource, type SnapshotSourceOptions } from './snapshot/snapshot-source.ts'
import { chooseFormat, formatOfHistory, type FormatReasons } from './source/choose-format.ts'
import type { SourceInfo } from './source/source-info.ts'
import { BinlogSource } from './streaming/binlog-source.ts'
import { DdlHandler } from './streaming/ddl-handler.ts'
import { RowEventHandler } from './streaming/row-event-handler.ts'
import { SchemaReader } from './tables/schema-reader.ts'
import type { TableCompiler } from './tables/captured-table.ts'

/** What a task is made of. */
export interface TaskSettings {
  readonly kind: ConnectorKind
  readonly context: SourceTaskContext
  readonly config: ConnectorConfig
  /** Warnings that the log has already. */
  readonly told: Set<string>
}

export interface OpenOptions {
  readonly isFirstTry: boolean
  readonly signal: AbortSignal
}

/** Puts a task together: looks at the server and decides whether a snapshot is needed. */
export class TaskParts {
  readonly #settings: TaskSettings
  readonly #context: SourceTaskContext
  readonly #config: ConnectorConfig
  readonly #connection: MySqlConnectionOptions
  readonly #server: Server
  readonly #partition: SourcePartition
  readonly #stored: StreamPosition | null
  readonly #history: SchemaHistory
  readonly #interpreter: DdlInterpreter
  readonly #format: RecordFormat<SourceInfo>
  readonly #compiler: TableCompiler
  readonly #records: DataChangeRecords
  readonly #schemaChanges: SchemaChangeRecords | null

  private constructor(settings: TaskSettings, { connection, server, history, stored, format }: OpenParts) {
    const { kind, context, config } = settings
    const { clock } = context
    this.#settings = settings
    this.#context = context
    this.#config = config
    this.#connection = connection
    this.#server = server
    this.#partition = partitionOf(config)
    this.#history = history
    this.#interpreter = createInterpreter(server)
    this.#stored = stored
    this.#format = formatOf(kind, config, format)
    const headers = this.#format.hasContextHeaders ? runHeaders(settings) : NO_HEADERS
    const naming = new TopicNaming(config.topicPrefix, config.topicDelimiter)
    this.#compiler = tableCompiler(config, this.#format, this.#logger('task'))
    this.#records = new DataChangeRecords({
      partition: this.#partition,
      hasTransaction: this.#format.envelope.transactionSchema !== null,
      tombstonesOnDelete: config.tombstonesOnDelete,
      headers,
      clock,
    })
    this.#schemaChanges = config.includesSchemaChanges
      ? new SchemaChangeRecords({
          partition: this.#partition,
          topic: naming.schemaChangeTopic,
          schemaNamePrefix: kind.schemaNamePrefix,
          sourceSchema: this.#format.sourceSchema,
          headers,
          clock,
        })
      : null
  }

  /**
   * Looks at the server and at the schema history. What it opens is closed by `close`.
   *
   * The first try looks at both at the same time, since a registration waits for it. Later ones leave the history alone until the
   * database has answered: while that is away, each would read the history again and take a new producer id.
   */
  static async open(settings: TaskSettings, { isFirstTry, signal }: OpenOptions): Promise<TaskParts> {
    const { context, config } = settings
    const logger = taskLogger(settings, 'task')
    const connection = await connectionOptions(config, logger)
    const history = openKafkaSchemaHistory({
      bootstrapServers: config.historyBootstrapServers,
      topic: config.historyTopic,
      properties: context.config,
      clientId: `${config.topicPrefix}-schemahistory`,
      logger,
      clock: context.clock,
    })
    try {
      const ofDatabase = (limit: AbortSignal): Promise<Server> => inspectServer(settings, connection, limit)
      const ofPast = (limit: AbortSignal): Promise<RecordFormatName | null> => lookAtHistory(settings, history, limit)
      const [server, ofHistory] = isFirstTry
        ? await sideBySide([ofDatabase, ofPast], signal)
        : [await ofDatabase(signal), await ofPast(signal)]
      logger.info(`Connected to ${server.info.version} at ${config.host}:${config.port} as user '${config.user}'`)
      const stored = storedPosition(settings)
      const format = chooseFormat({ ...knownFormats(settings), ofHistory }, logger)
      return new TaskParts(settings, { connection, server, history, stored, format })
    } catch (error) {
      await history[Symbol.asyncDispose]()
      throw error
    }
  }

  /** What to do, as `snapshot.mode` and the stored offset say: stream from it, or first take a snapshot, or rebuild the history. */
  async phases(signal: AbortSignal): Promise<SourcePhases> {
    const beginning = await decideBeginning({
      mode: this.#config.snapshotMode,
      stored: this.#stored,
      connectorName: this.#context.connectorName,
      findMissing: (stored) => this.#findMissing(stored, signal),
      logger: this.#logger('task'),
    })
    switch (beginning.tag) {
      case 'snapshot':
        return this.#snapshotPhases(beginning.readsRows)
      case 'recovery':
        return this.#recoveryPhases(beginning.stored, signal)
      case 'stream':
        await this.#recoverHistory(beginning.stored, signal)
        this.#logger('snapshot').info(SKIPPED)
        return { first: this.#streamOrNot(beginning.stored), next: () => null }
    }
  }

  async #findMissing(stored: StreamPosition, signal: AbortSignal): Promise<MissingPosition | null> {
    const { flavor, info } = this.#server
    return answeredWithin(
      { ...this.#answerLimit, doing: () => 'looking for the stored position' },
      async (limit) => {
        await using connection = await MySqlConnection.open(this.#connection, limit)
        return await doneOr(flavor.findMissing(connection, stored, info), limit)
      },
      signal,
    )
  }

  get #answerLimit(): { readonly clock: Clock; readonly limitMs: number; readonly address: string } {
    const { host, port } = this.#config
    return { clock: this.#context.clock, limitMs: PRE_FLIGHT_MS_MAX, address: `${host}:${port}` }
  }

  #snapshotPhases(readsRows: boolean): SourcePhases {
    const snapshot = new SnapshotSource(this.#snapshotOptions(readsRows))
    return { first: snapshot, next: () => (snapshot.end === null ? null : this.#streamOrNot(snapshot.end)) }
  }

  async #recoveryPhases(stored: StreamPosition, signal: AbortSignal): Promise<SourcePhases> {
    await this.#history.initialize(signal)
    const recovery = new RecoverySource({
      ...this.#snapshotOptions(false),
      connectorName: this.#context.connectorName,
      stored,
      binlog: this.#binlogOptions(stored),
      createInterpreter: () => createInterpreter(this.#server),
    })
    return { first: recovery, next: () => this.#stream(stored) }
  }

  /** How the binlog is read for a look at it, without handling it. */
  #binlogOptions(start: StreamPosition): BinlogStreamOptions {
    const { flavor, info } = this.#server
    return {
      connection: this.#connection,
      decodeStatement,
      dump: {
        flavor: flavor.name,
        start: flavor.dumpStart(start, info),
        serverId: this.#config.serverId,
        replicaUuid: replicaUuid(this.#context.connectorName, this.#config),
        heartbeatMs: HEARTBEAT_MS,
        wantsStatements: false,
      },
    }
  }

  #snapshotOptions(readsRows: boolean): SnapshotSourceOptions {
    return {
      config: this.#config,
      flavor: this.#server.flavor,
      serverInfo: this.#server.info,
      connection: {
        ...this.#connection,
        initialStatements: this.#config.initialStatements,
        takesSeveralStatements: true,
      },
      readsRows,
      interpreter: this.#interpreter,
      compiler: this.#compiler,
      history: this.#history,
      format: this.#format,
      records: this.#records,
      schemaChanges: this.#schemaChanges,
      partition: this.#partition,
      clock: this.#context.clock,
      logger: this.#logger('snapshot'),
    }
  }

  /** Brings the table model to the stored position. That the server has what comes after it is for the stream to see. */
  async #recoverHistory(stored: StreamPosition, signal: AbortSignal): Promise<void> {
    const { flavor } = this.#server
    const connector = this.#context.connectorName
    if (!(await this.#history.exists(signal))) {
      throw connectorErrors.HISTORY_MISSING({ topic: this.#config.historyTopic, connector })
    }
    let applied = 0
    await this.#history.recover((record) => {
      if (record.source['server'] !== this.#config.topicPrefix) return
      const recorded = StreamPosition.parse(record.position)
      if (recorded === null || !flavor.isAtOrBefore(recorded, stored)) return
      this.#interpreter.recover(record)
      applied += 1
    }, signal)
    this.#logger('task').info(`Finished database schema history recovery of ${applied} change(s)`)
  }

  #streamOrNot(start: StreamPosition): ChangeEventSource {
    if (this.#config.snapshotMode.streams) return this.#stream(start)
    this.#logger('task').info('snapshot.mode=initial_only: changes behind the snapshot are not read')
    return new IdleSource(this.#context.clock)
  }

  #stream(start: StreamPosition): BinlogSource {
    const logger = this.#logger('streaming')
    const { clock } = this.#context
    return new BinlogSource({
      connectorName: this.#context.connectorName,
      config: this.#config,
      flavor: this.#server.flavor,
      serverInfo: this.#server.info,
      connection: this.#connection,
      replicaUuid: replicaUuid(this.#context.connectorName, this.#config),
      decodeStatement,
      handler: {
        config: this.#config,
        tables: this.#interpreter.tables,
        compiler: this.#compiler,
        rows: new RowEventHandler({ format: this.#format, records: this.#records }),
        ddl: new DdlHandler({
          interpreter: this.#interpreter,
          filter: this.#config.filter,
          compiler: this.#compiler,
          history: this.#history,
          records: this.#schemaChanges,
          format: this.#format,
          reader: new SchemaReader(this.#connection),
          partition: this.#partition,
          clock,
          logger,
        }),
        logger,
      },
      partition: this.#partition,
      start,
      clock,
      logger,
    })
  }

  #logger(activity: Activity): Logger {
    return taskLogger(this.#settings, activity)
  }

  async close(): Promise<void> {
    await this.#history[Symbol.asyncDispose]()
  }
}

/** How the server is spoken to. */
interface Server {
  readonly flavor: Flavor
  readonly info: ServerInfo
}

const SKIPPED =
  'A previous offset indicating a completed snapshot has been found. Neither schema nor data will be snapshotted. Snapshot ended with SnapshotResult [status=SKIPPED]'

/** How often a server says where it is while the binlog has nothing new: the end of it may be such a place. */
const HEARTBEAT_MS = 1_000

/** The form of the records that the history tells of, where nothing else decides; before a snapshot it also connects to the history. */
async function lookAtHistory(
  settings: TaskSettings,
  history: SchemaHistory,
  signal: AbortSignal,
): Promise<RecordFormatName | null> {
  const { topicPrefix, snapshotMode } = settings.config
  const { asked, ofOffset } = knownFormats(settings)
  const isDecided = asked !== null || ofOffset !== null
  const read = async (limit: AbortSignal): Promise<RecordFormatName | null> =>
    isDecided ? null : formatOfHistory(history, topicPrefix, limit)
  const connect = async (limit: AbortSignal): Promise<void> => {
    if (takesSnapshot(snapshotMode, storedPosition(settings))) await history.connect(limit)
  }
  const [ofHistory] = await sideBySide([read, connect], signal)
  return ofHistory
}

function knownFormats(settings: TaskSettings): Omit<FormatReasons, 'ofHistory'> {
  return {
    asked: settings.config.recordFormat,
    ofOffset: storedPosition(settings)?.recordFormat ?? null,
    ofWorker: formatOfWorker(settings.context.workerDefaults),
  }
}

/** Looks at the server. What may hurt later is told in the log; what makes the work impossible is thrown, all of it at once. */
async function inspectServer(
  settings: TaskSettings,
  connection: MySqlConnectionOptions,
  signal: AbortSignal,
): Promise<Server> {
  const { config, context, told } = settings
  const preFlight = new PreFlight({
    config,
    connection,
    needsSnapshot: takesSnapshot(config.snapshotMode, storedPosition(settings)),
    replicaUuid: replicaUuid(context.connectorName, config),
  })
  const { facts, findings } = await answeredWithin(
    {
      clock: context.clock,
      limitMs: PRE_FLIGHT_MS_MAX,
      address: `${config.host}:${config.port}`,
      doing: () => preFlight.doing,
    },
    (limit) => preFlight.run(limit),
    signal,
  )
  const logger = taskLogger(settings, 'task')
  for (const { code, message } of findings.filter(({ severity }) => severity === 'warning')) {
    // The task may begin many times until its brokers answer.
    if (!told.has(message)) logger.warn(`${message} [${code}]`, { code })
    told.add(message)
  }
  throwErrors(findings, { address: facts.address, connector: context.connectorName })
  return facts
}

/** The catalogue of a server with many tables takes a while; one that says nothing for so long has been cut off. */
const PRE_FLIGHT_MS_MAX = 300_000

interface OpenParts {
  readonly connection: MySqlConnectionOptions
  readonly server: Server
  readonly history: SchemaHistory
  readonly stored: StreamPosition | null
  readonly format: RecordFormatName
}

type Activity = 'task' | 'snapshot' | 'streaming'

/** With the three names that the log context shows: which connector, and what it is doing. */
export function taskLogger({ kind, context, config }: TaskSettings, activity: Activity): Logger {
  return context.logger.child({
    connectorType: kind.displayName,
    connectorName: config.topicPrefix,
    connectorContext: activity,
    logger: `${kind.schemaNamePrefix}.${activity}`,
  })
}

function partitionOf({ topicPrefix }: ConnectorConfig): SourcePartition {
  return { server: topicPrefix }
}

function storedPosition({ context, config }: TaskSettings): StreamPosition | null {
  const document = context.storedOffset(partitionOf(config))
  return document === null ? null : StreamPosition.parse(document)
}

/** `extended.headers.enabled` of the reference, which is on unless it is switched off. */
function runHeaders({ kind, context, config }: TaskSettings): readonly Header[] {
  if (config.properties['extended.headers.enabled']?.toLowerCase() === 'false') return NO_HEADERS
  return contextHeaders({
    logicalName: config.topicPrefix,
    taskNumber: context.taskNumber,
    connectorType: kind.connectorType,
    runId: randomUUID(),
  })
}

/** Statements are in the character set of the session that ran them; UTF-8 when it is not said or cannot be decoded. */
const decodeStatement: StatementDecoder = (bytes, start, end, collation) => {
  const charset = collationById(collation)?.charset
  const decoder = charset === undefined ? undefined : charsetNamed(charset)
  return decoder === undefined || charset === 'binary' ? bytes.utf8Slice(start, end) : decoder.decode(bytes, start, end)
}
