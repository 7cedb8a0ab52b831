import type { Table } from './table.ts'
import type { TableId } from './table-id.ts'
import type { Tables } from './tables.ts'

export type TableChangeType = 'CREATE' | 'ALTER' | 'DROP'

/** What a statement did to a table. */
export interface TableChange {
  readonly type: TableChangeType
  readonly id: TableId
  /** The name before RENAME TABLE. */
  readonly previousId: TableId | null
  /** The definition afterwards; null for DROP. */
  readonly table: Table | null
}

/** Does the change to the tables. */
export function applyTableChange(change: TableChange, tables: Tables): void {
  if (change.table === null) {
    tables.remove(change.id)
    return
  }
  if (change.previousId !== null) tables.remove(change.previousId)
  tables.overwrite(change.table)
}
