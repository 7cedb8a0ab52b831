import type { CountedTable, SnapshotProgress } from '@tributary/rest-api'

/** At the present rate, in seconds. Null: the rows of some tables are not estimated, or nothing was read yet. */
export function secondsLeft(
  { rows, seconds, tables: all }: SnapshotProgress,
  tables: readonly Pick<CountedTable, 'snapshot'>[],
): number | null {
  const snapshots = tables.flatMap(({ snapshot }) => snapshot ?? [])
  const known = snapshots.filter(({ estimated_rows, is_done }) => is_done || estimated_rows !== null)
  if (rows === 0 || seconds === 0 || known.length < all) return null
  const left = snapshots.reduce(
    (sum, { rows: read, estimated_rows, is_done }) => sum + (is_done ? 0 : Math.max(0, (estimated_rows ?? 0) - read)),
    0,
  )
  return left / (rows / seconds)
}
