import { recordTooLarge } from '@tributary/kafka'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { refusedRecord } from './record-failure.ts'

test('what a broker has refused as too large is known from the error of the task; what the producer refused is not', () => {
  const sizes = { topic: 'orders', keyBytes: 1, valueBytes: 2, bytes: 700, limitName: 'max.message.bytes' }
  const byBroker = recordTooLarge({ ...sizes, limit: 'less' })
  const failed = runtimeErrors.PRODUCER_FAILED({ reason: 'x' }, byBroker)
  assert.deepEqual(refusedRecord(failed), { topic: 'orders', bytes: 700 })
  const byProducer = runtimeErrors.PRODUCER_FAILED({ reason: 'x' }, recordTooLarge({ ...sizes, limit: 600 }))
  assert.equal(refusedRecord(byProducer), null)
  assert.equal(refusedRecord(new Error('x')), null)
})
