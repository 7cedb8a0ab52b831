import type { Bench } from '../bench.ts'
import {
  accountRecords,
  CHANGES_PER_TRANSACTION,
  createAccountTables,
  fillAccountTables,
  makeSmallTransactions,
} from '../load/small-transactions.ts'
import { drainBacklog } from './backlog.ts'

const DATABASE = 'bank'

/** Small OLTP transactions on four tables. */
export const drain: Bench = {
  name: 'drain',
  summary: 'catching up with small transactions on four tables',
  run(options) {
    const load = { database: DATABASE, transactions: options.isQuick ? 10_000 : 125_000 }
    return drainBacklog(
      {
        bench: 'drain',
        database: DATABASE,
        changes: load.transactions * CHANGES_PER_TRANSACTION,
        create: (server) => createAccountTables(server, DATABASE),
        fill: async (server) => {
          await fillAccountTables(server, DATABASE)
          await makeSmallTransactions(server, load)
        },
        expected: (prefix) => accountRecords(prefix, load),
      },
      options,
    )
  },
}
