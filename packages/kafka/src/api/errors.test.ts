import { isRecoverable } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kafkaErrors } from './errors.ts'

test('a task whose acknowledged records may be lost is not started again before somebody has looked', () => {
  const lost = { error: 'OUT_OF_ORDER_SEQUENCE_NUMBER', topic: 't', partition: 0, records: 2 }
  assert.equal(isRecoverable(kafkaErrors.SEQUENCE_LOST(lost)), false)
})
