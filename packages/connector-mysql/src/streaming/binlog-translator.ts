import { type Poll, StreamingNumbers, type Tables } from '@tributary/connector-kit'
import { type BinlogEvent, type QueryEvent, transactionControl, xidOfStatement } from '@tributary/mysql'
import { CodedError, type Logger, present, StoppedError, unreachable } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { sourceOf, type TransactionGtid } from '../offset/executed-gtids.ts'
import type { BesideStream } from './beside-stream.ts'
import { BinlogCursor } from './binlog-cursor.ts'
import type { DdlContext, DdlHandler, HandledStatement } from './ddl-handler.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import { EventFailures } from './event-failures.ts'
import { type EventHeader, placeOf } from './event-place.ts'
import type { LogPlace } from './log-place.ts'
import type { PreparedCollector } from './prepared/prepared-collector.ts'
import type { PreparedReplay } from './prepared/prepared-replay.ts'
import type { PreparedTransactions } from './prepared/prepared-transactions.ts'
import { ResumeSkip } from './resume-skip.ts'
import { OpenTransaction } from './rollbacks/open-transaction.ts'
import type { RollbackFinder } from './rollbacks/rollback-finder.ts'
import type { ResumeDecision } from './resume-table.ts'
import { RowsQuery } from './rows-query.ts'
import { RowsTranslator, type RowsTranslatorOptions } from './rows-translator.ts'
import { mayMissRows, shortened } from './unlogged-rows.ts'

export interface BinlogTranslatorOptions extends RowsTranslatorOptions {
  readonly config: ConnectorConfig
  readonly tables: Tables<MySqlTable>
  readonly ddl: DdlHandler
  readonly prepared: PreparedTransactions
  /** Null: the server writes no rows into its binlog that were rolled back. */
  readonly rollbacks: Pick<RollbackFinder, 'find'> | null
  readonly connectorName: string
  /** Absent: nothing goes on beside the stream. */
  readonly beside?: BesideStream | null
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
  readonly #numbers: StreamingNumbers
  readonly #cursor: BinlogCursor
  readonly #skip: ResumeSkip
  readonly #rows: RowsTranslator
  readonly #open: OpenTransaction
  readonly #failures: EventFailures
  /** Null: events do not have the statements. */
  readonly #query: RowsQuery | null
  /** The XA transaction whose rows arrive; null outside of one. */
  #collecting: Collecting | null = null
  /** The XA transaction that is committed, while its rows are handled. */
  #replay: Replaying | null = null

  /**
   * @param header the fields of the reader: they describe the event that `handle` is called with
   * @param start where the dump was asked to start, and what of the transaction there is done
   */
  constructor(options: BinlogTranslatorOptions, header: EventHeader, start: StreamPosition) {
    const { config, logger } = options
    this.#options = options
    this.#numbers = options.numbers ?? new StreamingNumbers()
    this.#header = header
    this.#cursor = new BinlogCursor(start, options.beside ?? null)
    this.#skip = new ResumeSkip(start)
    this.#failures = new EventFailures(config.failureHandling, logger, options.numbers)
    this.#query = config.includesQuery ? new RowsQuery() : null
    this.#open = new OpenTransaction({ header, finder: options.rollbacks })
    const [cursor, skip, failures, open, query] = [this.#cursor, this.#skip, this.#failures, this.#open, this.#query]
    this.#rows = new RowsTranslator(options, { header, cursor, skip, failures, open, query })
    options.prepared.onServer(start.serverIdentity)
  }

  /** The position after everything that was handled, by this connection or before it. */
  get position(): StreamPosition {
    return this.#skip.handledUpTo(this.#cursor.position)
  }

  /** The following positions have this progress of the incremental snapshot. */
  takeProgress(progress: IncrementalProgress): void {
    this.#cursor.takeProgress(progress)
    this.#skip.takeProgress(progress)
  }

  handle(event: BinlogEvent, poll: Poll): Promise<void> | null {
    const cursor = this.#cursor
    const header = this.#header
    cursor.observe(header.timestampSeconds, header.serverId)
    const collecting = this.#collecting
    return collecting === null ? this.#translate(event, poll) : this.#collect(event, collecting, poll)
  }

  #translate(event: BinlogEvent, poll: Poll): Promise<void> | null {
    const cursor = this.#cursor
    const header = this.#header
    switch (event.tag) {
      case 'rows':
        return this.#rows.translate(event, poll)
      case 'query':
        return this.#translateQuery(event, poll)
      case 'gtid':
        this.#name(event)
        return this.#complete()
      case 'mariadbGtid':
        this.#name(event)
        if (event.isStandalone) return this.#complete()
        return event.isXa ? this.#beginXa() : this.#begin(null, poll)
      case 'xid':
      case 'xaPrepare':
        return this.#end(poll)
      case 'rotate':
        this.#rollBack(() => this.#open.cut(poll.records))
        this.#rows.enterFile()
        cursor.enterFile(event.file, event.position)
        return null
      case 'incident':
        this.#failures.handle(connectorErrors.INCIDENT({ position: placeOf(header), reason: event.message }))
        return this.#complete()
      case 'heartbeat':
        return null
      case 'formatDescription':
        if (event.isServerStart) this.#noteServerStart()
        if (!cursor.describeFile(header.timestampSeconds)) throw this.#reset()
        return this.#complete()
      case 'tableMap':
        this.#query?.meetMap()
        return this.#complete()
      case 'statement':
        this.#query?.begin(event.sql)
        return this.#complete()
      case 'anonymousGtid':
      case 'previousGtids':
      case 'mariadbGtidList':
      case 'stop':
      case 'ignored':
        return this.#complete()
      default:
        return unreachable(event)
    }
  }

