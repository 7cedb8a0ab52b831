import type { TableId } from '@tributary/connector-kit'
import type { CodedError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'

/** A column whose values this version cannot convert. */
export interface UnreadableColumn {
  readonly name: string
  /** `the type POINT`, `the character set greek` */
  readonly unsupported: string
}

/** `shop.t: a (the type X), b (the type Y)`, for messages. */
function described(columns: readonly UnreadableColumn[]): string {
  return columns.map(({ name, unsupported }) => `${name} (${unsupported})`).join(', ')
}

/**
 * The error for rows of a table with such columns.
 *
 * @param isMasked the raw bytes would show what a property hides
 */
export function unreadableColumns(
  table: TableId,
  columns: readonly UnreadableColumn[],
  { isMasked }: { readonly isMasked: boolean },
): CodedError {
  const facts = { table: table.toString(), columns: described(columns) }
  return isMasked ? connectorErrors.COLUMNS_UNMASKABLE(facts) : connectorErrors.COLUMNS_UNREADABLE(facts)
}

/** The warning for a table whose events have the raw bytes of such columns. */
export function rawColumnsWarning(table: TableId, columns: readonly UnreadableColumn[]): string {
  return `Events of ${table.toString()} have the raw bytes of columns whose values this version cannot convert: ${described(columns)}. Events of a snapshot contain the bytes that the server sends; those of the stream contain the bytes of the binlog, which may differ`
}
