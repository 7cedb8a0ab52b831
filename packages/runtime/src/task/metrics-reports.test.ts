import { LiveMeter, type MeterSnapshot } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsReports } from './metrics-reports.ts'

test('numbers are reported every two seconds, and once more at the end', async () => {
  const [meter, clock, reports] = [new LiveMeter(), fakeClock(), [] as MeterSnapshot[]]
  const sent = meter.counter('sent')
  const reporting = new MetricsReports({ meter, clock, report: (metrics) => reports.push(metrics) })
  sent.add(1)
  await clock.advance(2_000)
  sent.add(1)
  await clock.advance(2_000)
  sent.add(1)
  reporting[Symbol.dispose]()
  reporting[Symbol.dispose]()
  await clock.advance(10_000)
  assert.deepEqual(
    reports.map(({ counters }) => counters['sent']),
    [1, 2, 3],
  )
  assert.equal(clock.pending, 0)
})
