import { createManyTables, insertSpread } from '../load/many-tables.ts'
import { hidden, insertRows, NUMBERS } from '../load/numbers.ts'
import { columnsOf, createTables, CUSTOMERS } from '../load/tables.ts'
import { withoutSyncing } from '../load/without-syncing.ts'
import { insertsInto } from './inserts.ts'
import type { Workload } from './workload.ts'

/** Inserts of the same rows in transactions of the given size. */
export function transactionsOf(rows: number): Workload {
  if (rows > 1) return rows > NUMBERS_COUNT ? oneTransaction : insertsInto('customers', CUSTOMERS, rows)
  return {
    ...insertsInto('customers', CUSTOMERS),
    async create(server, { database }) {
      await createTables(server, database, { customers: CUSTOMERS })
      await hidden(server, [
        `CREATE PROCEDURE ${database}.work(IN count INT)
         BEGIN
           DECLARE i INT DEFAULT 1;
           WHILE i <= count DO
             INSERT INTO ${database}.customers SELECT ${CUSTOMERS.values};
             SET i = i + 1;
           END WHILE;
         END`,
      ])
    },
    async fill(server, { database, amount }) {
      await withoutSyncing(server, async () => void (await server.query(`CALL ${database}.work(${amount})`)))
    },
  }
}

/** The numbers in the table NUMBERS. */
const NUMBERS_COUNT = 10_000

const oneTransaction: Workload = {
  ...insertsInto('customers', CUSTOMERS),
  async fill(server, { database, amount }) {
    await server.query(
      `INSERT INTO ${database}.customers SELECT ${CUSTOMERS.values}
       FROM (SELECT a.n * ${NUMBERS_COUNT} + b.n + 1 AS i FROM ${NUMBERS} a, ${NUMBERS} b
             WHERE a.n < ${amount / NUMBERS_COUNT}) AS source ORDER BY i`,
    )
  },
}

/** Rows per transaction, and per table in a round. */
const ROUND_ROWS = 10
/** Minimum share of the first round in all changes. A shorter round takes no longer than the detection of its end. */
const KNOWN_SHARE_MIN = 0.01

/**
 * Small inserts spread over `tables` captured tables. A row in a table of its own marks the end of the first round and
 * of the last.
 */
export function spreadOver(tables: number): Workload {
  return {
    unit: 'rows',
    async create(server, { database }) {
      await createManyTables(server, database, tables)
      await createTables(server, database, { known: CUSTOMERS, last: CUSTOMERS })
    },
    async fill(server, { database, amount }) {
      const rowsPerTable = amount / tables
      const spread = { database, tables, rowsPerTransaction: ROUND_ROWS }
      const mark = (table: string): Promise<void> =>
        insertRows(server, { table: `${database}.${table}`, rows: 1, values: CUSTOMERS.values })
      await withoutSyncing(server, async () => {
        await insertSpread(server, { ...spread, rowsPerTable: Math.min(ROUND_ROWS, rowsPerTable) })
        await mark('known')
        await insertSpread(server, { ...spread, fromRow: ROUND_ROWS, rowsPerTable })
      })
      await mark('last')
    },
    changes: ({ amount }) => amount + 2,
    // Only the last marker: requesting the ends of 5,000 topics repeatedly would dominate the measurement.
    expected: (prefix, { database }) => new Map([[`${prefix}.${database}.last`, { c: 1 }]]),
    tablesKnown(prefix, { database, amount }) {
      const share = (tables * ROUND_ROWS) / amount
      if (share < KNOWN_SHARE_MIN || share >= 1) return null
      return { topic: `${prefix}.${database}.known`, changes: tables * ROUND_ROWS + 1 }
    },
    topics: (prefix, { database }) => [
      `${prefix}.${database}.known`,
      `${prefix}.${database}.last`,
      ...Array.from({ length: tables }, (_, table) => `${prefix}.${database}.t${table}`),
    ],
  }
}

const ROW_BYTES = 2_000

/** Inserts of rows with two kilobytes in `count` columns. */
export function columns(count: number): Workload {
  return insertsInto('customers', columnsOf(count, ROW_BYTES))
}
