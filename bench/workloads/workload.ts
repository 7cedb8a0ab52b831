import type { Database } from '@tributary/testkit'
import type { ExpectedRecords } from '../load/expected-records.ts'

/** The size and place of a workload. */
export interface Load {
  /** The database that contains its tables. */
  readonly database: string
  /** Number of rows or transactions, depending on the workload's `unit`. */
  readonly amount: number
}

/** Changes in a database, and the records that a system must write for them. */
export interface Workload {
  /** What `amount` counts: `transactions`, `rows`. */
  readonly unit: string
  /** Creates the tables, without writing to the binlog. */
  create(server: Database, load: Load): Promise<void>
  /**
   * Inserts the rows to change, without writing to the binlog, and makes the changes. All connectors have read the
   * tables before.
   */
  fill(server: Database, load: Load): Promise<void>
  /** The number of changed rows in the binlog, captured or not. */
  changes(load: Load): number
  /** The records that each topic of a connector must contain afterwards. */
  expected(prefix: string, load: Load): ReadonlyMap<string, ExpectedRecords>
  /** All topics of a connector, when `expected` names only some of them. */
  topics?(prefix: string, load: Load): readonly string[]
  /**
   * The topic whose only record follows the first changes of all tables, and the number of changes up to it; null when
   * these are almost none or all changes.
   */
  tablesKnown?(prefix: string, load: Load): { readonly topic: string; readonly changes: number } | null
  /** Additional properties of the connector with that `topic.prefix`. */
  connector?(load: Load, prefix: string): Readonly<Record<string, string>>
}

/** Returns the number of records in all topics. */
export function countRecords(expected: ReadonlyMap<string, ExpectedRecords>): number {
  let count = 0
  for (const counts of expected.values()) for (const each of Object.values(counts)) count += each
  return count
}
