import type { MetricDefinition, MetricReading, MetricRow } from '@tributary/support'
import type { TaskNumbers } from './task-numbers.ts'

type Read = (numbers: TaskNumbers) => MetricReading

function row(
  type: MetricDefinition['type'],
  unit: string,
): (name: string, help: string, read: Read) => MetricRow<TaskNumbers> {
  return (name, help, read) => ({ name, type, help, unit, labels: ['connector', 'task'], bean: null, read })
}

const count = row('counter', '')
const bytesCount = row('counter', 'bytes')
const gauge = row('gauge', '')
const bytes = row('gauge', 'bytes')
const seconds = row('gauge', 'seconds')

/** Metrics of a task that Kafka Connect does not have. */
export const ownTaskMetrics: readonly MetricRow<TaskNumbers>[] = [
  row('histogram', 'seconds')(
    'tributary_commit_to_ack_seconds',
    'Time from the commit of a change in the database to the acknowledgement of its record by the brokers. Exact with GTIDs of MySQL, otherwise the commit is known in whole seconds only and values are up to a second too long. Snapshots do not count.',
    (n) => n.meters.latency.snapshot(),
  ),
  seconds(
    'tributary_lag_seconds',
    'Time from the last polled change to its poll. It is that of the last change while nothing changes; a snapshot has none.',
    (n) => (n.lagMs === null ? null : n.lagMs / 1_000),
  ),
  count('tributary_records_dropped_total', 'Records that transformations have dropped.', (n) => n.meters.dropped.value),
  count(
    'tributary_records_acknowledged_total',
    'Records that the brokers have acknowledged.',
    (n) => n.meters.acknowledged.value,
  ),
  count(
    'tributary_records_too_large_skipped_total',
    'Records that were larger than the brokers or the producer accept, and were skipped.',
    (n) => n.errors.tooLarge.value,
  ),
  count(
    'tributary_records_too_large_replaced_total',
    'Records that were larger than the brokers or the producer accept, and were sent with placeholders instead of their largest fields.',
    (n) => n.meters.replaced.value,
  ),
  bytesCount(
    'tributary_record_bytes_total',
    'Bytes of keys and values of the records that were sent, before compression.',
    (n) => n.meters.bytes.value,
  ),
  bytesCount(
    'tributary_batch_bytes_total',
    'Bytes of acknowledged batches before compression, with keys, values, headers and framing.',
    (n) => n.producer.plainBytes,
  ),
  bytesCount(
    'tributary_batch_compressed_bytes_total',
    'Bytes of acknowledged batches after compression, as the brokers store them.',
    (n) => n.producer.batchBytes,
  ),
  count(
    'tributary_batch_retries_total',
    'Batches that were sent again after an error.',
    (n) => n.producer.retriedBatches,
  ),
  count(
    'tributary_poll_retries_total',
    'Polls of the connector that failed and were repeated.',
    (n) => n.meters.pollRetries.value,
  ),
  count('tributary_offset_commits_total', 'Offset commits that succeeded.', (n) => n.meters.commits.value),
  count(
    'tributary_offset_commit_failures_total',
    'Offset commits that failed; the next one stores their offsets.',
    (n) => n.meters.failedCommits.value,
  ),
  count(
    'tributary_transactions_aborted_total',
    'Transactions of exactly-once delivery that were aborted because the task ended.',
    (n) => n.meters.transactionsAborted.value,
  ),
  count(
    'tributary_transactions_split_total',
    'Transactions of the database whose records are in several transactions of Kafka, although transaction.boundary is connector: they took too long.',
    (n) => n.meters.transactionsSplit.value,
  ),
  bytes('tributary_queue_bytes', 'Bytes of unacknowledged records.', (n) => n.queue.bytes),
  bytes(
    'tributary_queue_limit_bytes',
    'Limit of tributary_queue_bytes; the task reads nothing while it is reached.',
    (n) => n.queue.bytesMax,
  ),
  bytes(
    'tributary_task_heap_used_bytes',
    'Bytes in use in the JavaScript heap of the thread of the task. Tasks may share a thread: then each of them has the value of the thread.',
    (n) => n.thread.heapUsedBytes,
  ),
  bytes(
    'tributary_task_heap_size_bytes',
    'Bytes that the JavaScript heap of the thread of the task has reserved. Tasks may share a thread.',
    (n) => n.thread.heapTotalBytes,
  ),
  bytes(
    'tributary_task_external_bytes',
    'Bytes of buffers outside of the JavaScript heap of the thread of the task. Tasks may share a thread.',
    (n) => n.thread.externalBytes,
  ),
  row('counter', 'seconds')(
    'tributary_task_event_loop_busy_seconds_total',
    'Time in which the event loop of the thread of the task was busy. Its rate is the part of a core that the thread uses. Tasks may share a thread.',
    (n) => n.thread.busySeconds,
  ),
  {
    ...gauge(
      'tributary_task_event_loop_delay_seconds',
      'By how much timers of the thread of the task were late since the last scrape; measured from the first scrape on. Tasks may share a thread.',
      ({ thread }) => delaySamples(thread.delay),
    ),
    unit: 'seconds',
    labels: ['connector', 'task', 'percentile'],
  },
]

/** `percentile` 100 is the maximum. */
export function delaySamples(delay: TaskNumbers['thread']['delay']): MetricReading {
  if (delay === null) return null
  const { p50, p99, max } = delay
  return [
    { labels: { percentile: '50' }, value: p50 },
    { labels: { percentile: '99' }, value: p99 },
    { labels: { percentile: '100' }, value: max },
  ]
}
