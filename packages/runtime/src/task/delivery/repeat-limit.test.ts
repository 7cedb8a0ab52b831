import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REPEATED_RECORDS_LEAST } from '../../config/worker-keys.ts'
import { repeatLimit } from './repeat-limit.ts'

test('the send window leaves room for two records: those of a row whose last record is not acknowledged', () => {
  assert.deepEqual(repeatLimit(2500), {
    recordsBetweenCommits: 1000,
    sendWindow: { records: 2498, recordsPerPartition: 20 },
  })
})

test('a high limit does not make commits less frequent, a low limit makes them more frequent', () => {
  assert.equal(repeatLimit(50_000).recordsBetweenCommits, 1000)
  assert.equal(repeatLimit(500).recordsBetweenCommits, 200)
})

test('the lowest allowed limit suffices for a single partition', () => {
  const { recordsBetweenCommits, sendWindow } = repeatLimit(REPEATED_RECORDS_LEAST)
  assert.ok(recordsBetweenCommits >= 1)
  assert.ok(sendWindow.records >= sendWindow.recordsPerPartition)
})
