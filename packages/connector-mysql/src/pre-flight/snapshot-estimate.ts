import type { TableEstimate } from './catalogue.ts'

/** Estimated size and time of a snapshot. The sizes of the tables and the rate are estimates too. */
export interface SnapshotEstimate {
  readonly tables: number
  readonly rows: number
  readonly bytes: number
  readonly seconds: number
}

export function estimateSnapshot(tables: readonly TableEstimate[]): SnapshotEstimate {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  const bytes = tables.reduce((sum, each) => sum + each.bytes, 0)
  const seconds = Math.ceil(Math.max(rows / ROWS_PER_SECOND, bytes / BYTES_PER_SECOND))
  return { tables: tables.length, rows, bytes, seconds }
}

/** Measured for narrow rows on two cores, which the database and the broker share: bench/README.md. */
const ROWS_PER_SECOND = 100_000
/** The same rate for rows of 200 bytes in the table: wider rows take longer in proportion. */
const BYTES_PER_SECOND = 20_000_000
