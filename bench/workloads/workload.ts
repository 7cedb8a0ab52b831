import type { Database } from '@tributary/testkit'
import type { ExpectedRecords } from '../load/expected-records.ts'

/** How much of a workload, and where. */
export interface Load {
  /** The database that it is made in. */
  readonly database: string
  /** Rows or transactions, as the workload counts. */
  readonly amount: number
}

/** Changes that a system has to catch up with, and what must come out of them. */
export interface Workload {
  /** What `amount` counts: `transactions`, `rows`. */
  readonly unit: string
  /** Makes the tables; they stand in no binlog. */
  create(server: Database, load: Load): Promise<void>
  /** Makes the changes, and before them, in no binlog, the rows that they change. Every connector has seen the tables by then. */
  fill(server: Database, load: Load): Promise<void>
  /** Rows that are changed in the binlog, captured or not. */
  changes(load: Load): number
  /** What the topics of a connector must hold afterwards, by topic; the reader of the events checks it. */
  expected(prefix: string, load: Load): ReadonlyMap<string, ExpectedRecords>
  /** All topics that a connector writes to, where `expected` names only some. */
  topics?(prefix: string, load: Load): readonly string[]
  /**
   * The topic whose only record comes behind the first changes of each table, and how many changes come up to it; null when that is nearly
   * nothing, or all there is.
   */
  tablesKnown?(prefix: string, load: Load): { readonly topic: string; readonly changes: number } | null
  /** More properties of the connector. */
  connector?(load: Load): Readonly<Record<string, string>>
}

/** All records of all topics. */
export function countRecords(expected: ReadonlyMap<string, ExpectedRecords>): number {
  let count = 0
  for (const counts of expected.values()) for (const each of Object.values(counts)) count += each
  return count
}
