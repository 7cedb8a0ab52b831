import type { SchemaEvent, TableId } from '@tributary/connector-kit'
import { isRetriable, StoppedError, toError } from '@tributary/support'
import { isRecorded } from '../config/recorded-tables.ts'
import { readFileCreated } from '../flavor/file-created.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { printTable, withoutDefinition } from '../tables/print-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { BegunTransaction } from './begun-transaction.ts'
import { ChangedTables } from './changed-tables.ts'
import { type CurrentStructure, readCurrentStructure } from './current-structure.ts'
import type { EarlierModel, HistoryLoss } from './history-loss.ts'
import type { RecoverySourceOptions } from './recovery-options.ts'
import { openSession } from './snapshot-session.ts'
import { StatementReplay } from './statement-replay.ts'
import { StructureHistory } from './structure-history.ts'
import { scanBinlog } from './structure-scan.ts'

/**
 * Rebuilds a schema history that was lost, as of the stored offset. A definition is taken over only where it is known to
 * be that of the offset:
 *
 * ```
 *  checkpoint ── its model, and the statements of the binlog ──▶ stored offset ── no statement about the table? ──▶ now
 * ```
 *
 * 1. From the checkpoint, when the server still has the binlog between it and the offset: each statement there is applied.
 * 2. Otherwise from the definitions that the server has now: those of tables that no statement after the offset changed,
 *    and that were not altered without the binlog either.
 *
 * Other tables stay unknown. When the stream meets their rows, it reads them by the names in the binlog
 * (`binlog_row_metadata=FULL`), or by a definition that is proved to be that of the rows, or it stops the table.
 */
export class HistoryRebuild {
  readonly #options: RecoverySourceOptions
  readonly #loss: HistoryLoss

  constructor(options: RecoverySourceOptions, loss: HistoryLoss) {
    this.#options = options
    this.#loss = loss
  }

  async run(signal: AbortSignal): Promise<StructureHistory> {
    const { config, stored, logger } = this.#options
    const { reason, checkpoint, isKeptNowhere } = this.#loss
    if (isKeptNowhere !== true) {
      logger.warn(
        `The schema history topic '${config.historyTopic}' ${reason}: it is rebuilt as of the stored offset ${stored.file}:${stored.position}`,
      )
    }
    const structure = new StructureHistory({ ...this.#options, readsRows: false, batchRowsMax: config.batchRowsMax })
    const isDone = checkpoint !== null && (await this.#fromCheckpoint(checkpoint, structure, signal))
    if (!isDone) await this.#fromServer(structure, signal)
    return structure
  }

  /** False, and logged: the binlog after the checkpoint is not there any more, or cannot be read. */
  async #fromCheckpoint(checkpoint: EarlierModel, structure: StructureHistory, signal: AbortSignal): Promise<boolean> {
    const { interpreter, stored, logger } = this.#options
    const which = `its checkpoint up to offset ${checkpoint.end}`
    const brought = await this.#bringForward(checkpoint, signal)
    if (typeof brought === 'string') {
      logger.warn(`The schema history cannot be rebuilt from ${which}: ${brought}`)
      return false
    }
    interpreter.restore(brought.interpreter.state)
    for (const { id } of stored.stopped) interpreter.forget(id)
    const events = this.#eventsOf(interpreter)
    await structure.persistEvents(events, stored, signal)
    const count = events.filter(({ changes }) => changes[0]?.type === 'CREATE').length
    logger.warn(
      `The schema history is rebuilt from ${which} and ${brought.statements} statement(s) of the binlog: ${count} tables`,
    )
    return true
  }

  /** The model of the checkpoint, after the statements of the binlog up to the stored offset; or why it is not known. */
  async #bringForward(
    checkpoint: EarlierModel,
    signal: AbortSignal,
  ): Promise<{ readonly interpreter: DdlInterpreter; readonly statements: number } | string> {
    const { stored, serverInfo, flavor, connection, clock, binlog, config, createInterpreter } = this.#options
    const { identity } = serverInfo
    const { position } = checkpoint
    if (position.serverIdentity !== identity || stored.serverIdentity !== identity) return 'it is of another server'
    const interpreter = createInterpreter()
    interpreter.restore(checkpoint.state())
    const replay = new StatementReplay(interpreter, (database) => config.filter.includesDatabase(database))
    // After a reset the server uses the names of its files again.
    const created = await readFileCreated({ flavor, connection, clock }, position.file, signal)
    if (created === null || created !== position.restart.file.createdSeconds)
      return `the server has no binlog file ${position.file} of that time any more`
    if (position.isSamePlace(stored)) return { interpreter, statements: 0 }
    const begun = stored.isInTransaction ? await this.#statementInTransaction(signal) : null
    if (begun !== null) return begun
    if (position.file === stored.file && position.position === stored.position) return { interpreter, statements: 0 }
    const from = { ...binlog, dump: { ...binlog.dump, start: flavor.dumpStart(position, serverInfo) } }
    const until = { file: stored.file, position: stored.position, gtids: null }
    const isRead = await this.#scan(replay, { binlog: from, until, silenceMsMax: config.keepAliveIntervalMs }, signal)
    if (isRead !== null) return isRead
    return { interpreter, statements: replay.statements }
  }

  /** Why the model at the begin of the transaction that the stored offset is in is not that of the offset; null: it is. */
  async #statementInTransaction(signal: AbortSignal): Promise<string | null> {
    const { connection: options, serverInfo, flavor, binlog, config, interpreter } = this.#options
    const transaction = new BegunTransaction(interpreter)
    await using connection = await openSession(options, signal)
    const until = await flavor.readPosition(connection, serverInfo, signal)
    const failure = await this.#scan(transaction, { binlog, until, silenceMsMax: config.keepAliveIntervalMs }, signal)
    if (failure !== null || transaction.statement === null) return failure
    return `the stored offset is in the transaction of '${transaction.statement.slice(0, STATEMENT_CHARACTERS_MAX)}'`
  }

