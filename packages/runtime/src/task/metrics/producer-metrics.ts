import type { MetricRow } from '@tributary/support'
import { beanRows } from './connect-row.ts'
import type { TaskNumbers } from './task-numbers.ts'

/**
 * `clientid` is the label of the JMX exporter's example, in lower case as in Strimzi; `client_id` is the one without
 * rules.
 */
const producer = beanRows<TaskNumbers>('producer', 'producer-metrics', ['clientid', 'client_id'])

/** The bean of the producer of a task. */
export const producerMetrics: readonly MetricRow<TaskNumbers>[] = [
  producer('record-send-total', 'Records that the brokers have acknowledged.', ({ producer: p }) => p.records),
  producer('record-send-rate', 'Records per second that the brokers acknowledged, in the last 30 to 60 s.', (n) =>
    n.producer.recordWindow.rate(n.nowMs),
  ),
  producer('record-retry-total', 'Records that were sent again after an error.', ({ producer: p }) => p.retriedRecords),
  producer(
    'record-error-total',
    'Records that the producer refused for good; the task fails with the first one.',
    (n) => n.errors.producer.value,
  ),
  producer(
    'records-per-request-avg',
    'Average number of records of a request, in the last 30 to 60 s.',
    ({ producer: p, nowMs }) => p.recordWindow.rate(nowMs) / p.requestWindow.rate(nowMs),
  ),
  producer(
    'record-size-avg',
    'Average size of a record, uncompressed, in the last 30 to 60 s.',
    ({ producer: p, nowMs }) => p.plainWindow.rate(nowMs) / p.recordWindow.rate(nowMs),
  ),
  producer('batch-size-avg', 'Average size of a batch, compressed, in the last 30 to 60 s.', (n) =>
    n.producer.batchWindow.average(n.nowMs),
  ),
  producer('batch-size-max', 'Largest size of a batch, compressed, in the last 30 to 60 s.', (n) =>
    n.producer.batchWindow.max(n.nowMs),
  ),
  producer(
    'compression-rate-avg',
    'Compressed size of the batches divided by their size before, in the last 30 to 60 s.',
    ({ producer: p, nowMs }) => p.batchWindow.rate(nowMs) / p.plainWindow.rate(nowMs),
  ),
  producer(
    'record-queue-time-avg',
    'Average time from the first record of a batch to its acknowledgement, in the last 30 to 60 s.',
    (n) => n.producer.queueWindow.average(n.nowMs),
  ),
  producer(
    'record-queue-time-max',
    'Longest time from the first record of a batch to its acknowledgement, in the last 30 to 60 s.',
    (n) => n.producer.queueWindow.max(n.nowMs),
  ),
  producer('request-total', 'Produce requests.', ({ producer: p }) => p.requests),
  producer('request-rate', 'Produce requests per second, in the last 30 to 60 s.', (n) =>
    n.producer.requestWindow.rate(n.nowMs),
  ),
  producer('request-latency-avg', 'Average time from a produce request to its answer, in the last 30 to 60 s.', (n) =>
    n.producer.latencyWindow.average(n.nowMs),
  ),
  producer('request-latency-max', 'Longest time from a produce request to its answer, in the last 30 to 60 s.', (n) =>
    n.producer.latencyWindow.max(n.nowMs),
  ),
  producer('requests-in-flight', 'Produce requests without an answer.', ({ producer: p }) => p.requestsInFlight),
  producer(
    'outgoing-byte-total',
    'Bytes of batches in produce requests, repeated ones included.',
    ({ producer: p }) => p.sentBytes,
  ),
  producer('outgoing-byte-rate', 'Bytes per second of batches in produce requests, in the last 30 to 60 s.', (n) =>
    n.producer.sentWindow.rate(n.nowMs),
  ),
  producer(
    'buffer-total-bytes',
    'Bytes of unacknowledged records at which the task stops reading (buffer.memory).',
    (n) => n.queue.bytesMax,
  ),
  producer('buffer-available-bytes', 'What of buffer-total-bytes is free.', (n) =>
    Math.max(0, n.queue.bytesMax - n.queue.bytes),
  ),
]
