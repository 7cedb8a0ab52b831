import { TableId } from '@tributary/connector-kit'
import { connectorErrors } from '../errors.ts'

/** A table whose rows are not read any more, because its definition at that place cannot be known. */
export interface StoppedTable {
  readonly id: TableId
  /** Its first row that was not read: `binlog.000003:4512`. */
  readonly since: string
}

/**
 * The tables that are stopped at a position. It never changes: positions share it. Part of the offset, so that a restart
 * does not continue a table whose rows it would misread.
 */
export class StoppedTables {
  static readonly none: StoppedTables = new StoppedTables([])
  readonly #tables: readonly StoppedTable[]

  private constructor(tables: readonly StoppedTable[]) {
    this.#tables = tables
  }

  /**
   * Reads the value of the offset key `stopped_tables`.
   *
   * @throws OFFSET_UNREADABLE: to ignore a list that cannot be read would continue its tables
   */
  static parse(value: unknown): StoppedTables {
    if (value === undefined || value === null || value === '') return StoppedTables.none
    const tables = typeof value === 'string' ? parseList(value) : null
    if (tables === null)
      throw connectorErrors.OFFSET_UNREADABLE({ key: 'stopped_tables', value: JSON.stringify(value) })
    return tables.length === 0 ? StoppedTables.none : new StoppedTables(tables)
  }

  get size(): number {
    return this.#tables.length
  }

  get(id: TableId): StoppedTable | undefined {
    return this.#tables.find((table) => table.id === id)
  }

  /** Those of a database. */
  of(database: string): readonly StoppedTable[] {
    return this.#tables.filter(({ id }) => id.database === database)
  }

  with(table: StoppedTable): StoppedTables {
    return new StoppedTables([...this.#tables.filter(({ id }) => id !== table.id), table])
  }

  without(id: TableId): StoppedTables {
    const rest = this.#tables.filter((table) => table.id !== id)
    return rest.length === 0 ? StoppedTables.none : new StoppedTables(rest)
  }

  [Symbol.iterator](): IterableIterator<StoppedTable> {
    return this.#tables.values()
  }

  /** The value for the offset: a text, since values of offsets are primitive. */
  toString(): string {
    return JSON.stringify(this.#tables.map(({ id, since }) => ({ database: id.database, table: id.table, since })))
  }
}

/** Null when the text is not such a list. */
function parseList(text: string): readonly StoppedTable[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(parsed)) return null
  const tables: StoppedTable[] = []
  for (const entry of parsed as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) return null
    const { database, table, since } = entry as Readonly<Record<string, unknown>>
    if (typeof database !== 'string' || typeof table !== 'string') return null
    tables.push({ id: TableId.of(database, table), since: typeof since === 'string' ? since : 'an unknown position' })
  }
  return tables
}