  /** Null: done. Otherwise why the binlog cannot be read. */
  async #scan(
    visitor: Parameters<typeof scanBinlog>[0],
    options: Omit<Parameters<typeof scanBinlog>[1], 'clock'>,
    signal: AbortSignal,
  ): Promise<string | null> {
    try {
      await scanBinlog(visitor, { ...options, clock: this.#options.clock }, signal)
      return null
    } catch (thrown) {
      const error = toError(thrown)
      if (error instanceof StoppedError || isRetriable(error)) throw error
      return `the binlog cannot be read ahead (${error.message})`
    }
  }

  /** What defines databases and tables anew. */
  #eventsOf(interpreter: DdlInterpreter): readonly SchemaEvent[] {
    const { filter } = this.#options.config
    const { databaseCharsets } = interpreter.state
    const databases = databaseCharsets
      .filter(([database]) => filter.includesDatabase(database))
      .map(([databaseName, charset]) => ({
        databaseName,
        ddl: `CREATE DATABASE ${quoted(databaseName)} CHARSET ${charset}`,
        changes: [],
      }))
    const tables = [...interpreter.tables].filter(({ id }) => isRecorded(this.#options.config, id))
    return [...databases, ...tables.flatMap((table) => this.#eventsOfTable(table, interpreter))]
  }

  #eventsOfTable(table: MySqlTable, interpreter: DdlInterpreter): readonly SchemaEvent[] {
    const { id } = table
    const databaseName = id.database
    const ddl = printTable(table, (of, sql) => interpreter.derive(of, sql))
    const create: SchemaEvent = { databaseName, ddl, changes: [{ type: 'CREATE', id, previousId: null, table }] }
    if (ddl !== withoutDefinition(id)) return [create]
    // Of an earlier record of the table, a reader would keep the keys.
    const changes = [{ type: 'DROP', id, previousId: null, table: null }] as const
    return [{ databaseName, ddl: `DROP TABLE IF EXISTS ${quoted(databaseName)}.${quoted(id.table)}`, changes }, create]
  }

  async #fromServer(structure: StructureHistory, signal: AbortSignal): Promise<void> {
    const { interpreter, stored } = this.#options
    const isWanted = this.#loss.isComplete ? null : (id: TableId) => !interpreter.tables.has(id)
    const current = await readCurrentStructure(this.#options, isWanted, signal)
    const changed = await this.#changedSince(current, signal)
    const unknown = new Map<TableId, string>()
    const isLeftOut = (id: TableId): boolean => {
      const why = this.#doubt(id, current, changed)
      if (why !== null) unknown.set(id, why)
      return why !== null
    }
    const statements = changed.hasDatabaseStatements
      ? current.statements.filter(({ sql }) => !sql.startsWith('CREATE DATABASE'))
      : current.statements
    await structure.persist(statements, stored, signal, isLeftOut)
    if (changed.hasDatabaseStatements) interpreter.forgetCharsets()
    const count = statements.filter(({ sql }) => sql.startsWith('CREATE TABLE')).length
    this.#report(
      `The schema history is rebuilt from the definitions that the server has now: ${count - unknown.size} of ${count} tables had the same definition at the stored offset`,
    )
    this.#logUnknown(unknown)
  }

  /** A task that keeps no history has lost none: there is nothing to warn of. */
  #report(text: string): void {
    const { logger } = this.#options
    if (this.#loss.isKeptNowhere === true) logger.info(text)
    else logger.warn(text)
  }

  #logUnknown(unknown: ReadonlyMap<TableId, string>): void {
    if (unknown.size === 0) return
    const named = Array.from(unknown, ([id, why]) => `${id.toString()} (${why})`).slice(0, NAMED_MAX)
    const others = unknown.size > NAMED_MAX ? `, and ${unknown.size - NAMED_MAX} others` : ''
    this.#report(
      `The definitions of ${unknown.size} tables at the stored offset are not known yet: ${named.join(', ')}${others}. Their rows are read as soon as the binlog proves their definition; a table without proof stops, and the log names it`,
    )
  }

  async #changedSince({ position: until }: CurrentStructure, signal: AbortSignal): Promise<ChangedTables> {
    const { interpreter, serverInfo, stored, binlog, config, logger } = this.#options
    const changed = new ChangedTables(interpreter, sameTableOn(serverInfo))
    // With GTIDs the stored file may be one of another server.
    if (stored.gtids === null && until.file === stored.file && until.position <= stored.position) return changed
    const [from, to] = [`${stored.file}:${stored.position}`, `${until.file}:${until.position}`]
    logger.info(`Looking for statements about tables in the binlog from ${from} to ${to}`)
    const failure = await this.#scan(changed, { binlog, until, silenceMsMax: config.keepAliveIntervalMs }, signal)
    if (failure !== null) changed.addAll(failure)
    return changed
  }

  /** Why the current definition of the table may not be that of the stored offset; null when it is. */
  #doubt(id: TableId, { changedAt }: CurrentStructure, changed: ChangedTables): string | null {
    const { stored } = this.#options
    if (stored.stopped.get(id) !== undefined) return 'it is stopped'
    const statement = changed.whyChanged(id)
    if (statement !== null) return `changed by ${statement}`
    const time = changedAt.get(id)
    const isLater = time !== undefined && stored.timestampSeconds > 0 && time >= stored.timestampSeconds
    return isLater ? 'altered at that time or later' : null
  }
}

/** Enough for a log line. */
const NAMED_MAX = 20
const STATEMENT_CHARACTERS_MAX = 200
