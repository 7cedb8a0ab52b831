import { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import type { RowCountOrder } from '../config/snapshot-keys.ts'
import { quotedText } from '../tables/quoted-name.ts'

/** Compares two tables for a sort. */
export type TableOrder = (a: TableId, b: TableId) => number

/** The numbers of rows of the tables as the server estimates them. */
export async function estimateRows(
  connection: MySqlConnection,
  tables: readonly TableId[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<TableId, number>> {
  const counts = new Map<TableId, number>()
  for (const database of new Set(tables.map((each) => each.database))) {
    const rows = await connection.query(
      `SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = ${quotedText(database)}`,
      `estimating the rows of the tables of ${database}`,
      { signal },
    )
    for (const [name, count] of rows) counts.set(TableId.of(database, name ?? ''), Number(count ?? 0))
  }
  return counts
}

/** MySQL 8 otherwise estimates by what it had read up to a day ago; other servers do not know the variable. */
export async function wantNewEstimates(connection: MySqlConnection, signal?: AbortSignal): Promise<void> {
  await connection.query(
    'SET @tributary_estimates = 1 /*!80000 , SESSION information_schema_stats_expiry = 0 */',
    'setting up the session',
    { signal },
  )
}

/** Tables with equal numbers stay in their order; a table without an estimate counts as empty, as in Debezium. */
export function byRowCount(
  counts: ReadonlyMap<TableId, number>,
  order: Exclude<RowCountOrder, 'disabled'>,
): TableOrder {
  const factor = order === 'ascending' ? 1 : -1
  return (a, b) => factor * ((counts.get(a) ?? 0) - (counts.get(b) ?? 0))
}
