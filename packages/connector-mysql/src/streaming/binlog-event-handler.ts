import type { SourceRecord } from '@tributary/connect-api'
import type { Tables } from '@tributary/connector-kit'
import { TableId as TableIds } from '@tributary/connector-kit'
import type { BinlogEvent, QueryEvent, RowsEvent, TableMap, TableName } from '@tributary/mysql'
import { assert, CodedError, type Logger, unreachable } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import type { BinlogCursor } from './binlog-cursor.ts'
import type { DdlContext, DdlHandler } from './ddl-handler.ts'
import type { ResumeSkip } from './resume-skip.ts'
import type { ResumeDecision } from './resume-table.ts'
import { RowEventHandler, type EventPlace, type RowBinding } from './row-event-handler.ts'
import { RowBindings } from './row-bindings.ts'
import { hasSequenceShape } from './sequence-shape.ts'

export interface BinlogEventHandlerOptions {
  readonly config: Pick<ConnectorConfig, 'filter' | 'failureHandling'>
  readonly tables: Tables
  readonly compiler: TableCompiler
  readonly rows: RowEventHandler
  readonly ddl: DdlHandler
  readonly logger: Logger
}

/** The reader's fields about the event under way. */
export interface EventHeader extends EventPlace {
  readonly nextPosition: number
}

/**
 * Handles the events of one connection to the binlog in order, and keeps the position. Lives as long as that connection: after a
 * reconnect another one begins at the position of the last handled event.
 *
 * `handle` gives a promise only when an event has to wait: a statement that changes the schema, or rows of a table that is not known yet.
 */
export class BinlogEventHandler {
  readonly #cursor: BinlogCursor
  readonly #options: BinlogEventHandlerOptions
  readonly #skip: ResumeSkip
  readonly #bindings: RowBindings
  #threadId: number | null = null

  constructor(options: BinlogEventHandlerOptions, cursor: BinlogCursor, skip: ResumeSkip) {
    this.#options = options
    this.#bindings = new RowBindings(options)
    this.#cursor = cursor
    this.#skip = skip
  }

  handle(event: BinlogEvent, header: EventHeader, out: SourceRecord[], signal?: AbortSignal): Promise<void> | null {
    const cursor = this.#cursor
    cursor.observe(header.timestampSeconds, header.serverId)
    switch (event.tag) {
      case 'rows':
        return this.#rows(event, header, out, signal)
      case 'query':
        return this.#query(event, header, out, signal)
      case 'gtid':
        cursor.nameTransaction(event)
        break
      case 'mariadbGtid':
        cursor.nameTransaction(event)
        if (event.isStandalone) break
        this.#begin(header, null)
        return null
      case 'xid':
      case 'xaPrepare':
        this.#commit(header)
        return null
      case 'rotate':
        // What is left out is told again in each file.
        this.#bindings.forgetRefused()
        cursor.moveTo(event.file, event.position)
        return null
      case 'incident':
        this.#fail(connectorErrors.INCIDENT({ position: placeOf(header), reason: event.message }))
        break
      case 'heartbeat':
        return null
      case 'formatDescription':
      case 'anonymousGtid':
      case 'previousGtids':
      case 'mariadbGtidList':
      case 'tableMap':
      case 'statement':
      case 'stop':
      case 'ignored':
        break
      default:
        unreachable(event)
    }
    cursor.completeEvent(header.file, header.nextPosition)
    return null
  }

  #begin(header: EventHeader, threadId: number | null): void {
    this.#cursor.begin(header.file, header.position)
    this.#threadId = threadId
    // The text of a GTID is made only while something may have to be skipped: this runs for every transaction.
    if (!this.#skip.isOver) this.#warnWhenOther(this.#skip.begin(this.#gtid), header)
  }

