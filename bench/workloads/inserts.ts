import { insertRows } from '../load/numbers.ts'
import { createTables, CUSTOMERS, GBK_TEXTS, LONG_TEXTS, MIXED, type TablePlan } from '../load/tables.ts'
import type { Workload } from './workload.ts'

/** W2: inserts in transactions of 10,000 rows, like those of imports. */
export const bulkInserts: Workload = insertsInto('customers', CUSTOMERS)

/** W3: rows of 102 columns of all types. */
export const mixedColumns: Workload = insertsInto('mixed', MIXED)

/** W4: rows of 4 KB of text, much of it beyond ASCII. */
export const longTexts: Workload = insertsInto('texts', LONG_TEXTS)

/** The same in the charset gbk, which has to be decoded. */
export const gbkTexts: Workload = insertsInto('texts', GBK_TEXTS)

/** Inserts into one table, by default in transactions of 10,000 rows. */
export function insertsInto(name: string, table: TablePlan, transactionRows?: number): Workload {
  return {
    unit: 'rows',
    create: (server, { database }) => createTables(server, database, { [name]: table }),
    fill: (server, { database, amount: rows }) =>
      insertRows(server, {
        table: `${database}.${name}`,
        rows,
        values: table.values,
        ...(transactionRows !== undefined && { transactionRows }),
      }),
    changes: ({ amount }) => amount,
    expected: (prefix, { database, amount }) => new Map([[`${prefix}.${database}.${name}`, { c: amount }]]),
  }
}
