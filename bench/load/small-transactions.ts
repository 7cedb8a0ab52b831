import type { Database } from '@tributary/testkit'
import type { ExpectedRecords } from './expected-records.ts'
import { hidden, insertRows } from './numbers.ts'
import { createTables, type TablePlan } from './tables.ts'

/** The table of sysbench: a column with an index, one without, and padding. About 190 bytes. */
const ACCOUNTS: TablePlan = {
  definition: `id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, k INT NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL, KEY (k)`,
  values: `i, 0, i, RPAD(CONCAT('account ', i), 100, ' text'), RPAD(i, 55, '-padding')`,
}
const TABLES = ['accounts0', 'accounts1', 'accounts2', 'accounts3'] as const
const ROWS_PER_TABLE = 10_000

export interface SmallTransactions {
  readonly database: string
  readonly transactions: number
}

/** Rows changed by a transaction. */
export const CHANGES_PER_TRANSACTION = 4
/** Includes the tombstone of the deleted row. */
export const RECORDS_PER_TRANSACTION = 5

/**
 * Creates the tables and the procedure for small transactions like those of an application. Each changes four rows in
 * one of four tables: an update of an indexed column, an update of another column, a delete, and an insert with the
 * same key. `seq` ascends over all tables.
 */
export async function createAccountTables(server: Database, database: string): Promise<void> {
  await createTables(server, database, Object.fromEntries(TABLES.map((table) => [table, ACCOUNTS])))
  const branches = TABLES.map((table, index) => `WHEN ${index} THEN ${transactionOf(`${database}.${table}`)}`).join(
    '\n',
  )
  await hidden(server, [
    `CREATE PROCEDURE ${database}.work(IN transactions INT)
     BEGIN
       DECLARE i INT DEFAULT 1;
       DECLARE s INT;
       DECLARE id1 INT;
       DECLARE id2 INT;
       DECLARE id3 INT;
       WHILE i <= transactions DO
         SET s = i * 3, id1 = 1 + (i * 7919) % ${ROWS_PER_TABLE}, id2 = 1 + (i * 104729) % ${ROWS_PER_TABLE}, id3 = 1 + (i * 1299709) % ${ROWS_PER_TABLE};
         START TRANSACTION;
         CASE i % ${TABLES.length} ${branches} END CASE;
         COMMIT;
         SET i = i + 1;
       END WHILE;
     END`,
  ])
}

/** Inserts the rows that the transactions change, without writing to the binlog. */
export async function fillAccountTables(server: Database, database: string): Promise<void> {
  for (const table of TABLES) {
    await insertRows(server, {
      table: `${database}.${table}`,
      rows: ROWS_PER_TABLE,
      values: ACCOUNTS.values,
      isHidden: true,
    })
  }
}

/** Makes the transactions by a loop in the server. */
export async function makeSmallTransactions(
  server: Database,
  { database, transactions }: SmallTransactions,
): Promise<void> {
  await server.query(`CALL ${database}.work(${transactions})`)
}

function transactionOf(table: string): string {
  return `
    UPDATE ${table} SET k = k + 1, seq = s WHERE id = id1;
    UPDATE ${table} SET c = CONCAT('changed ', i, ' ', LEFT(c, 80)), seq = s + 1 WHERE id = id2;
    DELETE FROM ${table} WHERE id = id3;
    INSERT INTO ${table} VALUES (id3, s + 2, i, RPAD(CONCAT('account ', i), 100, ' text'), RPAD(i, 55, '-padding'));`
}

/** Returns the records that each topic must contain afterwards. */
export function accountRecords(
  prefix: string,
  { database, transactions }: SmallTransactions,
): ReadonlyMap<string, ExpectedRecords> {
  return new Map(
    TABLES.map((table, index) => {
      // Transaction i, counted from 1, changes table i % 4.
      const count = Math.floor((transactions - index) / TABLES.length) + (index === 0 ? 0 : 1)
      return [`${prefix}.${database}.${table}`, { c: count, u: 2 * count, d: count, tombstone: count }]
    }),
  )
}
