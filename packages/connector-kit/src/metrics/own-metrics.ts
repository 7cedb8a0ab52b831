import type { MetricDefinition, MetricReading, MetricRow } from '@tributary/support'
import { COUNTED_TABLES_MAX, OPERATIONS, OTHER_TABLES, type CountedOperation } from './event-counts.ts'
import type { SpoolNumbers } from './connector-numbers.ts'
import { flag, type MetricSource } from './metric-source.ts'
import { perTable } from './snapshot-metrics.ts'
import type { WholeProgress } from './snapshot-numbers.ts'

function row(
  type: MetricDefinition['type'],
  labels: readonly string[] = [],
): (name: string, help: string, read: (source: MetricSource) => MetricReading) => MetricRow<MetricSource> {
  return (name, help, read) => ({
    name,
    type,
    help,
    unit: '',
    labels: ['connector', 'task', ...labels],
    bean: null,
    read,
  })
}

const count = row('counter')
const gauge = row('gauge')
const LIMIT = `At most ${COUNTED_TABLES_MAX} tables; all others together are \`${OTHER_TABLES}\`.`
const NAMES: Readonly<Record<CountedOperation, string>> = {
  r: 'read',
  c: 'create',
  u: 'update',
  d: 'delete',
  t: 'truncate',
}

function ofSpool(read: (numbers: SpoolNumbers) => number | null): (source: MetricSource) => number | null {
  return ({ numbers }) => (numbers.streaming.spool === null ? null : read(numbers.streaming.spool()))
}

/** Null without a snapshot in this run of the task. */
function whole({ numbers: { shownSnapshot: shown }, nowMs }: MetricSource): WholeProgress | null {
  return shown.startMs === null ? null : shown.progress(nowMs)
}

/** Metrics of a connector that Debezium does not have. */
export const ownMetrics: readonly MetricRow<MetricSource>[] = [
  row('counter', ['table', 'operation'])(
    'tributary_events_total',
    `Events by table and operation (${Object.values(NAMES).join(', ')}), before transformations. An update of a key is a delete and a create. ${LIMIT}`,
    ({ numbers }) =>
      Array.from(numbers.events.entries(), ([table, counts]) =>
        OPERATIONS.filter((operation) => counts[operation] > 0).map((operation) => ({
          labels: { table, operation: NAMES[operation] },
          value: counts[operation],
        })),
      ).flat(),
  ),
  gauge(
    'tributary_source_connected',
    '1 while the connection to the binlog is open; absent before the stream begins.',
    ({ numbers }) => (numbers.streaming.position === null ? null : flag(numbers.streaming.isConnected)),
  ),
  count(
    'tributary_source_disconnects_total',
    'Connections to the binlog that were lost.',
    ({ numbers }) => numbers.streaming.disconnects,
  ),
  gauge(
    'tributary_spool_bytes',
    'Bytes of the files in which the task keeps the binlog while the brokers are unreachable; absent without binlog.spool.dir, like the following ones.',
    ofSpool(({ bytes }) => bytes),
  ),
  gauge(
    'tributary_spool_limit_bytes',
    'Limit on the bytes of these files: binlog.spool.max.bytes.',
    ofSpool(({ bytesMax }) => bytesMax),
  ),
  gauge(
    'tributary_spool_files',
    'Number of these files.',
    ofSpool(({ files }) => files),
  ),
  gauge(
    'tributary_spool_active',
    '1 while the brokers are unreachable, and the task reads the binlog into these files.',
    ofSpool(({ isActive }) => flag(isActive)),
  ),
  gauge(
    'tributary_spool_full',
    '1 while the task does not read the binlog further, because the spool is full or cannot be written.',
    ofSpool(({ isFull }) => flag(isFull)),
  ),
  row('gauge', ['kind'])(
    'tributary_snapshot_running',
    '1 while a snapshot runs; `kind` is `initial`, `blocking` or `incremental`.',
    ({ numbers: { shownSnapshot: shown } }) => [
      { labels: { kind: shown.kind }, value: flag(shown.state === 'running') },
    ],
  ),
  gauge(
    'tributary_snapshot_percent',
    'How much of its rows the snapshot has read, from 0 to 100, as the server estimates them; absent when it does not.',
    (source) => whole(source)?.percent ?? null,
  ),
  gauge(
    'tributary_snapshot_rows_per_second',
    'Rows that the snapshot has read per second, in the last half minute while it runs; absent without a snapshot.',
    (source) => whole(source)?.rowsPerSecond ?? null,
  ),
  gauge(
    'tributary_snapshot_rows_remaining',
    'Rows that the snapshot has not read, as the server estimates them; absent when that is unknown.',
    (source) => whole(source)?.rowsLeft ?? null,
  ),
  gauge(
    'tributary_snapshot_seconds_remaining',
    'Time until the snapshot is complete, at the present rate; absent when that is unknown.',
    (source) => whole(source)?.secondsLeft ?? null,
  ),
  gauge(
    'tributary_snapshot_waiting',
    '1 while the snapshot waits to spare the source: the log and `GET /connectors/{connector}/snapshot` have the reason.',
    ({ numbers }) => flag(numbers.shownSnapshot.waitsFor !== null),
  ),
  gauge(
    'tributary_snapshot_tables',
    'Tables of the snapshot; 0 without one.',
    ({ numbers }) => numbers.shownSnapshot.tableCount,
  ),
  gauge(
    'tributary_snapshot_tables_remaining',
    'Tables of the snapshot whose rows are not all read.',
    ({ numbers }) => numbers.shownSnapshot.remainingTables,
  ),
  row('gauge', ['table'])(
    'tributary_snapshot_table_rows',
    `Rows of the table that the snapshot has read so far. ${LIMIT}`,
    ({ numbers }) => perTable(numbers.shownSnapshot, ({ rows }) => rows),
  ),
  row('gauge', ['table'])(
    'tributary_snapshot_table_estimated_rows',
    `Rows of the table as the server estimates them; of an interrupted copy, those that were left. ${LIMIT}`,
    ({ numbers }) => perTable(numbers.shownSnapshot, ({ estimatedRows }) => estimatedRows),
  ),
  row('gauge', ['table'])(
    'tributary_snapshot_table_done',
    `1 when all rows of the table are read; of \`${OTHER_TABLES}\` it is their number.`,
    ({ numbers }) => perTable(numbers.shownSnapshot, ({ isDone }) => flag(isDone)),
  ),
  count(
    'tributary_tables_healed_total',
    'Tables whose definition was read from the server because that of the binlog was not known.',
    (s) => s.count('tables.healed'),
  ),
  count('tributary_tables_stopped_total', 'Tables that were stopped because their definition cannot be known.', (s) =>
    s.count('tables.stopped'),
  ),
  count(
    'tributary_statements_not_understood_total',
    'Statements of the binlog that the parser did not understand.',
    (s) => s.count('statements.not.understood'),
  ),
]
