import type { MetricReading, MetricRow } from '@tributary/support'
import { commonMetrics } from './common-metrics.ts'
import { COUNTED_TABLES_MAX, OTHER_TABLES } from './event-counts.ts'
import { debeziumRow, flag, type MetricSource } from './metric-source.ts'
import type { SnapshotNumbers, SnapshotTable } from './snapshot-numbers.ts'

const row = debeziumRow('snapshot')

/** The bean of Debezium for the snapshot. */
export const snapshotMetrics: readonly MetricRow<MetricSource>[] = [
  ...commonMetrics('snapshot'),
  row('TotalTableCount', 'Tables of the snapshot.', ({ numbers }) => numbers.shownSnapshot.tableCount),
  row(
    'RemainingTableCount',
    'Tables of the snapshot whose rows are not all read.',
    ({ numbers }) => numbers.shownSnapshot.remainingTables,
  ),
  row('SnapshotRunning', '1 while the snapshot runs.', ({ numbers }) =>
    flag(numbers.shownSnapshot.state === 'running'),
  ),
  row(
    'SnapshotPaused',
    '1 while an incremental snapshot is paused by a signal. A paused connector has no running task.',
    ({ numbers }) => flag(numbers.shownSnapshot.isPaused),
  ),
  row('SnapshotAborted', '1 after the snapshot was aborted.', ({ numbers }) =>
    flag(numbers.shownSnapshot.state === 'aborted'),
  ),
  row('SnapshotCompleted', '1 after the snapshot was completed in this run of the task.', ({ numbers }) =>
    flag(numbers.shownSnapshot.state === 'completed'),
  ),
  row('SnapshotSkipped', '1 when the task continues from a stored offset.', ({ numbers }) =>
    flag(numbers.shownSnapshot.state === 'skipped'),
  ),
  row('SnapshotDurationInSeconds', 'Time that the snapshot has taken so far, or took.', ({ numbers, nowMs }) =>
    numbers.shownSnapshot.seconds(nowMs),
  ),
  row('SnapshotPausedDurationInSeconds', 'Time that an incremental snapshot was paused.', ({ numbers, nowMs }) =>
    numbers.shownSnapshot.pausedSeconds(nowMs),
  ),
  row('HoldingGlobalLock', '1 while the snapshot holds its read lock.', ({ numbers }) =>
    flag(numbers.shownSnapshot.isLocking),
  ),
  {
    ...row(
      'RowsScanned',
      `Rows of the table that the snapshot has read. At most ${COUNTED_TABLES_MAX} tables; all others together are \`${OTHER_TABLES}\`.`,
      // Debezium has no table that was not begun.
      ({ numbers }) => perTable(numbers.shownSnapshot, ({ rows, isDone }) => (rows > 0 || isDone ? rows : null)),
    ),
    labels: ['plugin', 'name', 'context', 'table'],
  },
]

/** The sum of the tables beyond the limit is one sample. */
export function perTable({ tables }: SnapshotNumbers, valueOf: (table: SnapshotTable) => number | null): MetricReading {
  const samples: { labels: { table: string }; value: number }[] = []
  let other: number | null = null
  let index = 0
  for (const table of tables.values()) {
    const value = valueOf(table)
    index += 1
    if (value === null) continue
    if (index > COUNTED_TABLES_MAX) other = (other ?? 0) + value
    else samples.push({ labels: { table: table.name }, value })
  }
  return other === null ? samples : [...samples, { labels: { table: OTHER_TABLES }, value: other }]
}
