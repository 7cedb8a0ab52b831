import type { Database } from '@tributary/testkit'

/** Rows of a statement, each a transaction of its own, unless something else is said. */
export const CHUNK_ROWS = 10_000

/** Table of the numbers, `n`, that rows are made from. */
export const NUMBERS: string = 'load_numbers.numbers'

/** A table of the numbers from 0 to 9,999, from which rows are made by the server itself. It is in no binlog. */
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
  /** The values of a row, as SQL; `i` is its number from 1 on. */
  readonly values: string
  /** True: the rows are not written to the binlog. */
  readonly isHidden?: boolean
  /** Default 10,000, and at most that. */
  readonly transactionRows?: number
}

/** Inserts rows in transactions. The server makes them itself, so that it costs the machine little else. */
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

/** Runs statements that do not come into the binlog. */
export async function hidden(database: Database, statements: readonly string[]): Promise<void> {
  await database.query('SET SESSION sql_log_bin = 0')
  for (const statement of statements) await database.query(statement)
  await database.query('SET SESSION sql_log_bin = 1')
}
