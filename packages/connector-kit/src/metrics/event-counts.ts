/** Events of a table by operation: `r` is a row of a snapshot, `t` a truncated table. */
export interface OperationCounts {
  r: number
  c: number
  u: number
  d: number
  t: number
}

export type CountedOperation = keyof OperationCounts

/**
 * So many tables have counts of their own; the events of all others are counted together. Each table has up to five
 * series in a monitoring system, which are kept for its whole retention.
 */
export const COUNTED_TABLES_MAX = 200
/** The name of all others. It is no table's: that has a dot. */
export const OTHER_TABLES = 'other'

/** Counts events by table and operation. A caller keeps the counts of a table as long as it handles its rows. */
export class EventCounts {
  readonly #tables = new Map<string, OperationCounts>()
  readonly #other: OperationCounts = noEvents()

  /** @param table `database.table` */
  of(table: string): OperationCounts {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    if (this.#tables.size >= COUNTED_TABLES_MAX) return this.#other
    const counts = noEvents()
    this.#tables.set(table, counts)
    return counts
  }

  /** The counts by table, `other` last if it has any. */
  *entries(): Generator<readonly [table: string, counts: Readonly<OperationCounts>]> {
    yield* this.#tables
    if (Object.values(this.#other).some((count) => count > 0)) yield [OTHER_TABLES, this.#other]
  }

  /** Of all tables. */
  get total(): Readonly<OperationCounts> {
    const total = noEvents()
    for (const [, counts] of this.entries()) {
      for (const operation of OPERATIONS) total[operation] += counts[operation]
    }
    return total
  }
}

export const OPERATIONS: readonly CountedOperation[] = ['r', 'c', 'u', 'd', 't']

export function noEvents(): OperationCounts {
  return { r: 0, c: 0, u: 0, d: 0, t: 0 }
}
