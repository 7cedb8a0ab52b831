import type { TableMapEvent } from './binlog-event.ts'

/**
 * The parsed table maps of a file, by table id. Bounded: a server with ten thousand tables writes maps of all of them into one file,
 * and one that opens its tables again and again gives them new numbers each time.
 *
 * There are two generations. What is used moves into the younger one; when that is full it becomes the older one, and what nobody
 * has used since the last time goes. So at least the last `TABLES_MIN` maps are always there, which is more than a statement may name: its
 * maps stand before its rows.
 *
 * A map that is gone before its table comes again is parsed and bound again, and what was parsed has just lived long enough to be
 * garbage of the old generation: 2,000 tables of five columns in turn took a seventh more processor time with half as much room.
 */
export class TableMapCache {
  #young = new Map<number, TableMapEvent>()
  #old = new Map<number, TableMapEvent>()
  /** Of the tables of the younger generation. */
  #columns = 0

  get(tableId: number): TableMapEvent | undefined {
    const known = this.#young.get(tableId)
    if (known !== undefined) return known
    const older = this.#old.get(tableId)
    if (older !== undefined) this.add(older)
    return older
  }

  add(event: TableMapEvent): void {
    if (this.#columns >= COLUMNS_MAX && this.#young.size >= TABLES_MIN) {
      this.#old = this.#young
      this.#young = new Map()
      this.#columns = 0
    }
    this.#young.set(event.table.tableId, event)
    this.#columns += event.table.columns.length
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#columns = 0
  }
}

/** A column of a parsed map has about 200 bytes: two generations of 6 MB. */
export const COLUMNS_MAX: number = 30_000
/** Tables with maps in one statement: a join may name 61, their triggers and foreign keys some more. */
export const TABLES_MIN: number = 200
