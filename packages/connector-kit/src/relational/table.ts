import type { Column } from './column.ts'
import type { TableId } from './table-id.ts'

/** A key or index of a table. */
export interface TableKey {
  /** `PRIMARY` for the primary key. */
  readonly name: string
  readonly kind: TableKeyKind
  /** Column names in order; null for a part that is an expression. */
  readonly columns: readonly (string | null)[]
  /** True: a part takes only the beginning of its column. */
  readonly hasPrefix: boolean
}

/** `foreign`: an index that the database made for a foreign key and takes away when another serves. */
export type TableKeyKind = 'primary' | 'unique' | 'index' | 'fulltext' | 'foreign'

/** An extra fact about a table in a record, for databases that have such. */
export interface TableAttribute {
  readonly name: string
  readonly value: string
}

/**
 * The definition of a table at one time. It never changes: a statement that alters the table makes a new one, so its
 * identity stands for that version, and what is compiled for it may be kept in a WeakMap.
 */
export interface Table {
  readonly id: TableId
  readonly columns: readonly Column[]
  /** The columns that identify a row, in the key's order: the primary key, else a unique key without NULL, else none. */
  readonly primaryKeyColumnNames: readonly string[]
  readonly defaultCharsetName: string | null
  readonly comment: string | null
  readonly attributes: readonly TableAttribute[]
  /** All keys in the server's order; null: the table comes out of a record, which holds none. */
  readonly keys: readonly TableKey[] | null
  /** True: rows in the binlog end with two columns, start and end of the row version, that the columns do not list. */
  readonly hasHiddenRowPeriod: boolean
}

/** The column of a name in any case; undefined when there is none. */
export function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const lower = name.toLowerCase()
  return columns.find((column) => column.name === name || column.name.toLowerCase() === lower)
}
