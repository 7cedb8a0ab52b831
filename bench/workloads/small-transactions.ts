import {
  accountRecords,
  CHANGES_PER_TRANSACTION,
  createAccountTables,
  fillAccountTables,
  makeSmallTransactions,
} from '../load/small-transactions.ts'
import { withoutSyncing } from '../load/without-syncing.ts'
import type { Load, Workload } from './workload.ts'

/** W1: small OLTP transactions on four tables. */
export const smallTransactions: Workload = {
  unit: 'transactions',
  create: (server, { database }) => createAccountTables(server, database),
  async fill(server, load) {
    await fillAccountTables(server, load.database)
    await withoutSyncing(server, () => makeSmallTransactions(server, transactionsOf(load)))
  },
  changes: ({ amount }) => amount * CHANGES_PER_TRANSACTION,
  expected: (prefix, load) => accountRecords(prefix, transactionsOf(load)),
}

function transactionsOf({ database, amount }: Load): { readonly database: string; readonly transactions: number } {
  return { database, transactions: amount }
}
