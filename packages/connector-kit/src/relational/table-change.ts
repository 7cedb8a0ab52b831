import type { Table } from './table.ts'
import type { TableId } from './table-id.ts'
import type { Tables } from './tables.ts'

export type TableChangeType = 'CREATE' | 'ALTER' | 'DROP'

/** What a statement did to a table. */
export interface TableChange<T extends Table = Table> {
  readonly type: TableChangeType
  readonly id: TableId
  /** The name before a rename; null when the statement renames nothing. */
  readonly previousId: TableId | null
  /** The definition afterwards; null for DROP. */
  readonly table: T | null
}

/** Applies the change to the tables. */
export function applyTableChange<T extends Table>(change: TableChange<T>, tables: Tables<T>): void {
  if (change.table === null) {
    tables.remove(change.id)
    return
  }
  if (change.previousId !== null) tables.remove(change.previousId)
  tables.overwrite(change.table)
}
