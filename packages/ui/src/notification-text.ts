import type { LiveNotification } from '@tributary/rest-api'

/** For example `Incremental snapshot: table complete, shop.orders, 1000 rows`. */
export function notificationText({ subject, type, data }: LiveNotification): string {
  const { scanned_collection: table, total_rows_scanned: rows, status, data_collections: tables } = data
  const name = `${subject.charAt(0)}${subject.slice(1).toLowerCase()}`
  if (type !== 'TABLE_SCAN_COMPLETED') {
    const of = type === 'COMPLETED' || tables === undefined || tables === '' ? '' : ` (${tables})`
    return `${name} ${type.toLowerCase()}${of}`
  }
  const what =
    status === undefined || status === 'SUCCEEDED' || status === 'EMPTY' ? 'complete' : `left out (${status})`
  return `${name}: ${table ?? 'a table'} ${what}${rows === undefined ? '' : `, ${rows} rows`}`
}
