import type { Bench } from '../run/bench.ts'
import { type CatchingUp, catchingUp } from '../compare/catching-up.ts'
import { compressed } from '../workloads/compressed.ts'
import { filteredTables } from '../workloads/filtered-tables.ts'
import { bulkInserts, gbkTexts, longTexts, mixedColumns } from '../workloads/inserts.ts'
import { largeTransaction } from '../workloads/large-transaction.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'

export const WITHOUT_SCHEMAS: Readonly<Record<string, string>> = Object.fromEntries(
  ['key', 'value'].flatMap((part) => [
    [`${part}.converter`, 'org.apache.kafka.connect.json.JsonConverter'],
    [`${part}.converter.schemas.enable`, 'false'],
  ]),
)

type Small = Pick<CatchingUp, 'workload' | 'amount' | 'quickAmount' | 'comparedAmount' | 'isWarm'>

export const SMALL: Small = {
  workload: smallTransactions,
  amount: 300_000,
  quickAmount: 15_000,
  comparedAmount: 1_000,
  isWarm: true,
}

/**
 * In a cold row, the work of Java's JIT compiler is part of the measurement; the smaller the amount, the larger its
 * share. Therefore the amounts of the large transaction and of the snapshots must not be reduced to save time, and the
 * figures of `--quick` are not usable.
 */
export const workloads: readonly Bench[] = [
  catchingUp({
    ...SMALL,
    name: 'w1',
    aliases: ['drain'],
    summary: 'small transactions on four tables, warm',
    isRun: 'quick',
  }),
  catchingUp({
    ...SMALL,
    name: 'w1plain',
    summary: 'the same as JSON without schemas, warm',
    isRun: 'always',
    connector: WITHOUT_SCHEMAS,
  }),
  catchingUp({
    ...SMALL,
    name: 'w1avro',
    summary: 'the same as Avro with a schema registry, warm',
    isAvro: true,
  }),
  catchingUp({
    ...SMALL,
    name: 'w1compressed',
    summary: 'the same from a compressed binlog, warm',
    workload: compressed(smallTransactions),
  }),
  catchingUp({
    name: 'w2',
    aliases: ['bulk'],
    summary: 'inserts in transactions of 10,000 rows, warm',
    isRun: 'quick',
    workload: bulkInserts,
    amount: 400_000,
    quickAmount: 100_000,
    comparedAmount: 5_000,
    isWarm: true,
  }),
  catchingUp({
    name: 'w2compressed',
    summary: 'the same as w2 from a compressed binlog, warm',
    workload: compressed(bulkInserts),
    amount: 400_000,
    quickAmount: 100_000,
    comparedAmount: 5_000,
    isWarm: true,
  }),
  catchingUp({
    name: 'w3',
    summary: 'inserts of rows of 102 columns of 25 types, cold',
    isRun: 'quick',
    workload: mixedColumns,
    amount: 100_000,
    quickAmount: 10_000,
    comparedAmount: 1_000,
    isWarm: false,
  }),
  catchingUp({
    name: 'w4',
    summary: 'inserts of rows of 4 KB of text, much of it beyond ASCII, cold',
    isRun: 'always',
    workload: longTexts,
    amount: 150_000,
    quickAmount: 10_000,
    comparedAmount: 1_000,
    isWarm: false,
  }),
  catchingUp({
    name: 'w4gbk',
    summary: 'inserts of rows of 4 KB of text in the charset gbk, cold',
    workload: gbkTexts,
    amount: 150_000,
    quickAmount: 10_000,
    comparedAmount: 1_000,
    isWarm: false,
  }),
  catchingUp({
    name: 'w5',
    summary: 'one transaction of updates, cold',
    isRun: 'always',
    workload: largeTransaction,
    amount: 1_000_000,
    quickAmount: 50_000,
    comparedAmount: 5_000,
    isWarm: false,
  }),
  catchingUp({
    name: 'w7',
    summary: 'inserts into 2,000 tables of which 95 % are filtered out, cold',
    isRun: 'always',
    workload: filteredTables,
    amount: 800_000,
    quickAmount: 80_000,
    comparedAmount: 40_000,
    isWarm: false,
  }),
]