  get #gtid(): string | null {
    return this.#cursor.transaction?.toString() ?? null
  }

  #warnWhenOther(decision: ResumeDecision, header: EventHeader): void {
    if (decision !== 'handleAndWarn') return
    this.#options.logger.warn(
      `The transaction in which the connection was lost is not the next one on this server: at ${placeOf(header)} it sends ${this.#gtid}, and no event of that is skipped. A server that took over without the interrupted transaction does not have its rows. If it sends that transaction later, the first ${this.#skip.start.event} events of it are skipped`,
    )
  }

  #commit(header: EventHeader): void {
    this.#cursor.commit(header.file, header.nextPosition)
    if (!this.#skip.isOver) this.#skip.end()
  }

  #query(
    event: QueryEvent,
    header: EventHeader,
    out: SourceRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> | null {
    const cursor = this.#cursor
    switch (roleOf(event.sql)) {
      case 'begin':
        // The reference names the thread of a plain transaction only.
        this.#begin(header, event.sql.startsWith('XA') ? null : event.threadId)
        return null
      case 'end':
        this.#commit(header)
        return null
      case 'inside':
        cursor.completeEvent(header.file, header.nextPosition)
        return null
      case 'statement':
        if (this.#skipsStatement(header)) {
          this.#endStatement(header)
          return null
        }
        return this.#statement(event, header, out, signal)
    }
  }

  #skipsStatement(header: EventHeader): boolean {
    const { position } = this.#cursor
    if (this.#skip.isOver) return false
    if (position.isInTransaction) return this.#skip.event('otherEvent', position.event) === 'skip'
    // By itself, a statement is the transaction that its GTID names.
    this.#warnWhenOther(this.#skip.statementAlone(this.#gtid), header)
    return false
  }

  async #statement(
    event: QueryEvent,
    header: EventHeader,
    out: SourceRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const context = this.#ddlContext(header)
    const offset = this.#cursor.afterStatement(header.file, header.nextPosition)
    const { statement } = await this.#options.ddl.handle(event, { ...context, offset }, out, signal)
    if (statement?.tag === 'dml' && this.#mayMiss(event, statement.table)) this.#refuseDml(event, header)
    // Only now: a statement that could not be handled is read again.
    this.#endStatement(header)
  }

  /** What a transaction holds beside rows stays part of it; a statement on its own is its own transaction. */
  #endStatement(header: EventHeader): void {
    if (this.#cursor.position.isInTransaction) this.#cursor.completeEvent(header.file, header.nextPosition)
    else this.#commit(header)
  }

  /** The reference names no thread for a statement, and its time in whole milliseconds. */
  #ddlContext(header: EventHeader): DdlContext {
    const { commitMicros, position } = this.#cursor
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
      offsetBefore: position,
      offset: position,
    }
  }

  /** Whether the statement changes rows of a captured database: the one that it names, or else the session's. */
  #mayMiss(event: QueryEvent, table: TableName | null): boolean {
    const { filter } = this.#options.config
    const database = table?.database ?? event.database
    if (database === '' || filter.includesDatabase(database)) return true
    // Of several tables the parser names none: any of them may be captured.
    return (
      table === null &&
      [...this.#options.tables].some(({ id }) => filter.includesTable(id) && mentions(event.sql, id.database))
    )
  }

  /** Rows changed by a statement in statement format are not in the binlog: whoever captures that database misses them. */
  #refuseDml(event: QueryEvent, header: EventHeader): void {
    const statement = event.sql.length > 200 ? `${event.sql.slice(0, 200)}…` : event.sql
    this.#fail(connectorErrors.STATEMENT_FORMAT({ statement, position: placeOf(header) }))
  }

  #rows(
    event: RowsEvent,
    header: EventHeader,
    out: SourceRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> | null {
    const decision = this.#skip.isOver ? 'handle' : this.#skip.event('rows', this.#cursor.position.event)
    if (decision !== 'skip') {
      const skippedRows = decision === 'skipRows' ? this.#skip.start.row : 0
      const binding = this.#bindings.of(event.table)
      if (typeof binding === 'string')
        return this.#learnAndEmit(event, { header, out, signal, skippedRows, reason: binding })
      this.#emit(event, binding, { header, out, skippedRows })
    }
    this.#cursor.completeEvent(header.file, header.nextPosition)
    return null
  }

  async #learnAndEmit(event: RowsEvent, { header, out, signal, skippedRows, reason }: Learning): Promise<void> {
    const binding = await this.#learn(event.table, reason, header, signal)
    if (typeof binding === 'string') this.#refuse(event.table, header, binding)
    else this.#bindings.set(event.table, binding)
    this.#emit(event, typeof binding === 'string' ? null : binding, { header, out, skippedRows })
    this.#cursor.completeEvent(header.file, header.nextPosition)
  }

  #emit(event: RowsEvent, binding: RowBinding | null, { header, out, skippedRows }: Emission): void {
    if (binding === null) return
    const context = { binding, place: header, cursor: this.#cursor, threadId: this.#threadId, skippedRows }
    const produced = out.length
    try {
      this.#options.rows.handle(event, context, out)
      // The text is put together only when it is needed: this runs for every event.
      if (!event.isConsumed) assert(false, `rows of ${event.table.table} at ${placeOf(header)} end before their event`)
    } catch (error) {
      // What is no error of the event is one of this program, which no setting lets pass.
      if (!(error instanceof CodedError)) throw error
      out.length = produced
      this.#fail(error)
    }
  }

  /** Reads a table that is captured but unknown, or known otherwise, from the server. A text: why that does not help. */
  async #learn(
    map: TableMap,
    reason: string,
    header: EventHeader,
    signal: AbortSignal | undefined,
  ): Promise<RowBinding | null | string> {
    const { tables, compiler, ddl } = this.#options
    const id = TableIds.of(map.database, map.table)
    if (!tables.has(id) && hasSequenceShape(map) && (await ddl.isSequence(id, signal))) return null
    const change = await ddl.relearn(id, reason, this.#ddlContext(header), signal)
    const relearned = change?.table ?? null
    return relearned === null ? 'the server has no such table' : RowEventHandler.bind(compiler.compile(relearned), map)
  }

  #refuse(map: TableMap, header: EventHeader, reason: string): void {
    const table = TableIds.of(map.database, map.table).toString()
    this.#fail(connectorErrors.TABLE_UNKNOWN({ table, position: placeOf(header), reason }))
    this.#bindings.refuse(map)
  }

  /** `event.processing.failure.handling.mode`: an event that cannot be processed ends the task, or is left out. */
  #fail(error: CodedError): void {
    const { config, logger } = this.#options
    switch (config.failureHandling) {
      case 'fail':
        throw error
      case 'warn':
        logger.warn('An event is left out', { error })
        return
      default:
        logger.debug('An event is left out', { error })
    }
  }

  /** The position after everything that was handled, by this connection or before it. */
  get position(): StreamPosition {
    return this.#skip.handledUpTo(this.#cursor.position)
  }
}

