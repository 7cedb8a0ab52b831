import type { MetricRow, WindowStat } from '@tributary/support'
import { beanRows } from './connect-row.ts'
import type { TaskNumbers } from './task-numbers.ts'

const LABELS = ['connector', 'task'] as const
const source = beanRows<TaskNumbers>('connect', 'source-task-metrics', LABELS)
const common = beanRows<TaskNumbers>('connect', 'connector-task-metrics', LABELS)
const error = beanRows<TaskNumbers>('connect', 'task-error-metrics', LABELS)

/** The beans of Kafka Connect for a source task. */
export const connectTaskMetrics: readonly MetricRow<TaskNumbers>[] = [
  source(
    'source-record-poll-total',
    'Records that the connector has returned, before transformations.',
    (n) => n.meters.polled.value,
  ),
  source(
    'source-record-poll-rate',
    'Records per second that the connector returned, before transformations, in the last 30 to 60 s.',
    (n) => n.meters.batchWindow.rate(n.nowMs),
  ),
  source('source-record-write-total', 'Records that were sent, after transformations.', (n) => n.meters.sent.value),
  source(
    'source-record-write-rate',
    'Records per second that were sent, after transformations, in the last 30 to 60 s.',
    (n) => n.meters.sentWindow.rate(n.nowMs),
  ),
  source('poll-batch-avg-time-ms', 'Average time of a poll that returned records, in the last 30 to 60 s.', (n) =>
    n.meters.pollWindow.average(n.nowMs),
  ),
  source('poll-batch-max-time-ms', 'Longest time of a poll that returned records, in the last 30 to 60 s.', (n) =>
    n.meters.pollWindow.max(n.nowMs),
  ),
  source('source-record-active-count', 'Records that were sent and are not acknowledged.', (n) => n.inFlight),
  source(
    'source-record-active-count-avg',
    'Average number of records in flight after a poll, in the last 30 to 60 s.',
    (n) => n.meters.activeWindow.average(n.nowMs),
  ),
  source(
    'source-record-active-count-max',
    'Largest number of records in flight after a poll, in the last 30 to 60 s.',
    (n) => n.meters.activeWindow.max(n.nowMs),
  ),
  source('transaction-size-avg', 'Average number of records of a committed transaction, in the last 30 to 60 s.', (n) =>
    ofTransactions(n, (window) => window.average(n.nowMs)),
  ),
  source(
    'transaction-size-min',
    'Smallest number of records of a committed transaction, in the last 30 to 60 s.',
    (n) => ofTransactions(n, (window) => window.min(n.nowMs)),
  ),
  source('transaction-size-max', 'Largest number of records of a committed transaction, in the last 30 to 60 s.', (n) =>
    ofTransactions(n, (window) => window.max(n.nowMs)),
  ),
  common('batch-size-avg', 'Average number of records of a poll, in the last 30 to 60 s.', (n) =>
    n.meters.batchWindow.average(n.nowMs),
  ),
  common('batch-size-max', 'Largest number of records of a poll, in the last 30 to 60 s.', (n) =>
    n.meters.batchWindow.max(n.nowMs),
  ),
  common('offset-commit-avg-time-ms', 'Average time of an offset commit, in the last 30 to 60 s.', (n) =>
    n.meters.commitWindow.average(n.nowMs),
  ),
  common('offset-commit-max-time-ms', 'Longest time of an offset commit, in the last 30 to 60 s.', (n) =>
    n.meters.commitWindow.max(n.nowMs),
  ),
  common(
    'offset-commit-success-percentage',
    'The part of the offset commits since the start of the task that succeeded, from 0 to 1.',
    ({ meters }) => share(meters.commits.value, meters.failedCommits.value),
  ),
  common(
    'offset-commit-failure-percentage',
    'The part of the offset commits since the start of the task that failed, from 0 to 1.',
    ({ meters }) => share(meters.failedCommits.value, meters.commits.value),
  ),
  error(
    'total-record-failures',
    'Attempts to process a record that failed, repeated ones included.',
    (n) => n.errors.failures.value,
  ),
  error('total-record-errors', 'Records that failed for good.', (n) => n.errors.errors.value),
  error(
    'total-records-skipped',
    'Records that were skipped because errors are tolerated.',
    (n) => n.errors.skipped.value,
  ),
  error('total-retries', 'Attempts to process a record that were repeated.', (n) => n.errors.retries.value),
  error('total-errors-logged', 'Errors of records that were logged.', (n) => n.errors.logged.value),
  error('deadletterqueue-produce-requests', 'Always 0: source connectors have no dead letter queue.', () => 0),
  error('deadletterqueue-produce-failures', 'Always 0: source connectors have no dead letter queue.', () => 0),
  error(
    'last-error-timestamp',
    'When the last record failed, in milliseconds since 1970; 0 without one.',
    (n) => n.lastErrorMs,
  ),
]

/** Only a task that delivers exactly once has these metrics, from its first transaction on. */
function ofTransactions({ meters }: TaskNumbers, read: (window: WindowStat) => number): number | null {
  return meters.transactionWindow.isUsed ? read(meters.transactionWindow) : null
}

/** 0 without any, as in Kafka Connect. */
function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest)
}
