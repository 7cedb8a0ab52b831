import { type Poll, type RecordFormat, type TableId, TableId as TableIds, type Tables } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { type BinlogEvent, type QueryEvent, type RowsEvent, type TableMap, transactionControl } from '@tributary/mysql'
import { CodedError, type Logger, unreachable } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { compressedColumns } from '../tables/compressed-columns.ts'
import { quoted } from '../tables/quoted-name.ts'
import { BinlogCursor } from './binlog-cursor.ts'
import { BinlogRows } from './binlog-rows.ts'
import type { DdlContext, DdlHandler } from './ddl-handler.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import type { DefinitionLearner } from './definition-learner.ts'
import { EventFailures } from './event-failures.ts'
import { type EventHeader, placeOf } from './event-place.ts'
import type { LogPlace } from './log-place.ts'
import { ResumeSkip } from './resume-skip.ts'
import type { ResumeDecision } from './resume-table.ts'
import { type CapturedRows, NOT_CAPTURED, type RowBinding } from './row-binding.ts'
import { RowBindings } from './row-bindings.ts'
import type { RowPlaces } from './row-places.ts'
import { hasSequenceShape } from './sequence-shape.ts'
import { mayMissRows, shortened } from './unlogged-rows.ts'

export interface BinlogTranslatorOptions {
  readonly config: Pick<ConnectorConfig, 'filter' | 'failureHandling' | 'host' | 'port'>
  readonly tables: Tables<MySqlTable>
  readonly compiler: TableCompiler
  readonly format: RecordFormat<SourceInfo>
  readonly places: RowPlaces
  readonly ddl: DdlHandler
  readonly learner: DefinitionLearner
  readonly connectorName: string
  readonly logger: Logger
}

/**
 * Translates the events of one connection to the binlog into changes, in their order, and keeps the position. Lives as
 * long as that connection: after a reconnect, another one starts at the position of the last handled event.
 *
 * `handle` returns a promise only when an event has to wait: a statement that changes the schema, rows of a table that
 * is not known yet, or a stage that waits. The position moves only once the event is handled, so one that fails is read
 * again.
 */
export class BinlogTranslator {
  readonly #options: BinlogTranslatorOptions
  readonly #header: EventHeader
  readonly #cursor: BinlogCursor
  readonly #skip: ResumeSkip
  readonly #bindings: RowBindings
  readonly #rows: BinlogRows
  readonly #failures: EventFailures
  #threadId: number | null = null

  /**
   * @param header the fields of the reader: they describe the event that `handle` is called with
   * @param start where the dump was asked to start, and what of the transaction there is done
   */
  constructor(options: BinlogTranslatorOptions, header: EventHeader, start: StreamPosition) {
    const { format, places, config, logger } = options
    this.#options = options
    this.#header = header
    this.#cursor = new BinlogCursor(start)
    this.#skip = new ResumeSkip(start)
    this.#bindings = new RowBindings({ ...options, isStopped: (id) => this.#isStopped(id) })
    this.#rows = new BinlogRows({ format, places, cursor: this.#cursor, header })
    this.#failures = new EventFailures(config.failureHandling, logger)
  }

