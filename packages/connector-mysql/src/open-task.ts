import { isRecorded } from './config/recorded-tables.ts'
import {
  ChangePipeline,
  NoSchemaHistory,
  openKafkaSchemaHistory,
  ReadOnlySchemaHistory,
  type SchemaHistory,
  type SourceSequence,
} from '@tributary/connector-kit'
import type { PollResult, SignalResult, SourceOffset, TaskSignal } from '@tributary/connect-api'
import type { RecordFormatName } from '@tributary/connector-kit'
import type { MySqlConnectionOptions } from '@tributary/mysql'
import { sideBySide } from '@tributary/support'
import { type AddedTables, earlierFilter, findAddedTables } from './added-tables.ts'
import type { StreamPosition } from './offset/stream-position.ts'
import { connectionOptions } from './connection-options.ts'
import { connectorErrors } from './errors.ts'
import { inspectHistory, knownFormats } from './find-format.ts'
import { type SnapshotMode, takesSnapshot } from './config/snapshot-mode.ts'
import { findMissing, inspectServer, readBeginning, type Server } from './inspect-server.ts'
import { HistoryCheckpoints } from './history-checkpoints.ts'
import { openSpool } from './open-spool.ts'
import type { TaskSpool } from './streaming/spool/late-spool.ts'
import { createInterpreter } from './record-parts.ts'
import { LiteralConverters } from './literals/literal-converters.ts'
import { type HistoryRecovery, recoverHistory } from './recover-history.ts'
import type { HistoryLoss } from './snapshot/history-loss.ts'
import { decideBeginning } from './snapshot/snapshot-decision.ts'
import { whyNotResumed } from './snapshot/snapshot-resume.ts'
import { fieldsOfV2 } from './config/fields-of-v2.ts'
import { chooseFormat } from './source/choose-format.ts'
import { type TaskRecords, taskRecords } from './task-records.ts'
import { partitionOf, storedPosition, taskLogger, type TaskSettings } from './task-settings.ts'
import { TaskSources, type TaskSourcesOptions } from './task-sources.ts'

export interface OpenOptions {
  readonly isFirstTry: boolean
  readonly signal: AbortSignal
}

/** A task that has inspected its server and its schema history. */
export interface OpenTask {
  /** Whether the task has begun to read changes. */
  readonly hasStreamed: boolean
  poll(signal: AbortSignal): Promise<PollResult>
  /** Called before an offset of the task is sent to be stored. Absent: nothing depends on it. */
  readonly onStoring?: (offset: SourceOffset) => void
  /** Called after an offset of the task was stored. Absent: nothing depends on it. */
  readonly onStored?: (offset: SourceOffset) => void
  /** Runs a signal; null: this task has none. */
  readonly signal?: (signal: TaskSignal) => Promise<SignalResult> | null
  close(): Promise<void>
}

/**
 * Inspects the server and the schema history, and decides what the task starts with. All of it or nothing: an attempt
 * that fails leaves nothing open, and the next one begins with a table model of its own.
 */
export async function openTask(settings: TaskSettings, options: OpenOptions): Promise<OpenTask> {
  const { context, config } = settings
  const logger = taskLogger(settings, 'task')
  const connection = await connectionOptions(config, logger)
  const keepsHistory = context.isRehearsal !== true && context.keepsNothing !== true
  const history = openHistory(settings)
  let spool: TaskSpool | null = null
  try {
    const [server, ofHistory] = await inspect(settings, connection, history, options)
    logger.info(`Connected to ${server.info.version} at ${config.host}:${config.port} as user '${config.user}'`)
    const format = chooseFormat({ ...knownFormats(settings), ofHistory }, logger)
    if (format === 'v1') warnOfFieldsOfV2(settings)
    const records = taskRecords(withLiterals(settings), server.flavor.name, format)
    const interpreter = createInterpreter(server, config)
    const checkpoints = checkpointsOf(settings, { history, interpreter, server })
    const opened = await openSpool(settings, server.flavor.name, options.signal)
    spool = opened
    const parts = { settings, connection, server, history, interpreter, checkpoints, records, spool }
    const taskSources = new TaskSources(parts)
    const sources = await chooseSources(taskSources, parts, options.signal)
    const pipeline = new ChangePipeline({
      sources,
      stages: taskSources.stages,
      sideSources: taskSources.sideSources,
      clock: context.clock,
    })
    return {
      get hasStreamed() {
        return taskSources.hasStreamed
      },
      poll: (signal) => {
        if (keepsHistory) checkpoints.tick()
        return pipeline.poll(signal)
      },
      close: () =>
        closeAll([
          () => checkpoints[Symbol.asyncDispose](),
          () => pipeline.close(),
          () => taskSources.close(),
          () => history[Symbol.asyncDispose](),
          () => opened?.[Symbol.asyncDispose](),
        ]),
      signal: (signal) => taskSources.signal(signal),
      onStoring: (offset) => opened?.onStoring(offset),
      onStored: (offset) => {
        opened?.onStored(offset)
        taskSources.onStored(offset)
      },
    }
  } catch (error) {
    await spool?.[Symbol.asyncDispose]()
    await history[Symbol.asyncDispose]()
    throw error
  }
}

