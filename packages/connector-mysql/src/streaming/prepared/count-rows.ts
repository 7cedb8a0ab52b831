import { RowCodec, type RowsEvent } from '@tributary/mysql'

/** The number of rows of an event, which is at its first row before and after. */
export function countRows(event: RowsEvent): number {
  const result = RowCodec.compile(
    event.table,
    event.table.columns.map(() => null),
  )
  // A table with such columns is stopped, and its rows are left out.
  if (result.tag === 'misfit') return 0
  let count = 0
  for (; event.hasMore; count++) {
    if (event.kind !== 'write') event.readBefore(result.codec)
    if (event.kind !== 'delete') event.readAfter(result.codec)
  }
  event.rewind()
  return count
}
