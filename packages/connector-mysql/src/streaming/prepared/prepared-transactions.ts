import type { Tables } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import type { TableFilter } from '../../config/table-filter.ts'
import { connectorErrors } from '../../errors.ts'
import type { Flavor } from '../../flavor/flavor.ts'
import type { MySqlTable } from '../../schema/mysql-table.ts'
import type { BinlogAheadOptions } from '../binlog-ahead.ts'
import { placeOf } from '../event-place.ts'
import type { LogPlace } from '../log-place.ts'
import { PreparedCollector } from './prepared-collector.ts'
import type { PreparedFinder } from './prepared-finder.ts'
import { PreparedReplay } from './prepared-replay.ts'
import type { PreparedTransaction } from './prepared-transaction.ts'

export interface PreparedTransactionsOptions {
  readonly ahead: BinlogAheadOptions
  readonly filter: Pick<TableFilter, 'includesTable'>
  /** `include.query` */
  readonly includesQuery: boolean
  readonly tables: Pick<Tables<MySqlTable>, 'get'>
  readonly finder: Pick<PreparedFinder, 'find'>
  readonly flavor: Pick<Flavor, 'readServerInfo'>
  /** Bytes of rows that are kept in memory. */
  readonly bytesMax?: number
}

/**
 * The prepared XA transactions that the stream has met, by their xid. It keeps the rows of small ones, so that a commit
 * soon after needs no second look at the binlog. It may forget any of them: `PreparedFinder` finds them again.
 */
export class PreparedTransactions {
  readonly #options: PreparedTransactionsOptions
  readonly #byXid = new Map<string, { readonly transaction: PreparedTransaction; readonly bytes: number }>()
  #server: string | null = null
  #bytes = 0

  constructor(options: PreparedTransactionsOptions) {
    this.#options = options
  }

  /** A new connection. Places in the binlog are valid on one server only. */
  onServer(identity: string | null): void {
    if (identity !== this.#server) {
      this.#byXid.clear()
      this.#bytes = 0
    }
    this.#server = identity
  }

  /** For the rows of a transaction that begins at a place. */
  collector(from: LogPlace): PreparedCollector {
    const { filter, tables, includesQuery, bytesMax = BYTES_MAX } = this.#options
    return new PreparedCollector({ filter, tables, from, includesQuery, bytesMax: bytesMax - this.#bytes })
  }

  /** XA PREPARE, which ends at a place. */
  prepare(xid: string, collector: PreparedCollector, until: LogPlace): void {
    this.delete(xid)
    this.#byXid.set(xid, { transaction: collector.finish(until), bytes: collector.bytes })
    this.#bytes += collector.bytes
    const [oldest] = this.#byXid.keys()
    if (this.#byXid.size > COUNT_MAX && oldest !== undefined) this.delete(oldest)
  }

  /** XA ROLLBACK, or an XA COMMIT whose rows were handled. */
  delete(xid: string): void {
    this.#bytes -= this.#byXid.get(xid)?.bytes ?? 0
    this.#byXid.delete(xid)
  }

  /**
   * The rows of a transaction that is committed by a statement at a place; null when the binlog does not have them any
   * more.
   *
   * @throws errors of the connection; StoppedError
   */
  async replayOf(xid: string, before: LogPlace, signal: AbortSignal): Promise<PreparedReplay | null> {
    const kept = this.#byXid.get(xid)?.transaction ?? null
    const found = kept ?? (await this.#options.finder.find({ xid, before, inspect: this.#inspect(before) }, signal))
    return found === null ? null : this.replay(found)
  }

  replay(transaction: PreparedTransaction): PreparedReplay {
    const { ahead, filter, includesQuery } = this.#options
    return new PreparedReplay(transaction, { ahead, filter, includesQuery, inspect: this.#inspect(transaction.from) })
  }

  /** An address may lead to another server than the stream's. */
  #inspect(place: LogPlace): (connection: MySqlConnection, signal?: AbortSignal) => Promise<void> {
    return async (connection, signal) => {
      const { identity } = await this.#options.flavor.readServerInfo(connection, signal)
      if (this.#server === null || this.#server === identity) return
      throw connectorErrors.DEFINITION_ELSEWHERE({
        address: connection.address,
        now: identity,
        before: this.#server,
        position: placeOf(place),
      })
    }
  }
}

/** The rows of larger transactions are read from the binlog again. */
const BYTES_MAX = 16 << 20
const COUNT_MAX = 10_000