function mentions(sql: string, database: string): boolean {
  return sql.includes(`${database}.`) || sql.includes(`\`${database}\``)
}

interface Emission {
  readonly header: EventHeader
  readonly out: SourceRecord[]
  /** Rows of the event that were handled by an earlier connection. */
  readonly skippedRows: number
}

/** What it takes to read a table from the server, and then the rows of an event by it. */
interface Learning extends Emission {
  readonly signal: AbortSignal | undefined
  /** Why the table is not known. */
  readonly reason: string
}

type StatementRole = 'begin' | 'end' | 'inside' | 'statement'

/** What a statement is to its transaction. XA transactions end, for the binlog, with XA PREPARE. */
function roleOf(sql: string): StatementRole {
  if (sql === 'BEGIN') return 'begin'
  const match =
    /^\s*(begin|start\s+transaction|commit|rollback(?!\s+to)|xa\s+(?:start|begin|commit|rollback)|savepoint|release\s+savepoint|rollback\s+to|xa\s+end)\b/i.exec(
      sql,
    )
  if (match === null) return 'statement'
  const word = (match[1] ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  if (word === 'begin' || word === 'start transaction' || word === 'xa start' || word === 'xa begin') return 'begin'
  return word === 'commit' || word === 'rollback' || word === 'xa commit' || word === 'xa rollback' ? 'end' : 'inside'
}

function placeOf({ file, position }: EventPlace): string {
  return `${file}:${position}`
}
