import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock } from '@tributary/testkit'
import type { LoadReason } from './load-watch.ts'
import { ReplicaPatience } from './replica-patience.ts'

const DOWN: LoadReason = { kind: 'replica', reason: 'the replica r1:3306 cannot be asked', unknown: 'r1:3306' }
const LAG: LoadReason = { kind: 'replica', reason: 'the replica r2:3306 lags by 20 s' }

test('a replica that is down is waited for until the limit, and again after it was back; one that lags without one', async () => {
  const clock = fakeClock()
  const logger = captureLogger()
  const patience = new ReplicaPatience({ limitMs: 60_000, clock, logger })
  assert.deepEqual(patience.filter([DOWN, LAG]), [DOWN, LAG])
  await clock.advance(59_000)
  assert.deepEqual(patience.filter([DOWN, LAG]), [DOWN, LAG])
  await clock.advance(1_000)
  assert.deepEqual(patience.filter([DOWN, LAG]), [LAG])
  assert.deepEqual(patience.filter([DOWN, LAG]), [LAG])
  assert.equal(logger.matching(/does not wait for the replica r1:3306 any more/).length, 1)
  assert.deepEqual(patience.filter([LAG]), [LAG])
  assert.equal(logger.matching(/r1:3306 replicates: the snapshot waits for it again/).length, 1)
  assert.deepEqual(patience.filter([DOWN]), [DOWN])
})

test('with -1 a replica that is down is waited for until it is back', async () => {
  const clock = fakeClock()
  const patience = new ReplicaPatience({ limitMs: -1, clock, logger: captureLogger() })
  assert.deepEqual(patience.filter([DOWN]), [DOWN])
  await clock.advance(10 * 24 * 3_600_000)
  assert.deepEqual(patience.filter([DOWN]), [DOWN])
})
