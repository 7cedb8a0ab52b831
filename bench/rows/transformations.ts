import type { Bench } from '../run/bench.ts'
import { catchingUp } from '../compare/catching-up.ts'
import { NARROW } from '../load/tables.ts'
import { outbox } from '../workloads/outbox.ts'
import { shaped, shapes } from '../workloads/shaped.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'
import { SMALL, WITHOUT_SCHEMAS } from './workloads.ts'
import { snapshotRow } from './snapshot.ts'

const ALIASES = ['transforms'] as const

const FORMATS = [
  { suffix: '', format: 'JSON without schemas', more: { connector: WITHOUT_SCHEMAS } },
  { suffix: 'avro', format: 'Avro', more: { isAvro: true } },
] as const

/**
 * Enough for several seconds: the thread of a task compiles its code anew, also in a worker that is warm. With 400,000
 * rows that was a quarter of the processor time.
 */
const OUTBOX_ROWS = 800_000

/** W1, S1 and an outbox table with what production connectors do to their records, in both formats. */
export const transformations: readonly Bench[] = FORMATS.flatMap(({ suffix, format, more }) => [
  ...shapes.map((shape) =>
    catchingUp({
      ...SMALL,
      ...more,
      name: `w1${shape.name}${suffix}`,
      aliases: ALIASES,
      summary: `small transactions ${shape.summary}, ${format}, warm`,
      workload: shaped(smallTransactions, shape),
    }),
  ),
  catchingUp({
    ...more,
    name: `outbox${suffix}`,
    aliases: ALIASES,
    summary: `inserts into an outbox table with EventRouter, ${format}, warm`,
    workload: outbox,
    amount: OUTBOX_ROWS,
    quickAmount: 50_000,
    comparedAmount: 2_000,
    isWarm: true,
  }),
  ...shapes.map((shape) =>
    snapshotRow({
      ...more,
      name: `s1${shape.name}${suffix}`,
      aliases: ALIASES,
      summary: `the initial snapshot of rows of 3 columns ${shape.summary}, ${format}, cold`,
      table: NARROW,
      rows: 2_000_000,
      quickRows: 100_000,
      shape,
    }),
  ),
])
