import type { Table } from './table.ts'
import type { TableId } from './table-id.ts'

/** The tables of a database server as they are at one place of its log. */
export class Tables implements Iterable<Table> {
  readonly #byId: Map<TableId, Table>
  readonly #isCaseInsensitive: boolean
  #changes = 0

  /** @param isCaseInsensitive names differ only by more than case (MySQL: lower_case_table_names is not 0) */
  constructor(isCaseInsensitive = false, tables: Iterable<Table> = []) {
    this.#isCaseInsensitive = isCaseInsensitive
    this.#byId = new Map()
    for (const table of tables) this.overwrite(table)
  }

  /** Another number than before means that a table may have been added, replaced or removed. */
  get changes(): number {
    return this.#changes
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: TableId): Table | undefined {
    return this.#byId.get(this.#key(id))
  }

  has(id: TableId): boolean {
    return this.#byId.has(this.#key(id))
  }

  /** Adds the table or replaces the one with its id. */
  overwrite(table: Table): void {
    this.#changes += 1
    this.#byId.set(this.#key(table.id), table)
  }

  /** The table that was there. */
  remove(id: TableId): Table | undefined {
    const key = this.#key(id)
    const table = this.#byId.get(key)
    this.#changes += 1
    this.#byId.delete(key)
    return table
  }

  /** The table under its new id; undefined when there is none under the old one. A table with the new id goes away. */
  rename(from: TableId, to: TableId): Table | undefined {
    const table = this.remove(from)
    if (table === undefined) return undefined
    const renamed = { ...table, id: to }
    this.overwrite(renamed)
    return renamed
  }

  /** Removes all tables of a database. */
  removeDatabase(database: string): void {
    const isSame = this.#isCaseInsensitive
      ? (name: string) => name.toLowerCase() === database.toLowerCase()
      : (name: string) => name === database
    for (const { id } of this) if (isSame(id.database)) this.remove(id)
  }

  /** Independent of this one from now on; the tables are shared, since they never change. */
  copy(): Tables {
    return new Tables(this.#isCaseInsensitive, this)
  }

  clear(): void {
    this.#changes += 1
    this.#byId.clear()
  }

  [Symbol.iterator](): IterableIterator<Table> {
    return this.#byId.values()
  }

  #key(id: TableId): TableId {
    return this.#isCaseInsensitive ? id.toLowerCase() : id
  }
}
