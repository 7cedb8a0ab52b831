import type { DatabaseConnection } from '@tributary/testkit'
import type { Row } from './row-image.ts'
import type { SessionVariables } from './steps.ts'
import { quoted } from './table-names.ts'

export interface ChangingStatement {
  readonly tables: readonly string[]
  readonly sql: string
  readonly set: SessionVariables
}

/** Gets the rows of each table before and after the statement. */
export type OnRows = (before: readonly (readonly Row[])[], after: readonly (readonly Row[])[]) => void

/** Runs the statement in one exchange with the server. One that fails must change nothing. */
export async function changeTogether(
  connection: DatabaseConnection,
  { tables, sql, set }: ChangingStatement,
  onRows: OnRows,
): Promise<void> {
  const selects = tables.map(selectOf)
  const results = await queryWith(connection, set, [...selects, sql, ...selects])
  onRows(results.slice(0, tables.length).map(toRows), results.slice(tables.length + 1).map(toRows))
}

/** Runs a statement that may have changed rows when it fails. */
export async function changeApart(
  connection: DatabaseConnection,
  { tables, sql, set }: ChangingStatement,
  onRows: OnRows,
): Promise<void> {
  const select = async (): Promise<readonly (readonly Row[])[]> => {
    const rows: (readonly Row[])[] = []
    for (const table of tables) rows.push(await rowsOf(connection, table))
    return rows
  }
  const before = await select()
  try {
    await queryWith(connection, set, [sql])
  } finally {
    onRows(before, await select())
  }
}

/** Runs statements under these variables of the session; returns their results. */
export async function queryWith(
  connection: DatabaseConnection,
  set: SessionVariables,
  statements: readonly string[],
): Promise<readonly unknown[]> {
  const names = Object.keys(set)
  const [sets, resets] = [names.map((name) => `SET SESSION ${name} = ${set[name]}`), names.map(resetOf)]
  try {
    // A comment at the end of a statement must not hide the next one.
    const [results] = await connection.query([...sets, ...statements, ...resets].join('\n;'))
    if (names.length + statements.length === 1) return [results]
    return (results as readonly unknown[]).slice(names.length, names.length + statements.length)
  } catch (error) {
    for (const reset of resets) await connection.query(reset)
    throw error
  }
}

export async function rowsOf(connection: DatabaseConnection, table: string): Promise<readonly Row[]> {
  const [rows] = await connection.query(selectOf(table))
  return toRows(rows)
}

function resetOf(name: string): string {
  return `SET SESSION ${name} = ${name === 'sql_log_bin' ? '1' : 'DEFAULT'}`
}

function selectOf(table: string): string {
  return `SELECT * FROM ${quoted(table)} ORDER BY id`
}

function toRows(rows: unknown): readonly Row[] {
  return (rows as readonly Record<string, unknown>[]).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  )
}
