import { type TableId, TableId as TableIds, type Tables } from '@tributary/connector-kit'
import type { RowsEvent } from '@tributary/mysql'
import type { TableFilter } from '../../config/table-filter.ts'
import type { MySqlTable } from '../../schema/mysql-table.ts'
import type { LogPlace } from '../log-place.ts'
import type { EventHeader } from '../event-place.ts'
import { placeOf } from '../event-place.ts'
import { isUndone, UndoneParts } from '../rollbacks/undone-parts.ts'
import { RowsQuery } from '../rows-query.ts'
import type { PreparedRows, PreparedTransaction } from './prepared-transaction.ts'

export interface PreparedCollectorOptions {
  readonly filter: Pick<TableFilter, 'includesTable'>
  readonly tables: Pick<Tables<MySqlTable>, 'get'>
  /** Where the transaction begins. */
  readonly from: LogPlace
  /** `include.query` */
  readonly includesQuery: boolean
  /** Larger transactions are not kept. */
  readonly bytesMax: number
}

/** Collects the rows of an XA transaction until it is prepared. */
export class PreparedCollector {
  readonly #options: PreparedCollectorOptions
  readonly #definitions = new Map<TableId, MySqlTable | undefined>()
  readonly #undone: UndoneParts
  /** Null: events do not have the statements. */
  readonly query: RowsQuery | null
  #lastQuery: string | null = null
  #rows: KeptRows[] | null = []
  /** The begin is one. */
  #events = 1
  #bytes = 0

  constructor(options: PreparedCollectorOptions) {
    this.#options = options
    const { file, position } = options.from
    this.query = options.includesQuery ? new RowsQuery() : null
    this.#undone = new UndoneParts(position, (at) => placeOf({ file, position: at }))
  }

  get from(): LogPlace {
    return this.#options.from
  }

  /** Bytes of the kept rows. */
  get bytes(): number {
    return this.#bytes
  }

  /** An event of the transaction that is not rows. */
  addOther(): void {
    this.#events += 1
  }

  /** A statement about a savepoint, at a place in the order of the events. */
  takeStatement(sql: string, order: number): void {
    this.#undone.takeStatement(sql, order)
  }

  addRows(
    event: RowsEvent,
    { order, tableId, timestampSeconds }: Pick<EventHeader, 'order' | 'tableId' | 'timestampSeconds'>,
  ): void {
    const { filter, tables, bytesMax } = this.#options
    const id = TableIds.of(event.table.database, event.table.table)
    const query = this.query?.ofRows() ?? null
    const eventsBefore = this.#events
    this.#events += 1
    if (!filter.includesTable(id)) return
    if (!this.#definitions.has(id)) this.#definitions.set(id, tables.get(id))
    if (this.#rows === null) return
    this.#bytes += event.byteLength + this.#bytesOf(query)
    if (this.#bytes <= bytesMax) {
      this.#rows.push({ order, event: event.copy(), eventsBefore, proof: { tableId, timestampSeconds }, query })
      return
    }
    this.#rows = null
    this.#bytes = 0
  }

  /** A statement counts once: its rows share it. */
  #bytesOf(query: string | null): number {
    if (query === null || query === this.#lastQuery) return 0
    this.#lastQuery = query
    return query.length * 2
  }

  /** The transaction, which ends at `until`. */
  finish(until: LogPlace): PreparedTransaction {
    const { tables, from } = this.#options
    const definitions = this.#definitions
    const { parts: undone } = this.#undone
    return {
      from,
      until,
      undone,
      rows: this.#rows?.filter(({ order }) => !isUndone(undone, order)) ?? null,
      hasChanged: (id) => !definitions.has(id) || definitions.get(id) !== tables.get(id),
    }
  }
}

interface KeptRows extends PreparedRows {
  readonly order: number
}