function openHistory({ context, config, ...settings }: TaskSettings): SchemaHistory {
  if (context.keepsNothing === true) return new NoSchemaHistory()
  const stored = openKafkaSchemaHistory({
    bootstrapServers: config.historyBootstrapServers,
    topic: config.historyTopic,
    properties: config.properties,
    clientId: `${config.topicPrefix}-schemahistory`,
    mayWrite: context.mayWrite ?? (() => true),
    logger: taskLogger({ context, config, ...settings }, 'task'),
    clock: context.clock,
  })
  return context.isRehearsal === true ? new ReadOnlySchemaHistory(stored) : stored
}

function withLiterals(settings: TaskSettings): TaskSettings {
  if (settings.context.addsLiterals !== true) return settings
  return { ...settings, config: { ...settings.config, converters: new LiteralConverters() } }
}

function checkpointsOf(
  settings: TaskSettings,
  { history, interpreter, server }: Pick<TaskSourcesOptions, 'history' | 'interpreter' | 'server'>,
): HistoryCheckpoints {
  const { config, context } = settings
  const { lowerCaseTableNames } = server.info
  return new HistoryCheckpoints({
    history,
    interpreter,
    flavor: server.flavor,
    server: config.topicPrefix,
    settings: { ...config, lowerCaseTableNames },
    isRecorded: (id) => isRecorded(config, id),
    isDatabaseRecorded: (database) => config.filter.includesDatabase(database),
    clock: context.clock,
    logger: taskLogger(settings, 'task'),
  })
}

/** Closes all in this order, also after an error, which is then thrown: nothing may go on reading. */
async function closeAll(closes: readonly (() => PromiseLike<void> | undefined)[]): Promise<void> {
  const [first, ...others] = closes
  try {
    await first?.()
  } finally {
    if (others.length > 0) await closeAll(others)
  }
}

/**
 * The first try inspects both at the same time, since a registration waits for it. Later ones leave the history alone
 * until the database has answered: while that is unreachable, each would read the history again and take a new producer
 * id.
 */
async function inspect(
  settings: TaskSettings,
  connection: MySqlConnectionOptions,
  history: SchemaHistory,
  { isFirstTry, signal }: OpenOptions,
): Promise<readonly [Server, RecordFormatName | null]> {
  const ofDatabase = (limit: AbortSignal): Promise<Server> => inspectServer(settings, connection, limit)
  const ofPast = (limit: AbortSignal): Promise<RecordFormatName | null> => inspectHistory(settings, history, limit)
  return isFirstTry ? sideBySide([ofDatabase, ofPast], signal) : [await ofDatabase(signal), await ofPast(signal)]
}

/**
 * As `snapshot.mode` and the stored offset decide: stream from it, or first take a snapshot, or rebuild the history.
 */
