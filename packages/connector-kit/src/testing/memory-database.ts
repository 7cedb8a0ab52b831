import { doneOr } from '@tributary/support'
import type { Column } from '../relational/column.ts'
import type { Table } from '../relational/table.ts'
import { TableId } from '../relational/table-id.ts'

export type MemoryRow = readonly (string | number | null)[]

/** One row that a transaction changes: null before is an insert, null after a delete. */
export interface MemoryChange {
  readonly table: string
  readonly before: MemoryRow | null
  readonly after: MemoryRow | null
}

export type LogEntry =
  | { readonly tag: 'begin'; readonly transaction: string }
  | ({ readonly tag: 'row' } & MemoryChange)
  | { readonly tag: 'statement'; readonly sql: string; readonly type: 'CREATE' | 'ALTER'; readonly table: Table }
  | { readonly tag: 'end' }

/**
 * A database with one schema, `shop`, whose tables have the key `id` and columns of text, and with a log that is never
 * purged.
 */
export class MemoryDatabase {
  readonly log: LogEntry[] = []
  readonly #tables = new Map<string, { table: Table; rows: MemoryRow[] }>()
  #transactions = 0
  #changed = Promise.withResolvers<void>()

  get tables(): readonly Table[] {
    return [...this.#tables.values()].map(({ table }) => table)
  }

  rowsOf({ id }: Table): readonly MemoryRow[] {
    return this.#tables.get(id.table)?.rows ?? []
  }

  createTable(name: string, columns: readonly string[]): void {
    const all = ['id', ...columns]
    const table: Table = {
      id: TableId.of('shop', name),
      columns: all.map((column, index) => columnOf(column, index)),
      primaryKeyColumnNames: ['id'],
      defaultCharsetName: null,
      comment: null,
      attributes: [],
    }
    this.#tables.set(name, { table, rows: [] })
    this.#append({ tag: 'statement', sql: `CREATE TABLE ${name} (${all.join(', ')})`, type: 'CREATE', table })
  }

  addColumn(name: string, column: string): void {
    const kept = this.#kept(name)
    const columns = [...kept.table.columns, columnOf(column, kept.table.columns.length)]
    kept.table = { ...kept.table, columns }
    kept.rows = kept.rows.map((row) => [...row, null])
    const sql = `ALTER TABLE ${name} ADD ${column}`
    this.#append({ tag: 'statement', sql, type: 'ALTER', table: kept.table })
  }

  commit(changes: readonly MemoryChange[]): void {
    this.#transactions += 1
    this.#append({ tag: 'begin', transaction: `t${this.#transactions}` })
    for (const change of changes) {
      const kept = this.#kept(change.table)
      if (change.before !== null) kept.rows = kept.rows.filter((row) => row[0] !== change.before?.[0])
      if (change.after !== null) kept.rows.push(change.after)
      this.#append({ tag: 'row', ...change })
    }
    this.#append({ tag: 'end' })
  }

  insert(table: string, ...rows: readonly MemoryRow[]): void {
    this.commit(rows.map((after) => ({ table, before: null, after })))
  }

  /** Resolves when the log has more than that many entries. */
  async waitForMore(count: number, signal: AbortSignal): Promise<void> {
    while (this.log.length <= count) await doneOr(this.#changed.promise, signal)
  }

  #kept(name: string): { table: Table; rows: MemoryRow[] } {
    const kept = this.#tables.get(name)
    if (kept === undefined) throw new RangeError(`There is no table ${name}`)
    return kept
  }

  #append(entry: LogEntry): void {
    this.log.push(entry)
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

function columnOf(name: string, index: number): Column {
  const isKey = index === 0
  return {
    name,
    jdbcType: isKey ? 4 : 12,
    nativeType: null,
    typeName: isKey ? 'INT' : 'TEXT',
    typeExpression: null,
    charsetName: null,
    length: null,
    scale: null,
    position: index + 1,
    optional: !isKey,
    autoIncremented: false,
    generated: false,
    comment: null,
    hasDefaultValue: false,
    defaultValueExpression: null,
    enumValues: [],
  }
}
