import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasOwnOffsets, transactionSettings } from './exactly-once.ts'

test('boundary and interval are read as Kafka reads values, with the defaults of Connect', () => {
  assert.deepEqual(transactionSettings({}), { boundary: 'poll', intervalMs: null })
  assert.deepEqual(
    transactionSettings({ 'transaction.boundary': ' Connector ', 'transaction.boundary.interval.ms': ' 50 ' }),
    { boundary: 'connector', intervalMs: 50 },
  )
  assert.equal(transactionSettings({ 'transaction.boundary.interval.ms': ' ' }).intervalMs, null)
})

// A registration checks values, but a reference is resolved only when the task starts.
test('an impossible value behind a reference is refused by name', () => {
  const refused = { code: 'TRANSACTION_SETTING_INVALID' }
  assert.throws(() => transactionSettings({ 'transaction.boundary': 'never' }), {
    ...refused,
    message: /Invalid value never for configuration transaction\.boundary.*poll, interval or connector/,
  })
  assert.throws(() => transactionSettings({ 'transaction.boundary': '' }), refused)
  for (const value of ['-1', '1.5', '1e3', '0x10', 'soon']) {
    assert.throws(() => transactionSettings({ 'transaction.boundary.interval.ms': value }), refused)
  }
})

test('offsets are those of the worker if topic and brokers are, and at least once whatever the brokers', () => {
  const place = { topic: 'offsets', workerTopic: 'offsets', isExactlyOnce: true, isWorkerCluster: true }
  assert.equal(hasOwnOffsets(place), false)
  assert.equal(hasOwnOffsets({ ...place, topic: 'own' }), true)
  assert.equal(hasOwnOffsets({ ...place, topic: 'own', isExactlyOnce: false }), true)
  assert.equal(hasOwnOffsets({ ...place, isWorkerCluster: false }), true)
  // Then offsets are written by a client of their own, to the worker's brokers.
  assert.equal(hasOwnOffsets({ ...place, isWorkerCluster: false, isExactlyOnce: false }), false)
})
