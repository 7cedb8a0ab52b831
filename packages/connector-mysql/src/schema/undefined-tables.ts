import type { TableId } from '@tributary/connector-kit'
import type { DdlOutcome } from './schema-change.ts'

/** The tables that exist and whose definitions are unknown. */
export class UndefinedTables {
  readonly #keyOf: (id: TableId) => TableId
  readonly #keys = new Set<TableId>()

  /** `keyOf`: the same for all spellings of a table's name. */
  constructor(keyOf: (id: TableId) => TableId) {
    this.#keyOf = keyOf
  }

  get all(): readonly TableId[] {
    return [...this.#keys]
  }

  restore(keys: readonly TableId[]): void {
    this.#keys.clear()
    for (const key of keys) this.#keys.add(key)
  }

  has(id: TableId): boolean {
    return this.#keys.has(this.#keyOf(id))
  }

  add(id: TableId): void {
    this.#keys.add(this.#keyOf(id))
  }

  delete(id: TableId): void {
    this.#keys.delete(this.#keyOf(id))
  }

  deleteDatabase(database: string): void {
    for (const key of this.#keys) if (key.database === database) this.#keys.delete(key)
  }

  /** Records what a statement has defined, and what it has left without a definition. */
  note({ events, needsSchema }: DdlOutcome): void {
    for (const { changes, tables } of events) {
      // A rename has two names; the one that is no longer in use must not count as a table.
      if (tables.size > 1) for (const id of tables) this.delete(id)
      for (const { id } of changes) this.delete(id)
    }
    for (const { id } of needsSchema) this.add(id)
  }
}
