import { insertRows } from '../load/numbers.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import type { Workload } from './workload.ts'

/** Larger than every `seq` of the rows before the update. */
const SEQ_STEP = 100_000_000

/** W5: one transaction that updates every row of a table. */
export const largeTransaction: Workload = {
  unit: 'rows',
  create: (server, { database }) => createTables(server, database, { customers: CUSTOMERS }),
  async fill(server, { database, amount: rows }) {
    const table = `${database}.customers`
    await insertRows(server, { table, rows, values: CUSTOMERS.values, isHidden: true })
    await server.query(`UPDATE ${table} SET seq = seq + ${SEQ_STEP}, first_name = CONCAT('changed', id) ORDER BY id`)
  },
  changes: ({ amount }) => amount,
  expected: (prefix, { database, amount }) => new Map([[`${prefix}.${database}.customers`, { u: amount }]]),
}
