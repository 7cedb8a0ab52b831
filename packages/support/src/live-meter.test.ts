import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LiveMeter } from './live-meter.ts'
import { noMeter, type Meter } from './meter.ts'

function use(meter: Meter): void {
  meter.counter('sent').add(3)
  meter.counter('sent').add(4)
  let fill = 1
  meter.gauge('fill', () => fill)
  fill = 2
  for (const ms of [0, 10, 11, 100, 101, 5_000]) meter.histogram('ms', [10, 100]).observe(ms)
}

test('a snapshot contains sums, gauges as of now, and values by bucket, and can cross threads', () => {
  const meter = new LiveMeter()
  use(meter)
  const snapshot = meter.snapshot()
  assert.deepEqual(snapshot, {
    counters: { sent: 7 },
    gauges: { fill: 2 },
    histograms: { ms: { bounds: [10, 100], counts: [2, 2, 2], sum: 5_222 } },
    families: [],
  })
  assert.deepEqual(structuredClone(snapshot), snapshot)
})

test('a snapshot does not change afterwards', () => {
  const meter = new LiveMeter()
  use(meter)
  const snapshot = meter.snapshot()
  const copy = structuredClone(snapshot)
  use(meter)
  assert.deepEqual(snapshot, copy)
})

test('a second gauge of a name replaces the first', () => {
  const meter = new LiveMeter()
  meter.gauge('fill', () => 1)
  meter.gauge('fill', () => 2)
  assert.deepEqual(meter.snapshot().gauges, { fill: 2 })
})

test('bounds that do not ascend are a bug', () => {
  assert.throws(() => new LiveMeter().histogram('ms', [10, 10]), /bounds of a histogram ascend/)
})

test('noMeter keeps nothing', () => {
  use(noMeter)
  assert.deepEqual(noMeter.snapshot(), { counters: {}, gauges: {}, histograms: {}, families: [] })
})