async function chooseSources(
  sources: TaskSources,
  parts: TaskSourcesOptions,
  signal: AbortSignal,
): Promise<SourceSequence> {
  const { settings, server, connection, history, interpreter, records, spool } = parts
  const { config, context, numbers } = settings
  const beginning = await decideBeginning({
    mode: config.snapshotMode,
    stored: storedPosition(settings),
    connectorName: context.connectorName,
    findMissing: async (stored) => {
      const missing = await findMissing(settings, server, connection, { stored, signal })
      const isPurged = missing !== null && missing.isOtherHistory !== true && missing.lacking === null
      return isPurged && (await spool?.has(stored, server.info.identity)) === true ? null : missing
    },
    whyNotResumed: (stored) => whyNotResumed(stored, config),
    logger: taskLogger(settings, 'task'),
  })
  const isRehearsal = context.isRehearsal === true
  const refuse = (reason: string): Error =>
    connectorErrors.REHEARSAL_REFUSED({ reason, connector: context.connectorName })
  if (isRehearsal && beginning.tag !== 'stream') throw refuse(WOULD_BEGIN[beginning.tag])
  switch (beginning.tag) {
    case 'snapshot':
      // The position was found to be lost: what a snapshot needs was not checked.
      if (!takesSnapshot(config.snapshotMode, storedPosition(settings))) {
        sources.mayLock = (await inspectServer(settings, connection, signal, true)).mayLock
      }
      return sources.snapshot(beginning.readsRows, null)
    case 'resume': {
      const { stored } = beginning
      const loss = await recoverHistory({ ...recoveryOf(parts, stored), isInSnapshot: true }, signal)
      const logger = taskLogger(settings, 'task')
      if (loss === null) logger.info(CONTINUES)
      else logger.warn(`The unfinished snapshot begins again: the schema history ${loss.reason}`)
      return sources.snapshot(true, loss === null ? stored : null)
    }
    case 'recovery':
      resumeTransaction(settings, records)
      await history.initialize(signal)
      return sources.recovery(beginning.stored, null)
    case 'stream': {
      const { stored } = beginning
      numbers.snapshot.state = 'skipped'
      resumeTransaction(settings, records)
      const loss = await recoverHistory(recoveryOf(parts, stored), signal)
      if (isRehearsal && loss !== null && !isExpected(loss, config.snapshotMode)) {
        throw refuse(`rebuild the schema history: its topic ${config.historyTopic} ${loss.reason}`)
      }
      const isLost = loss !== null && !isExpected(loss, config.snapshotMode)
      const added = await addedTables({ settings, connection, interpreter }, stored, signal)
      const from = stored.withIncremental(stored.incremental.withAdded(added.collections))
      const gap = isLost ? loss : gapOf(added)
      if (loss !== null || gap !== null) await history.initialize(signal)
      sources.capturedLists = added.capturedLists
      if (gap !== null)
        return sources.recovery(from, context.keepsNothing === true ? { ...gap, isKeptNowhere: true } : gap)
      taskLogger(settings, 'snapshot').info(SKIPPED)
      return sources.stream(from)
    }
    case 'beginning':
      await history.initialize(signal)
      return sources.stream(await readBeginning(settings, server, connection, { format: records.format.name, signal }))
  }
}

function recoveryOf(
  { settings, history, interpreter, checkpoints, server }: TaskSourcesOptions,
  stored: StreamPosition,
): HistoryRecovery {
  const { config, context, numbers } = settings
  return {
    history,
    interpreter,
    checkpoints,
    flavor: server.flavor,
    stored,
    server: config.topicPrefix,
    logger: taskLogger(settings, 'task'),
    numbers: numbers.history,
    clock: context.clock,
  }
}

async function addedTables(
  { settings, connection, interpreter }: Pick<TaskSourcesOptions, 'settings' | 'connection' | 'interpreter'>,
  stored: StreamPosition,
  signal: AbortSignal,
): Promise<AddedTables> {
  const { config, context } = settings
  const logger = taskLogger(settings, 'task')
  const before = context.isRehearsal === true ? null : earlierFilter(config, stored, logger)
  if (before === null) return { collections: [], undefinedNames: [], capturedLists: config.capturedLists }
  return findAddedTables({ config, before, connection, interpreter, logger }, signal)
}

/** Null: the history has the definitions of all of them. */
function gapOf({ undefinedNames }: AddedTables): HistoryLoss | null {
  if (undefinedNames.length === 0) return null
  const reason = `has no definitions of tables that were added to the captured ones: ${undefinedNames.join(', ')}`
  return { reason, isComplete: false, checkpoint: null }
}

/** The events of a transaction that was interrupted are numbered on. */
function resumeTransaction(settings: TaskSettings, { transactions }: TaskRecords): void {
  const document = settings.context.storedOffset(partitionOf(settings))
  if (document !== null) transactions?.counter.resume(document)
}

/** Without a snapshot the history has only what was streamed: until the first statement, nothing. */
function isExpected({ isComplete }: HistoryLoss, mode: SnapshotMode): boolean {
  return isComplete && mode.atFirst === 'beginning' && !mode.rebuildsHistory
}

/** What a task would do instead of continuing from its offset. */
const WOULD_BEGIN = {
  resume: 'continue an unfinished snapshot',
  snapshot: 'take a snapshot, because of snapshot.mode, a missing offset, or an unfinished snapshot',
  recovery: 'rebuild the schema history (snapshot.mode=recovery)',
  beginning: 'read the binary log from its beginning, because there is no stored offset',
} as const

const CONTINUES =
  'The previous snapshot did not complete: it continues with the tables that are left. The stream begins at its position'

const SKIPPED =
  'A previous offset indicating a completed snapshot has been found. Neither schema nor data will be snapshotted. Snapshot ended with SnapshotResult [status=SKIPPED]'

/** Logged once: a task may open many times. */
function warnOfFieldsOfV2(settings: TaskSettings): void {
  const { config, loggedWarnings } = settings
  for (const { name, reason } of fieldsOfV2(config.properties)) {
    const message = `The property ${name} ${reason}`
    if (!loggedWarnings.has(message)) taskLogger(settings, 'task').warn(message)
    loggedWarnings.add(message)
  }
}