  #noteServerStart(): void {
    this.#options.ddl.noteServerStart()
    this.#rows.noteServerStart()
  }

  #name(event: TransactionGtid): void {
    this.#cursor.nameTransaction(event)
    const { gtidSources } = this.#options.config
    if (gtidSources !== null) this.#rows.isForeign = !gtidSources.includes(sourceOf(event))
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
    this.#open.begin(this.position, poll.records)
    const position = cursor.afterBegin(this.#header.position, this.#header.isInsidePayload)
    this.#query?.clear()
    this.#rows.begin(threadId, null)
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
    this.#numbers.committedTransactions += 1
    this.#open.end()
    this.#query?.clear()
    this.#rows.isForeign = false
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
        return control.isXa ? this.#beginXa() : this.#begin(event.threadId, poll)
      case 'end':
        if (control.by === 'XA COMMIT') return this.#commitXa(event.sql, poll)
        if (control.by === 'XA ROLLBACK') return this.#rollBackXa(event.sql)
        if (control.by === 'ROLLBACK') {
          this.#numbers.rolledBackTransactions += 1
          this.#rollBack(() => this.#open.rollBack(poll.records))
        }
        return this.#end(poll)
      case 'inside':
        this.#rollBack(() => this.#open.takeStatement(event.sql, poll.records))
        return this.#complete()
      default:
        return unreachable(control)
    }
  }

  #rollBack(run: () => void): void {
    try {
      run()
    } catch (error) {
      // Anything else than a coded error is a bug of this program, which no setting permits.
      if (!(error instanceof CodedError)) throw error
      this.#failures.handle(error)
    }
  }

  /** The rows of an XA transaction become events when it is committed: until then they may be rolled back. */
  #beginXa(): null {
    const { file, position, isInsidePayload } = this.#header
    if (!this.#skip.isOver) this.#warnWhenOther(this.#skip.begin(this.#gtid))
    const collector = this.#options.prepared.collector({ file, position })
    this.#collecting = { collector, begin: this.#cursor.afterBegin(position, isInsidePayload) }
    return null
  }

  #collect(event: BinlogEvent, collecting: Collecting, poll: Poll): Promise<void> | null {
    const { collector } = collecting
    switch (event.tag) {
      case 'rows':
        collector.addRows(event, this.#header)
        return null
      case 'heartbeat':
        return null
      case 'xid':
        return this.#commitCollected(collecting, poll)
      case 'xaPrepare':
        if (event.isOnePhase) return this.#commitCollected(collecting, poll)
        this.#collecting = null
        this.#options.prepared.prepare(event.xid, collector, this.#placeAfter)
        return this.#ignoreStatement()
      case 'tableMap':
        collector.query?.meetMap()
        collector.addOther()
        return null
      case 'statement':
        collector.query?.begin(event.sql)
        collector.addOther()
        return null
      case 'ignored':
        collector.addOther()
        return null
      case 'query':
        return this.#collectQuery(event, collecting, poll)
      default:
        return this.#abandonXa(event, poll)
    }
  }

  /** The server crashed before the transaction was prepared: it does not exist. */
  #abandonXa(event: BinlogEvent, poll: Poll): Promise<void> | null {
    this.#collecting = null
    return this.#translate(event, poll)
  }

  #collectQuery(event: QueryEvent, collecting: Collecting, poll: Poll): Promise<void> | null {
    const control = transactionControl(event.sql)
    if (control?.tag === 'begin' || (control?.tag === 'end' && control.by !== 'COMMIT')) {
      return this.#abandonXa(event, poll)
    }
    if (control?.tag === 'end') return this.#commitCollected(collecting, poll)
    collecting.collector.addOther()
    if (control?.tag === 'inside') {
      this.#rollBack(() => collecting.collector.takeStatement(event.sql, this.#header.order))
    }
    return control === null ? this.#collectStatement(event, poll) : null
  }

  async #collectStatement(event: QueryEvent, poll: Poll): Promise<void> {
    this.#requireRows(event, await this.#options.ddl.handle(event, this.#ddlContext(), poll))
  }

  /** XA COMMIT … ONE PHASE, without XA PREPARE before it. */
  #commitCollected({ collector, begin }: Collecting, poll: Poll): Promise<void> {
    this.#collecting = null
    const replay = this.#options.prepared.replay(collector.finish(this.#placeAfter))
    return this.#beginReplay({ replay, xid: null }, begin, poll)
  }

  async #commitXa(sql: string, poll: Poll): Promise<void> {
    const { prepared, connectorName: connector } = this.#options
    const { file, position } = this.#header
    const xid = xidOfStatement(sql)
    const replay = await prepared.replayOf(xid, { file, position }, poll.signal)
    if (replay === null) {
      this.#failures.handle(connectorErrors.XA_ROWS_MISSING({ xid, position: placeOf(this.#header), connector }))
      this.#ignoreStatement()
      return
    }
    if (!this.#skip.isOver) this.#warnWhenOther(this.#skip.begin(this.#gtid))
    await this.#beginReplay({ replay, xid }, this.#cursor.afterBegin(position, false), poll)
  }

  #rollBackXa(sql: string): null {
    this.#options.prepared.delete(xidOfStatement(sql))
    return this.#ignoreStatement()
  }

  async #beginReplay(replaying: Replaying, position: StreamPosition, poll: Poll): Promise<void> {
    const cursor = this.#cursor
    this.#rows.begin(null, replaying.replay.transaction)
    await poll.handle({ tag: 'begin', transaction: cursor.transaction, position })
    cursor.begin(position)
    this.#replay = replaying
  }

  /** True: records of the poll are in a transaction that may yet be rolled back. */
  isUnsettled({ records }: Poll): boolean {
    return this.#open.isUnsettled(records)
  }

  /** To be called before the poll ends, since its records are sent then: drops those that were rolled back. */
  async endPoll(poll: Poll): Promise<void> {
    const { serverIdentity } = this.#cursor.position
    if (this.isUnsettled(poll)) await this.#open.settle(serverIdentity, poll.records, poll.signal)
    this.#open.endPoll(poll.records)
    await this.#options.check.release()
  }

  /** To be called after an error. Returns the position after the records that the poll still has. */
  async endFailedPoll(poll: Poll): Promise<StreamPosition> {
    try {
      await this.endPoll(poll)
    } catch (error) {
      if (error instanceof StoppedError) throw error
      // The error before it says more. What is read again is settled then.
      return this.#open.abandon(poll.records)
    }
    return this.position
  }

  /** True: `continueReplay` has to be called before the next event. */
  get isReplaying(): boolean {
    return this.#replay !== null
  }

  /** Handles the next rows of the XA transaction that is committed. Returns their size in bytes. */
  async continueReplay(poll: Poll): Promise<number> {
    const replaying = present(this.#replay, 'a replay')
    const next = await replaying.replay.next(poll.signal)
    if (next === null) {
      await this.#end(poll)
      if (replaying.xid !== null) this.#options.prepared.delete(replaying.xid)
      await this.#endReplay()
      return 0
    }
    await this.#rows.translatePrepared(next, poll)
    return next.event.byteLength
  }

  /** Ends what a connection has open besides its own stream. */
  async close(): Promise<void> {
    await this.#endReplay()
    await this.#options.check.close()
  }

  async #endReplay(): Promise<void> {
    const replaying = this.#replay
    this.#replay = null
    await replaying?.replay[Symbol.asyncDispose]()
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
    const { ddl } = this.#options
    const { nextPosition } = this.#header
    const cursor = this.#cursor
    const isAlone = !cursor.position.isInTransaction
    const after = isAlone ? cursor.afterCommit(nextPosition) : cursor.afterEvent(nextPosition)
    const handled = await ddl.handle(event, { ...this.#ddlContext(), position: after, isAlone }, poll)
    const { position } = handled
    this.#requireRows(event, handled)
    if (isAlone) this.#commit(position)
    else cursor.accept(position)
  }

  /** A statement that changed rows, of which the binlog has only the text, is an error. */
  #requireRows(event: QueryEvent, { outcome: { statement } }: HandledStatement): void {
    const { config, tables } = this.#options
    if (statement?.tag !== 'dml' || this.#rows.isForeign || !mayMissRows(event, statement.table, config.filter, tables))
      return
    const text = shortened(event.sql)
    this.#failures.handle(connectorErrors.STATEMENT_FORMAT({ statement: text, position: placeOf(this.#header) }))
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
        query: null,
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
}

/** An XA transaction before XA PREPARE. */
interface Collecting {
  readonly collector: PreparedCollector
  /** The position after its begin. */
  readonly begin: StreamPosition
}

/** An XA transaction whose rows are handled. */
interface Replaying {
  readonly replay: PreparedReplay
  /** Null: it was committed in one phase. */
  readonly xid: string | null
}
