import type { MySqlConnection } from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import { quoted, type RowTexts, type TablePlan } from '../table-plan.ts'

export interface RowPagesOptions {
  readonly plan: TablePlan
  readonly connection: MySqlConnection
  /** Rows that are read at once. */
  readonly pageRows: number
  /** Null: as fast as the server sends them. */
  readonly rowsPerSecond: number | null
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Reads the rows of a table with their checksums, a page at a time, ordered by the columns that identify a row. */
export async function* rowPages(options: RowPagesOptions): AsyncGenerator<readonly RowTexts[]> {
  const { plan, connection, pageRows, rowsPerSecond, clock, signal } = options
  const rowsMax = rowsPerSecond === null ? pageRows : Math.max(1, Math.min(pageRows, rowsPerSecond))
  const name = `${plan.table.database}.${plan.table.name}`
  let after: RowTexts | null = null
  let skipped = 0
  for (;;) {
    const startMs = clock.monotonicMs()
    const sql = pageStatement(plan, { after, skipped, rowsMax })
    const rows: readonly RowTexts[] = await connection.query(sql, `comparing rows of ${name}`, { signal })
    if (rows.length > 0) yield rows
    if (rows.length < rowsMax) return
    after = rows.at(-1) ?? null
    skipped += rows.length
    if (rowsPerSecond !== null) {
      const restMs = (rows.length / rowsPerSecond) * 1000 - (clock.monotonicMs() - startMs)
      if (restMs > 0) await clock.sleep(restMs, signal)
    }
  }
}

interface PageStart {
  readonly after: RowTexts | null
  readonly skipped: number
  readonly rowsMax: number
}

function pageStatement(plan: TablePlan, { after, skipped, rowsMax }: PageStart): string {
  const { table, pageColumns } = plan
  const columns = plan.checksumExpressions.map((each, i) => `${each} AS c${i}`).join(', ')
  const from = `${quoted(table.database)}.${quoted(table.name)}`
  const order = plan.orderColumns.map(quoted).join(', ')
  // Without an order that a condition continues, the view still returns the rows in one order.
  if (pageColumns === null) return `SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ${skipped}, ${rowsMax}`
  const condition = after === null ? '' : ` WHERE ${followingCondition(plan, after)}`
  return `SELECT ${columns} FROM ${from}${condition} ORDER BY ${order} LIMIT ${rowsMax}`
}

/** `a > 1 OR (a = 1 AND b > 2)`, with a first condition by which the server finds the place in the index. */
function followingCondition(plan: TablePlan, after: RowTexts): string {
  const columns = (plan.pageColumns ?? []).map((column) => ({
    name: quoted(column.name),
    literal: column.form.literal?.(after[plan.key.indexOf(column)] ?? '') ?? '',
  }))
  const alternatives = columns.map(({ name, literal }, i) => {
    const equal = columns.slice(0, i).map((each) => `${each.name} = ${each.literal} AND `)
    return `(${equal.join('')}${name} > ${literal})`
  })
  const [first] = columns
  if (columns.length === 1 || first === undefined) return alternatives.join('')
  return `${first.name} >= ${first.literal} AND (${alternatives.join(' OR ')})`
}

/**
 * The rows with these keys, as the texts of their columns (`textExpressions`). Keys whose columns have no literals are
 * compared by their texts, for which the server reads the whole table.
 */
export function keysStatement(plan: TablePlan, keys: readonly (readonly string[])[]): string {
  const { table, key } = plan
  const columns = plan.textExpressions.map((each, i) => `${each} AS c${i}`).join(', ')
  const equals = (texts: readonly string[]): string => {
    const parts = key.map(({ name, form }, i) => {
      const text = texts[i] ?? ''
      return form.literal === null
        ? `CAST(${form.sql(quoted(name))} AS BINARY) = x'${Buffer.from(text).toString('hex')}'`
        : `${quoted(name)} = ${form.literal(text)}`
    })
    return `(${parts.join(' AND ')})`
  }
  return `SELECT ${columns} FROM ${quoted(table.database)}.${quoted(table.name)} WHERE ${keys.map(equals).join(' OR ')}`
}
