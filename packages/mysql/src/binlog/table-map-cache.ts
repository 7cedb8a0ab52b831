import type { TableMapEvent } from './binlog-event.ts'

/**
 * The parsed table maps of a file, by table id. Bounded: a server with ten thousand tables writes maps of all of them into one file,
 * and one that opens its tables again and again gives them new numbers each time.
 *
 * There are two generations. What is used moves into the younger one; when that is full it becomes the older one, and what nobody
 * has used since the last time goes. So the last `TABLES_MAX` maps are always there, which is more than a statement may name: its
 * maps stand before its rows.
 */
export class TableMapCache {
  #young = new Map<number, TableMapEvent>()
  #old = new Map<number, TableMapEvent>()

  get(tableId: number): TableMapEvent | undefined {
    const known = this.#young.get(tableId)
    if (known !== undefined) return known
    const older = this.#old.get(tableId)
    if (older !== undefined) this.add(older)
    return older
  }

  add(event: TableMapEvent): void {
    if (this.#young.size >= TABLES_MAX) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(event.table.tableId, event)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}

/**
 * Tables with maps in one statement: a join may name 61, their triggers and foreign keys some more. A parsed map with a hundred
 * columns has about 20 KB, so two generations need 40 MB at most.
 */
export const TABLES_MAX: number = 1000
