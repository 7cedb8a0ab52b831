import type { Database } from '@tributary/testkit'

/** Default number of rows per statement; each statement is a transaction. */
export const CHUNK_ROWS = 10_000

/** The table with the numbers `n` from which rows are generated. */
export const NUMBERS: string = 'load_numbers.numbers'

/** Creates the table of the numbers from 0 to 9,999, without writing to the binlog. */
export async function createNumbers(database: Database): Promise<void> {
  const digits = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(' UNION ALL ')
  await hidden(database, [
    'CREATE DATABASE load_numbers',
    `CREATE TABLE ${NUMBERS} (n INT NOT NULL PRIMARY KEY)`,
    `INSERT INTO ${NUMBERS} SELECT a.d * 1000 + b.d * 100 + c.d * 10 + e.d
       FROM (${digits}) a, (${digits}) b, (${digits}) c, (${digits}) e`,
  ])
}

export interface RowsPlan {
  readonly table: string
  readonly rows: number
  /** The values of a row as SQL expressions; `i` is the row's number, counted from 1. */
  readonly values: string
  /** True to keep the rows out of the binlog. */
  readonly isHidden?: boolean
  /** Default 10,000, and at most that. */
  readonly transactionRows?: number
}

/** Inserts rows in transactions. The server generates them itself, which uses little processor time. */
export async function insertRows(
  database: Database,
  { table, rows, values, isHidden = false, transactionRows = CHUNK_ROWS }: RowsPlan,
): Promise<void> {
  for (let from = 0; from < rows; from += transactionRows) {
    const count = Math.min(transactionRows, rows - from)
    const insert = `INSERT INTO ${table} SELECT ${values}
      FROM (SELECT n + ${from + 1} AS i FROM ${NUMBERS} WHERE n < ${count}) AS source ORDER BY i`
    if (isHidden) await hidden(database, [insert])
    else await database.query(insert)
  }
}

/** Runs statements without writing to the binlog. */
export async function hidden(database: Database, statements: readonly string[]): Promise<void> {
  await database.query('SET SESSION sql_log_bin = 0')
  for (const statement of statements) await database.query(statement)
  await database.query('SET SESSION sql_log_bin = 1')
}
