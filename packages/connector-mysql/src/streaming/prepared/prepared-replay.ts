import { TableId } from '@tributary/connector-kit'
import type { BinlogEvent, MySqlConnection } from '@tributary/mysql'
import type { TableFilter } from '../../config/table-filter.ts'
import { AheadReader, type BinlogAheadOptions } from '../binlog-ahead.ts'
import { isUndone } from '../rollbacks/undone-parts.ts'
import { RowsQuery } from '../rows-query.ts'
import type { PreparedRows, PreparedTransaction } from './prepared-transaction.ts'

export interface PreparedReplayOptions {
  readonly ahead: BinlogAheadOptions
  readonly filter: Pick<TableFilter, 'includesTable'>
  /** `include.query` */
  readonly includesQuery: boolean
  /** Inspects the server of a new connection; throws when it is not the one that the places belong to. */
  readonly inspect: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
}

/** The rows of a prepared transaction, one event after the other: kept ones, or those of the binlog. */
export class PreparedReplay implements AsyncDisposable {
  readonly transaction: PreparedTransaction
  readonly #options: PreparedReplayOptions
  readonly #kept: Iterator<PreparedRows, undefined> | null
  #reader: AheadReader | null = null
  #events = 0
  readonly #query: RowsQuery | null

  constructor(transaction: PreparedTransaction, options: PreparedReplayOptions) {
    this.transaction = transaction
    this.#options = options
    this.#query = options.includesQuery ? new RowsQuery() : null
    this.#kept = transaction.rows?.[Symbol.iterator]() ?? null
  }

  /**
   * The next rows; null at the end of the transaction.
   *
   * @throws errors of the connection; StoppedError
   */
  next(signal: AbortSignal): PreparedRows | null | Promise<PreparedRows | null> {
    if (this.#kept === null) return this.#read(signal)
    const next = this.#kept.next()
    if (next.done === true) return null
    next.value.event.rewind()
    return next.value
  }

  async #read(signal: AbortSignal): Promise<PreparedRows | null> {
    const { ahead, inspect, filter } = this.#options
    const { from, until, undone } = this.transaction
    this.#reader ??= await AheadReader.open(ahead, { from, until, inspect }, signal)
    for (;;) {
      const event = await this.#reader.next(signal)
      if (event === null) return null
      const eventsBefore = this.#events
      const { order, tableId, timestampSeconds } = this.#reader.header
      if (UNCOUNTED.has(event.tag)) continue
      this.#events += 1
      const query = this.#queryOf(event)
      if (event.tag !== 'rows' || !filter.includesTable(TableId.of(event.table.database, event.table.table))) continue
      if (isUndone(undone, order)) continue
      return { event: event.copy(), eventsBefore, proof: { tableId, timestampSeconds }, query }
    }
  }

  #queryOf(event: BinlogEvent): string | null {
    if (event.tag === 'statement') this.#query?.begin(event.sql)
    if (event.tag === 'tableMap') this.#query?.meetMap()
    return event.tag === 'rows' ? (this.#query?.ofRows() ?? null) : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.close()
  }
}

/** A dump begins with a description of the file; a quiet one has heartbeats. The transaction has neither. */
const UNCOUNTED: ReadonlySet<BinlogEvent['tag']> = new Set([
  'rotate',
  'formatDescription',
  'previousGtids',
  'mariadbGtidList',
  'heartbeat',
])
