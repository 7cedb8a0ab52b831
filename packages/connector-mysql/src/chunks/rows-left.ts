import type { MySqlConnection, WaitOptions } from '@tributary/mysql'
import type { ChunkQuery, ChunkSpan } from './chunk-query.ts'

type Range = Pick<ChunkSpan, 'after' | 'upTo'>

/**
 * About how many rows are in ranges of a table, by the optimizer of the server, which looks at the index and counts
 * nothing. Null: it does not say.
 *
 * InnoDB reports at most half of the table for a range. While less than half of a table is done, the estimate is therefore
 * that of the done part, subtracted from the whole.
 */
export async function estimateRowsLeft(
  connection: MySqlConnection,
  query: ChunkQuery,
  ranges: readonly Range[],
  wait: WaitOptions = {},
): Promise<number | null> {
  const rowsOf = (range: Range): Promise<number | null> => explain(connection, query, range, wait)
  const total = await rowsOf(WHOLE)
  if (total === null) return null
  let sum = 0
  for (const range of ranges) {
    const rows = await rowsOf(range)
    if (rows === null) return null
    sum += rows
  }
  const [first] = ranges
  const isLarge = ranges.length === 1 && sum >= total * CAPPED_FROM
  const done = isLarge && first?.after ? await rowsOf({ after: null, upTo: first.after }) : null
  return done === null ? sum : Math.max(0, total - done)
}

const WHOLE: Range = { after: null, upTo: null }
const CAPPED_FROM = 0.4

async function explain(
  connection: MySqlConnection,
  query: ChunkQuery,
  range: Range,
  wait: WaitOptions,
): Promise<number | null> {
  const sql = `EXPLAIN FORMAT=TRADITIONAL ${query.explained({ ...range, condition: null })}`
  const [row] = await connection.query(sql, 'estimating the rows that are left', wait)
  // MySQL has a column more, with the partitions, before it.
  const text = row === undefined ? null : (row[row.length === MARIADB_COLUMNS ? 8 : 9] ?? null)
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

const MARIADB_COLUMNS = 10
