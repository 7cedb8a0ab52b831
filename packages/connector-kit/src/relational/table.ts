import type { Column } from './column.ts'
import type { TableId } from './table-id.ts'

/** A further fact about a table, for databases whose history records have such. */
export interface TableAttribute {
  readonly name: string
  readonly value: string
}

/**
 * The definition of a table at one time. It never changes: a statement that alters the table makes a new one. So its
 * identity is that of the version, and what is compiled for it may be kept in a WeakMap. A connector may extend it by
 * facts of its database.
 */
export interface Table {
  readonly id: TableId
  readonly columns: readonly Column[]
  /** The columns that identify a row, in the key's order; empty when no columns do. */
  readonly primaryKeyColumnNames: readonly string[]
  /** Null in databases that have no character set per table. */
  readonly defaultCharsetName: string | null
  readonly comment: string | null
  readonly attributes: readonly TableAttribute[]
}
