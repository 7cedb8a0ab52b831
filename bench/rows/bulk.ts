import type { Bench } from '../bench.ts'
import { insertRows } from '../load/numbers.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { drainBacklog } from './backlog.ts'

const DATABASE = 'shop'
const TABLE = `${DATABASE}.customers`

/** Inserts in transactions of 10,000 rows, as imports make them. */
export const bulk: Bench = {
  name: 'bulk',
  summary: 'catching up with inserts in transactions of 10,000 rows',
  run(options) {
    const rows = options.isQuick ? 100_000 : 1_000_000
    return drainBacklog(
      {
        bench: 'bulk',
        database: DATABASE,
        changes: rows,
        create: (server) => createTables(server, DATABASE, { customers: CUSTOMERS }),
        fill: (server) => insertRows(server, { table: TABLE, rows, values: CUSTOMERS.values }),
        expected: (prefix) => new Map([[`${prefix}.${TABLE}`, { c: rows }]]),
      },
      options,
    )
  },
}