  #isStopped(id: TableId): boolean {
    return this.#cursor.position.stopped.get(id) !== undefined
  }

  /** The position after everything that was handled, by this connection or before it. */
  get position(): StreamPosition {
    return this.#skip.handledUpTo(this.#cursor.position)
  }

  handle(event: BinlogEvent, poll: Poll): Promise<void> | null {
    const cursor = this.#cursor
    const header = this.#header
    cursor.observe(header.timestampSeconds, header.serverId)
    switch (event.tag) {
      case 'rows':
        return this.#translateRows(event, poll)
      case 'query':
        return this.#translateQuery(event, poll)
      case 'gtid':
        cursor.nameTransaction(event)
        return this.#complete()
      case 'mariadbGtid':
        cursor.nameTransaction(event)
        return event.isStandalone ? this.#complete() : this.#begin(null, poll)
      case 'xid':
      case 'xaPrepare':
        return this.#end(poll)
      case 'rotate':
        // Each binlog file reports again which tables and columns are left out.
        this.#bindings.forgetRefused()
        cursor.enterFile(event.file, event.position)
        return null
      case 'incident':
        this.#failures.handle(connectorErrors.INCIDENT({ position: placeOf(header), reason: event.message }))
        return this.#complete()
      case 'heartbeat':
        return null
      case 'formatDescription':
        if (!cursor.describeFile(header.timestampSeconds)) throw this.#reset()
        return this.#complete()
      case 'anonymousGtid':
      case 'previousGtids':
      case 'mariadbGtidList':
      case 'tableMap':
      case 'statement':
      case 'stop':
      case 'ignored':
        return this.#complete()
      default:
        return unreachable(event)
    }
  }

  /** The binlog was reset after the connection had been checked. */
  #reset(): Error {
    const { config, connectorName: connector } = this.#options
    const { file } = this.#header
    return connectorErrors.BINLOG_RESET({
      address: `${config.host}:${config.port}`,
      position: this.position.describe(),
      needed: `the file ${file} that it has read before`,
      available: 'the server has created another one of that name',
      connector,
    })
  }

  /** An event is done that begins and ends no transaction. */
  #complete(): null {
    this.#cursor.accept(this.#cursor.afterEvent(this.#header.nextPosition))
    return null
  }

  #begin(threadId: number | null, poll: Poll): Promise<void> | null {
    const cursor = this.#cursor
    const position = cursor.afterBegin(this.#header.position)
    this.#threadId = threadId
    // The text of a GTID is made only while something may have to be skipped: this runs for every transaction.
    if (!this.#skip.isOver) this.#warnWhenOther(this.#skip.begin(this.#gtid))
    const waiting = poll.handle({ tag: 'begin', transaction: cursor.transaction, position })
    if (waiting !== null) return waiting.then(() => cursor.begin(position))
    cursor.begin(position)
    return null
  }

  get #gtid(): string | null {
    return this.#cursor.transaction?.toString() ?? null
  }

  #warnWhenOther(decision: ResumeDecision): void {
    if (decision !== 'handleAndWarn') return
    this.#options.logger.warn(
      `The transaction in which the connection was lost is not the next one on this server: at ${placeOf(this.#header)} it sends ${this.#gtid}, and no event of that is skipped. A server that took over without the interrupted transaction does not have its rows. If it sends that transaction later, the first ${this.#skip.start.event} events of it are skipped`,
    )
  }

  #end(poll: Poll): Promise<void> | null {
    const position = this.#cursor.afterCommit(this.#header.nextPosition)
    const waiting = poll.handle({ tag: 'end', position })
    if (waiting !== null) return waiting.then(() => this.#commit(position))
    this.#commit(position)
    return null
  }

  /** The current transaction, or the statement that is one by itself, is done. */
  #commit(position: StreamPosition): void {
    this.#cursor.commit(position)
    if (!this.#skip.isOver) this.#skip.end()
  }

  #translateQuery(event: QueryEvent, poll: Poll): Promise<void> | null {
    const control = transactionControl(event.sql)
    if (control === null) {
      if (this.#skipsStatement()) return this.#complete()
      return this.#cursor.hasEffect ? this.#translateStatement(event, poll) : this.#ignoreStatement()
    }
    switch (control.tag) {
      case 'begin':
        // Debezium names the thread of a plain transaction only.
        return this.#begin(control.isXa ? null : event.threadId, poll)
      case 'end':
        return this.#end(poll)
      case 'inside':
        return this.#complete()
      default:
        return unreachable(control)
    }
  }

  #skipsStatement(): boolean {
    const { position } = this.#cursor
    if (this.#skip.isOver) return false
    if (position.isInTransaction) return this.#skip.event('otherEvent', position.event) === 'skip'
    // By itself, a statement is the transaction that its GTID names.
    this.#warnWhenOther(this.#skip.statementAlone(this.#gtid))
    return false
  }

  /** A statement by itself that changes nothing is done. */
  #ignoreStatement(): null {
    this.#commit(this.#cursor.afterCommit(this.#header.nextPosition))
    return null
  }

  async #translateStatement(event: QueryEvent, poll: Poll): Promise<void> {
    const { ddl, config, tables } = this.#options
    const { nextPosition } = this.#header
    const cursor = this.#cursor
    const isAlone = !cursor.position.isInTransaction
    const after = isAlone ? cursor.afterCommit(nextPosition) : cursor.afterEvent(nextPosition)
    const handled = await ddl.handle(event, { ...this.#ddlContext(), position: after, isAlone }, poll)
    const { position } = handled
    const { statement } = handled.outcome
    if (statement?.tag === 'dml' && mayMissRows(event, statement.table, config.filter, tables)) {
      const text = shortened(event.sql)
      this.#failures.handle(connectorErrors.STATEMENT_FORMAT({ statement: text, position: placeOf(this.#header) }))
    }
    if (isAlone) this.#commit(position)
    else cursor.accept(position)
  }

  /** Debezium names no thread for a statement, and its time in whole milliseconds. */
  #ddlContext(): DdlContext {
    const { commitMicros, position } = this.#cursor
    const header = this.#header
    return {
      info: {
        timestampSeconds: header.timestampSeconds,
        timestampMicros: commitMicros === null ? header.timestampSeconds * 1e6 : commitMicros - (commitMicros % 1000),
        serverId: header.serverId,
        gtid: this.#gtid,
        file: header.file,
        position: header.position,
        row: 0,
        snapshot: 'false',
        threadId: null,
      },
      isAlone: false,
      positionBefore: position,
      position,
      place: this.#placeFrom(this.#placeAfter),
      stopped: position.stopped,
    }
  }

  /** In the binlog of the current server. */
  get #placeAfter(): LogPlace {
    return { file: this.#header.file, position: this.#header.nextPosition }
  }

  #placeFrom(from: LogPlace): DefinitionPlace {
    return { after: this.#placeAfter, from, identity: this.#cursor.position.serverIdentity }
  }

  #translateRows(event: RowsEvent, poll: Poll): Promise<void> | null {
    const decision = this.#skip.isOver ? 'handle' : this.#skip.event('rows', this.#cursor.position.event)
    if (decision === 'skip') return this.#complete()
    const skippedRows = decision === 'skipRows' ? this.#skip.start.row : 0
    const binding = this.#bindings.of(event.table)
    switch (binding.tag) {
      case 'notCaptured':
        return this.#complete()
      case 'captured':
        return this.#handRows(event, binding, skippedRows, poll)
      case 'unknown':
        return this.#learnAndHandRows(event, binding.reason, skippedRows, poll)
      default:
        return unreachable(binding)
    }
  }

  #handRows(event: RowsEvent, binding: CapturedRows, skippedRows: number, poll: Poll): Promise<void> | null {
    const position = this.#cursor.afterEvent(this.#header.nextPosition)
    const produced = poll.records.length
    try {
      const rows = this.#rows.load(event, binding, this.#threadId, skippedRows)
      const waiting = poll.handle({ tag: 'rows', rows, position })
      if (waiting !== null) return this.#awaitRows(waiting, position, produced, poll)
    } catch (error) {
      this.#leaveOut(error, produced, poll)
    }
    this.#cursor.accept(position)
    return null
  }

  async #awaitRows(waiting: Promise<void>, position: StreamPosition, produced: number, poll: Poll): Promise<void> {
    try {
      await waiting
    } catch (error) {
      this.#leaveOut(error, produced, poll)
    }
    this.#cursor.accept(position)
  }

  #leaveOut(error: unknown, produced: number, poll: Poll): void {
    // Anything else than a coded error is a bug of this program, which no setting permits.
    if (!(error instanceof CodedError)) throw error
    poll.records.length = produced
    this.#failures.handle(error)
  }

  async #learnAndHandRows(event: RowsEvent, reason: string, skippedRows: number, poll: Poll): Promise<void> {
    const binding = this.#isReadable(event.table)
      ? await this.#learn(event.table, reason, poll.signal)
      : ({ tag: 'unknown', reason } as const)
    if (binding.tag === 'unknown') await this.#refuse(event.table, binding.reason, poll.signal)
    else this.#bindings.set(event.table, binding)
    if (binding.tag === 'captured') await this.#handRows(event, binding, skippedRows, poll)
    else this.#complete()
  }

  /** Finds the definition of a table that is captured but unknown, or known otherwise. */
  async #learn(map: TableMap, reason: string, signal: AbortSignal): Promise<RowBinding> {
    const { tables, learner, ddl } = this.#options
    const id = TableIds.of(map.database, map.table)
    if (!tables.has(id) && hasSequenceShape(map) && (await ddl.isSequence(id, signal))) return NOT_CAPTURED
    const { position } = this.#cursor
    const { tableId, timestampSeconds } = this.#header
    // A dump cannot start at the rows: the map of their table is before them.
    const place = this.#placeFrom({ file: position.file, position: position.position })
    return learner.forRows({ id, map, reason, place, position, proof: { tableId, timestampSeconds } }, signal)
  }

  #isReadable(map: TableMap): boolean {
    return compressedColumns(map, undefined).length === 0
  }

  #refusal(map: TableMap, id: TableId, reason: string): CodedError {
    const { connectorName: connector, tables } = this.#options
    const compressed = compressedColumns(map, tables.get(id))
    const facts = { table: id.toString(), position: placeOf(this.#header), connector }
    const remedy = `ALTER TABLE ${quoted(id.database)}.${quoted(id.table)}`
    if (compressed.length === 0) return connectorErrors.TABLE_UNKNOWN({ ...facts, reason, remedy })
    return connectorErrors.COLUMNS_COMPRESSED({ ...facts, columns: compressed.join(', '), remedy })
  }

  /** Stops the table, or leaves its rows out, as `event.processing.failure.handling.mode` demands. */
  async #refuse(map: TableMap, reason: string, signal: AbortSignal): Promise<void> {
    const { config, connectorName, learner, logger } = this.#options
    const id = TableIds.of(map.database, map.table)
    const place = placeOf(this.#header)
    const error = this.#refusal(map, id, reason)
    const { position } = this.#cursor
    if (config.failureHandling !== 'fail') {
      this.#failures.handle(error)
      // The next statement on the table must not change the wrong definition: it yields the right one.
      await learner.forget(id, position, signal)
      this.#bindings.refuse(map)
      return
    }
    if (position.stopped.size >= STOPPED_MAX) {
      const table = id.toString()
      throw connectorErrors.TABLES_STOPPED(
        { max: STOPPED_MAX, table, position: place, reason, connector: connectorName },
        error,
      )
    }
    await learner.forget(id, position, signal)
    this.#cursor.accept(position.withStopped(position.stopped.with({ id, since: place })))
    logger.error(`The table ${id.toString()} is stopped at ${place}; other tables continue`, { error })
  }
}

/** They are part of every offset, so they have to be few; when so many are unknown, it is not about single tables. */
const STOPPED_MAX = 100
