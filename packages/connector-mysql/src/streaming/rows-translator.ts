import {
  type Poll,
  type RecordFormat,
  StreamingNumbers,
  type TableId,
  TableId as TableIds,
} from '@tributary/connector-kit'
import type { RowsEvent, TableMap } from '@tributary/mysql'
import { CodedError, unreachable } from '@tributary/support'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { BinlogCursor } from './binlog-cursor.ts'
import { BinlogRows, type RowsToLoad } from './binlog-rows.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import type { EventFailures } from './event-failures.ts'
import { type EventHeader, placeOf } from './event-place.ts'
import { countRows } from './prepared/count-rows.ts'
import type { PreparedRows, PreparedTransaction } from './prepared/prepared-transaction.ts'
import { RawColumns } from './raw-columns.ts'
import type { ResumeSkip } from './resume-skip.ts'
import type { OpenTransaction } from './rollbacks/open-transaction.ts'
import type { CapturedRows, RowBinding } from './row-binding.ts'
import type { RowsQuery } from './rows-query.ts'
import { RowBindings, type RowBindingsOptions } from './row-bindings.ts'
import type { RowPlaces } from './row-places.ts'
import type { RowProof } from './rows-ahead.ts'
import { UnknownTables, type UnknownTablesOptions } from './unknown-tables.ts'

export interface RowsTranslatorOptions extends UnknownTablesOptions, Omit<RowBindingsOptions, 'isStopped' | 'config'> {
  readonly config: UnknownTablesOptions['config'] & RowBindingsOptions['config']
  readonly format: RecordFormat<SourceInfo>
  readonly places: RowPlaces
}

/** The parts of the translator of a connection that rows need. */
export interface RowsSurroundings {
  readonly header: EventHeader
  readonly cursor: BinlogCursor
  readonly skip: ResumeSkip
  readonly failures: EventFailures
  readonly open: OpenTransaction
  /** Null: events do not have it. */
  readonly query: RowsQuery | null
}

/** Where rows are that are handled later than they were logged. */
interface Delay {
  readonly transaction: PreparedTransaction
  /** Rows of the transaction before the current event. */
  rowsBefore: number
  proof: RowProof
}

/** Which rows of an event are handled, and the statement that they are of. */
type RowsPart = Pick<RowsToLoad, 'query' | 'skippedRows'>

/** Translates the rows events of one connection into changes: the hot path of the connector. */
export class RowsTranslator {
  readonly #numbers: StreamingNumbers
  readonly #header: EventHeader
  readonly #cursor: BinlogCursor
  readonly #skip: ResumeSkip
  readonly #failures: EventFailures
  readonly #open: OpenTransaction
  readonly #query: RowsQuery | null
  readonly #bindings: RowBindings
  readonly #unknown: UnknownTables
  readonly #rows: BinlogRows
  readonly #raw: RawColumns
  /** True: the rows are of a server whose changes do not become events. */
  isForeign = false
  #threadId: number | null = null
  #delay: Delay | null = null

  constructor(options: RowsTranslatorOptions, surroundings: RowsSurroundings) {
    const { header, cursor, skip, failures, open, query } = surroundings
    const { format, places, numbers = new StreamingNumbers() } = options
    this.#numbers = numbers
    this.#header = header
    this.#cursor = cursor
    this.#skip = skip
    this.#failures = failures
    this.#open = open
    this.#query = query
    this.#bindings = new RowBindings({ ...options, isStopped: (id) => this.#isStopped(id) })
    this.#unknown = new UnknownTables(options, this.#bindings)
    this.#raw = new RawColumns(options.logger)
    this.#rows = new BinlogRows({ format, places, cursor, header })
  }

  /** Each binlog file reports again which tables and columns are left out. */
  enterFile(): void {
    this.#bindings.forgetRefused()
    this.#raw.enterFile()
  }

  /** The server was started, and numbers its tables anew. */
  noteServerStart(): void {
    this.#bindings.forgetNumbers()
  }

  /**
   * A transaction begins.
   *
   * @param threadId of its session; null: not named
   * @param prepared the transaction whose rows `translatePrepared` gets; null: its rows are in the stream
   */
  begin(threadId: number | null, prepared: PreparedTransaction | null): void {
    this.#threadId = threadId
    const proof = { tableId: 0, timestampSeconds: 0 }
    this.#delay = prepared === null ? null : { transaction: prepared, rowsBefore: 0, proof }
  }

  translate(event: RowsEvent, poll: Poll): Promise<void> | null {
    const query = this.#query === null ? null : this.#query.ofRows()
    return this.#translate(event, query, poll)
  }

