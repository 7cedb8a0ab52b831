import { TableId } from '@tributary/connector-kit'
import type { UnreadableRowsEvent } from '@tributary/mysql'
import type { CodedError } from '@tributary/support'
import type { TableFilter } from '../config/table-filter.ts'
import { connectorErrors } from '../errors.ts'

/** The error for rows in a form that cannot be read; null when no captured table can have them. */
export function unreadableRows(
  { table, form, option, remedy }: UnreadableRowsEvent,
  filter: Pick<TableFilter, 'includesTable'>,
  { position, connector }: { readonly position: string; readonly connector: string },
): CodedError | null {
  const id = TableId.of(table.database, table.table)
  if (!filter.includesTable(id)) return null
  return connectorErrors.ROWS_UNREADABLE({ table: id.toString(), position, form, option, remedy, connector })
}
