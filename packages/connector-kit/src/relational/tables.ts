import type { Table } from './table.ts'
import type { TableId } from './table-id.ts'

/** The tables of a database server as of one position of its log. */
export class Tables<T extends Table = Table> implements Iterable<T> {
  readonly #byId: Map<TableId, T>
  readonly #isCaseInsensitive: boolean
  #changes = 0
  /**
   * What the changes since `track` replaced, by key; undefined when the table did not exist. Null while changes are not
   * tracked.
   */
  #replaced: Map<TableId, T | undefined> | null = null

  /** @param isCaseInsensitive the database takes names that differ only in case for the same */
  constructor(isCaseInsensitive = false, tables: Iterable<T> = []) {
    this.#isCaseInsensitive = isCaseInsensitive
    this.#byId = new Map()
    for (const table of tables) this.overwrite(table)
  }

  /** Changes when a table may have been added, replaced or removed. */
  get changes(): number {
    return this.#changes
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: TableId): T | undefined {
    return this.#byId.get(this.#key(id))
  }

  has(id: TableId): boolean {
    return this.#byId.has(this.#key(id))
  }

  /** Adds the table or replaces the one with its id. */
  overwrite(table: T): void {
    const key = this.#key(table.id)
    this.#note(key)
    this.#changes += 1
    this.#byId.set(key, table)
  }

  /** Returns the removed table. */
  remove(id: TableId): T | undefined {
    const key = this.#key(id)
    const table = this.#byId.get(key)
    this.#note(key)
    this.#changes += 1
    this.#byId.delete(key)
    return table
  }

  /**
   * Returns the table under its new id, which replaces a table with that id; undefined when there is none under the old
   * one.
   */
  rename(from: TableId, to: TableId): T | undefined {
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

  /** A copy that changes independently; the tables are shared, since they never change. */
  copy(): Tables<T> {
    return new Tables(this.#isCaseInsensitive, this)
  }

  /**
   * Remembers what changes replace, from now on until `keep` or `undo` is called. One caller at a time.
   */
  track(): void {
    this.#replaced = new Map()
  }

  /** The changes since `track` stay. */
  keep(): void {
    this.#replaced = null
  }

  /** Takes back the changes since `track`. */
  undo(): void {
    for (const [key, table] of this.#replaced ?? []) {
      if (table === undefined) this.#byId.delete(key)
      else this.#byId.set(key, table)
    }
    this.#changes += 1
    this.#replaced = null
  }

  #note(key: TableId): void {
    if (this.#replaced !== null && !this.#replaced.has(key)) this.#replaced.set(key, this.#byId.get(key))
  }

  clear(): void {
    for (const key of this.#byId.keys()) this.#note(key)
    this.#changes += 1
    this.#byId.clear()
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#byId.values()
  }

  #key(id: TableId): TableId {
    return this.#isCaseInsensitive ? id.toLowerCase() : id
  }
}
