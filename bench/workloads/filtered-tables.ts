import { createManyTables, insertSpread } from '../load/many-tables.ts'
import type { Workload } from './workload.ts'

const TABLES = 2_000
/** One table in twenty is captured: those whose number is a multiple of 20, which CAPTURED matches. */
const CAPTURED_EVERY = 20
const CAPTURED = '([0-9]*[02468])?0'
const ROWS_PER_TRANSACTION = 20

/** W7: changes spread over 2,000 tables of which 95 % are filtered out. The amount counts the rows of all tables. */
export const filteredTables: Workload = {
  unit: 'rows',
  create: (server, { database }) => createManyTables(server, database, TABLES),
  fill: (server, { database, amount }) =>
    insertSpread(server, {
      database,
      tables: TABLES,
      rowsPerTable: amount / TABLES,
      rowsPerTransaction: ROWS_PER_TRANSACTION,
    }),
  changes: ({ amount }) => amount,
  expected: (prefix, { database, amount }) =>
    new Map(
      Array.from({ length: TABLES / CAPTURED_EVERY }, (_, i) => [
        `${prefix}.${database}.t${i * CAPTURED_EVERY}`,
        { c: amount / TABLES },
      ]),
    ),
  connector: ({ database }) => ({ 'table.include.list': `${database}\\.t${CAPTURED}` }),
}
