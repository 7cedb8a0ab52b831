import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'

/**
 * How many events of a transaction there are up to a record. It never changes: the offsets of records share it, and a
 * restart at such an offset continues to count there.
 */
export class TransactionProgress {
  readonly id: string
  /** Events of the whole transaction so far. */
  readonly total: number
  /** The table of the last event, and how many of the events are of it; before the first event an empty name and 0. */
  readonly table: string
  readonly ofTable: number
  /** The counts without that of `table`, which may be in it with a lower one. */
  readonly #others: ReadonlyMap<string, number>

  private constructor(
    id: string,
    total: number,
    [table, ofTable]: readonly [string, number],
    others: ReadonlyMap<string, number>,
  ) {
    this.id = id
    this.total = total
    this.table = table
    this.ofTable = ofTable
    this.#others = others
  }

  static begin(id: string): TransactionProgress {
    return new TransactionProgress(id, 0, NO_TABLE, new Map())
  }

  /** Reads a stored offset, also one of Debezium; null when it is of no transaction. */
  static parse(document: OffsetDocument): TransactionProgress | null {
    const { transaction_id: id } = document
    if (typeof id !== 'string') return null
    const counts = new Map<string, number>()
    for (const [key, value] of Object.entries(document)) {
      const count = Number(value)
      if (key.startsWith(ORDER_OF) && Number.isSafeInteger(count) && count > 0) {
        counts.set(key.slice(ORDER_OF.length), count)
      }
    }
    let total = 0
    for (const count of counts.values()) total += count
    return new TransactionProgress(id, total, NO_TABLE, counts)
  }

  /** After another event, of that table. */
  with(table: string): TransactionProgress {
    const { id, total } = this
    if (table === this.table) return new TransactionProgress(id, total + 1, [table, this.ofTable + 1], this.#others)
    // Copied only where a transaction continues with another table: events of one table are in runs.
    const others = this.ofTable === 0 ? this.#others : new Map(this.#others).set(this.table, this.ofTable)
    return new TransactionProgress(id, total + 1, [table, (others.get(table) ?? 0) + 1], others)
  }

  /** The number of events by table, in the order of their first ones. */
  get counts(): ReadonlyMap<string, number> {
    return this.ofTable === 0 ? this.#others : new Map(this.#others).set(this.table, this.ofTable)
  }

  /** The keys that Debezium adds to an offset inside a transaction. */
  toDocument(): OffsetDocument {
    const orders = [...this.counts].map(([table, count]) => [`${ORDER_OF}${table}`, count] as const)
    return { transaction_id: this.id, ...Object.fromEntries(orders) }
  }
}

const NO_TABLE: readonly [string, number] = ['', 0]
const ORDER_OF = 'transaction_data_collection_order_'

/** An offset inside a transaction whose events are counted. */
export class TransactionOffset implements SourceOffset {
  readonly position: SourceOffset
  readonly progress: TransactionProgress

  constructor(position: SourceOffset, progress: TransactionProgress) {
    this.position = position
    this.progress = progress
  }

  get changedAtMs(): number | null {
    return this.position.changedAtMs ?? null
  }

  get committedAtMs(): number | null {
    return this.position.committedAtMs ?? null
  }

  toDocument(): OffsetDocument {
    return { ...this.position.toDocument(), ...this.progress.toDocument() }
  }
}