  #translate(event: RowsEvent, query: string | null, poll: Poll): Promise<void> | null {
    const decision = this.#skip.isOver ? 'handle' : this.#skip.event('rows', this.#cursor.position.event)
    if (decision === 'skip' || this.isForeign || this.#open.isUndone) return this.#complete()
    const skippedRows = decision === 'skipRows' ? this.#skip.start.row : 0
    const binding = this.#bindings.of(event.table)
    switch (binding.tag) {
      case 'notCaptured':
        this.#numbers.filteredEvents += 1
        return this.#complete()
      case 'captured':
        if (binding.provedFor !== null && binding.provedFor !== this.#tableId && !this.#isChecked(binding))
          return this.#checkAndHandRows(event, binding, { query, skippedRows }, poll)
        return this.#handRows(event, binding, { query, skippedRows }, poll)
      case 'unknown':
        return this.#learnAndHandRows(event, binding.reason, { query, skippedRows }, poll)
      default:
        return unreachable(binding)
    }
  }

  /** Rows of the prepared transaction that `begin` was called with. */
  async translatePrepared({ event, eventsBefore, proof, query }: PreparedRows, poll: Poll): Promise<void> {
    const delay = this.#delay
    if (delay === null) return
    while (this.#cursor.position.event < eventsBefore) this.#complete()
    const count = countRows(event)
    delay.proof = proof
    const id = TableIds.of(event.table.database, event.table.table)
    if (!this.isForeign && delay.transaction.hasChanged(id) && this.#bindings.of(event.table).tag !== 'notCaptured') {
      await this.#refuse(event.table, 'it may have been changed between XA PREPARE and XA COMMIT', poll.signal)
      this.#complete()
    } else await this.#translate(event, query, poll)
    delay.rowsBefore += count
  }

  #isStopped(id: TableId): boolean {
    return this.#cursor.position.stopped.get(id) !== undefined
  }

  #complete(): null {
    this.#cursor.accept(this.#cursor.afterEvent(this.#header.nextPosition))
    return null
  }

  #handRows(event: RowsEvent, binding: CapturedRows, part: RowsPart, poll: Poll): Promise<void> | null {
    const position = this.#cursor.afterEvent(this.#header.nextPosition)
    const produced = poll.records.length
    if (binding.captured.rawColumns.length > 0) this.#raw.count(binding.captured)
    try {
      const firstRow = this.#delay === null ? 0 : this.#delay.rowsBefore
      const { query, skippedRows } = part
      const rows = this.#rows.load(event, binding, { threadId: this.#threadId, query, skippedRows, firstRow })
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

  async #learnAndHandRows(event: RowsEvent, reason: string, part: RowsPart, poll: Poll): Promise<void> {
    const rows = { map: event.table, reason, position: this.#cursor.position, info: this.#info, ...this.#evidence() }
    await this.#handBound(event, await this.#unknown.learn(rows, poll), part, poll)
  }

  #isChecked(binding: CapturedRows): boolean {
    return this.#unknown.isChecked(binding, this.#evidence())
  }

  async #checkAndHandRows(event: RowsEvent, bound: CapturedRows, part: RowsPart, poll: Poll): Promise<void> {
    const rows = { map: event.table, position: this.#cursor.position, info: this.#info, ...this.#evidence() }
    await this.#handBound(event, await this.#unknown.check(bound, rows, poll), part, poll)
  }

  async #handBound(event: RowsEvent, binding: RowBinding, part: RowsPart, poll: Poll): Promise<void> {
    if (binding.tag === 'unknown') await this.#refuse(event.table, binding.reason, poll.signal)
    if (binding.tag === 'captured') await this.#handRows(event, binding, part, poll)
    else this.#complete()
  }

  /** The number of the table in the current rows. */
  get #tableId(): number {
    return this.#delay === null ? this.#header.tableId : this.#delay.proof.tableId
  }

  /** The origin of a definition that the current rows need. */
  get #info(): Omit<SourceInfo, 'database' | 'table'> {
    const { timestampSeconds, serverId, file, position } = this.#header
    const { commitMicros, transaction } = this.#cursor
    return {
      timestampSeconds,
      timestampMicros: commitMicros === null ? timestampSeconds * 1e6 : commitMicros - (commitMicros % 1000),
      serverId,
      gtid: transaction?.toString() ?? null,
      file,
      position,
      row: 0,
      snapshot: 'false',
      threadId: null,
      query: null,
    }
  }

  /** Where the current rows are, and what they prove. */
  #evidence(): { readonly place: DefinitionPlace; readonly proof: RowProof } {
    const { file, nextPosition, tableId, timestampSeconds } = this.#header
    const { position: start, file: startFile, serverIdentity: identity } = this.#cursor.position
    if (this.#delay !== null) {
      const { transaction, proof } = this.#delay
      return { place: { from: transaction.from, after: transaction.until, identity }, proof }
    }
    // A dump cannot start at the rows: the map of their table is before them.
    const from = { file: startFile, position: start }
    return { place: { from, after: { file, position: nextPosition }, identity }, proof: { tableId, timestampSeconds } }
  }

  async #refuse(map: TableMap, reason: string, signal: AbortSignal): Promise<void> {
    const { position } = this.#cursor
    this.#cursor.accept(await this.#unknown.refuse({ map, reason, position }, placeOf(this.#header), signal))
  }
}
