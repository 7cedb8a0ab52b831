import type { Database } from '@tributary/testkit'
import { hidden, NUMBERS } from './numbers.ts'
import { CUSTOMERS } from './tables.ts'

/** Creates a database with tables `t0`, `t1`, … of the same five columns, by a loop in the server. */
export async function createManyTables(server: Database, name: string, tables: number): Promise<void> {
  await hidden(server, [
    `CREATE DATABASE ${name}`,
    `CREATE PROCEDURE ${name}.make_tables(IN count INT)
     BEGIN
       DECLARE i INT DEFAULT 0;
       WHILE i < count DO
         SET @make = CONCAT('CREATE TABLE ${name}.t', i, ' (${CUSTOMERS.definition.replaceAll(/\s+/g, ' ')})');
         PREPARE make FROM @make;
         EXECUTE make;
         SET i = i + 1;
       END WHILE;
     END`,
    `CALL ${name}.make_tables(${tables})`,
  ])
}

export interface SpreadPlan {
  readonly database: string
  readonly tables: number
  /** Rows of each table afterwards. */
  readonly rowsPerTable: number
  /** Maximum number of rows in a transaction: the rows of one table in one round. */
  readonly rowsPerTransaction: number
  /** Rows of each table before. Default 0. */
  readonly fromRow?: number
}

/** Inserts rows into all tables in rounds, so that the binlog alternates between the tables. */
export async function insertSpread(server: Database, plan: SpreadPlan): Promise<void> {
  const { database, tables, rowsPerTable, rowsPerTransaction, fromRow = 0 } = plan
  for (let from = fromRow; from < rowsPerTable; from += rowsPerTransaction) {
    const rows = Math.min(rowsPerTransaction, rowsPerTable - from)
    const source = `(SELECT n + ${from + 1} AS i FROM ${NUMBERS} WHERE n < ${rows}) AS source ORDER BY i`
    for (let table = 0; table < tables; table++) {
      await server.query(`INSERT INTO ${database}.t${table} SELECT ${CUSTOMERS.values} FROM ${source}`)
    }
  }
}
