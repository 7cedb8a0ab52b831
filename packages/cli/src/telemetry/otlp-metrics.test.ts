import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import type { MetricFamily } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otlpMetrics } from './otlp-metrics.ts'

const plain = { labels: [], bean: null }
const families: readonly MetricFamily[] = [
  {
    definition: { ...plain, name: 'tributary_up', type: 'gauge', help: 'Up.', unit: '' },
    samples: [
      { labels: { task: '0' }, value: 1 },
      { labels: { task: '1' }, value: Number.NaN },
    ],
    distributions: [],
  },
  {
    definition: { ...plain, name: 'tributary_events_total', type: 'counter', help: 'Events.', unit: '' },
    samples: [{ labels: {}, value: 12_345_678_901 }],
    distributions: [],
  },
  {
    definition: { ...plain, name: 'tributary_wait_seconds', type: 'histogram', help: 'Waits.', unit: 'seconds' },
    samples: [],
    distributions: [{ labels: {}, bounds: [0.25, 2], counts: [1, 2, 3], sum: 9.5 }],
  },
  {
    definition: { ...plain, name: 'tributary_none', type: 'gauge', help: 'No value now.', unit: '' },
    samples: [],
    distributions: [],
  },
]

/**
 * What Python's opentelemetry-proto 1.45.2 serializes for: scope tributary 1; gauge tributary_up{task="0"} 1; cumulative
 * monotonic sum tributary_events_total 12345678901; cumulative histogram tributary_wait_seconds (unit s), bounds 0.25
 * and 2, counts 1, 2, 3, sum 9.5, count 6; from 1700000000 s to 1700000060.5 s.
 */
const SCOPE_METRICS = [
  '1292020a0e0a09747269627574617279120131123f0a0c7472696275746172795f7570120355702e2a2a0a281100002a36fe9c97',
  '171900bd3e4c0c9d971721000000000000f03f3a0b0a047461736b12030a013012440a167472696275746172795f6576656e7473',
  '5f746f74616c12074576656e74732e3a210a1b1100002a36fe9c97171900bd3e4c0c9d9717210000a8e1e0fe0642100218011279',
  '0a167472696275746172795f776169745f7365636f6e6473120657616974732e1a01734a540a501100002a36fe9c97171900bd3e',
  '4c0c9d971721060000000000000029000000000000234032180100000000000000020000000000000003000000000000003a1000',
  '0000000000d03f00000000000000401002',
].join('')

test('metrics are encoded as by the Protobuf library of another language; one without a value is left out', () => {
  const bytes = ProtobufMetricsSerializer.serializeRequest(
    otlpMetrics(families, {
      attributes: { 'service.name': 'tributary' },
      version: '1',
      startMs: 1_700_000_000_000,
      nowMs: 1_700_000_060_500,
    }),
  )
  const hex = Buffer.from(bytes ?? []).toString('hex')
  assert.equal(hex.slice(-SCOPE_METRICS.length), SCOPE_METRICS)
})
