/**
 * Expected texts by the specifications of the formats: prometheus.io/docs/instrumenting/exposition_formats, and OpenMetrics
 * 1.0. `tests/monitoring` lets Prometheus itself read the metrics of a worker.
 */
import type { MetricFamily } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expose } from './exposition.ts'

const COUNTER: MetricFamily = {
  definition: {
    name: 'a_total',
    aliases: ['b_total'],
    type: 'counter',
    help: 'As.',
    unit: '',
    labels: ['l'],
    bean: null,
  },
  samples: [{ labels: { l: 'x' }, value: 2 }],
  distributions: [],
}
const HISTOGRAM: MetricFamily = {
  definition: { name: 'h_seconds', type: 'histogram', help: 'Hs.', unit: 'seconds', labels: ['l'], bean: null },
  samples: [],
  distributions: [{ labels: { l: 'x' }, bounds: [0.1, 1], counts: [1, 2, 3], sum: 9.5 }],
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

test('a counter has its name and its alias; OpenMetrics names the family without _total', async () => {
  assert.deepEqual(lines((await expose([COUNTER], 'prometheus')).text), [
    '# HELP a_total As.',
    '# TYPE a_total counter',
    'a_total{l="x"} 2',
    '# HELP b_total As.',
    '# TYPE b_total counter',
    'b_total{l="x"} 2',
  ])
  assert.deepEqual(lines((await expose([COUNTER], 'openmetrics')).text), [
    '# HELP a As.',
    '# TYPE a counter',
    'a_total{l="x"} 2',
    '# HELP b As.',
    '# TYPE b counter',
    'b_total{l="x"} 2',
    '# EOF',
  ])
})

test('the buckets of a histogram are cumulated, and the last one is its count', async () => {
  assert.deepEqual(lines((await expose([HISTOGRAM], 'prometheus')).text).slice(2), [
    'h_seconds_bucket{l="x",le="0.1"} 1',
    'h_seconds_bucket{l="x",le="1"} 3',
    'h_seconds_bucket{l="x",le="+Inf"} 6',
    'h_seconds_sum{l="x"} 9.5',
    'h_seconds_count{l="x"} 6',
  ])
})

test('a name of a table cannot forge a line or a label', async () => {
  const hostile = 'a"} 1\nforged_total 5\n#\\'
  const samples = [{ labels: { l: hostile }, value: 1 }]
  for (const format of ['prometheus', 'openmetrics'] as const) {
    const { text } = await expose([{ ...COUNTER, samples }], format)
    assert.ok(!lines(text).some((line) => line.startsWith('forged')), text)
    assert.ok(text.includes(String.raw`a_total{l="a\"} 1\nforged_total 5\n#\\"} 1`), text)
  }
})
