import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REPEATED_RECORDS_LEAST } from '../config/worker-keys.ts'
import { repeatLimit } from './repeat-limit.ts'

test('two records less are sent: those of a row that the stored offset may be in the middle of', () => {
  assert.deepEqual(repeatLimit(2500), {
    recordsBetweenCommits: 1000,
    sendWindow: { records: 2498, recordsPerPartition: 20 },
  })
})

test('with a high limit offsets are stored as often, with a low one more often', () => {
  assert.equal(repeatLimit(50_000).recordsBetweenCommits, 1000)
  assert.equal(repeatLimit(500).recordsBetweenCommits, 200)
})

test('the least limit is one that a single partition keeps', () => {
  const { recordsBetweenCommits, sendWindow } = repeatLimit(REPEATED_RECORDS_LEAST)
  assert.ok(recordsBetweenCommits >= 1)
  assert.ok(sendWindow.records >= sendWindow.recordsPerPartition)
})
