import { isRecoverable } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorErrors } from './errors.ts'

test('the worker does not begin anew with attempts for a lock that blocks the writes of others', () => {
  const wait = connectorErrors.SNAPSHOT_LOCK_WAIT({
    lock: 'global read lock',
    seconds: 10,
    tries: 12,
    triesMax: 12,
    holders: '',
  })
  assert.equal(isRecoverable(wait), true)
  assert.equal(isRecoverable(connectorErrors.SNAPSHOT_LOCK_GIVEN_UP({ tries: 12, reason: wait.message }, wait)), false)
})
