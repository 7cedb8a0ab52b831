import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatLimit } from './repeat-limit.ts'

test('the default limit: a commit for a thousand records, and batches of up to 1,498', () => {
  assert.deepEqual(repeatLimit(2500), { recordsBetweenCommits: 1000, sendWindow: { ahead: 1000, span: 1498 } })
})

test('a higher limit lets more batches be under way, not larger ones, and stores offsets as often', () => {
  assert.deepEqual(repeatLimit(50_000), { recordsBetweenCommits: 1000, sendWindow: { ahead: 48_498, span: 1500 } })
})

test('whatever the limit: a commit is due before the window is used up, and no more than the limit can be repeated', () => {
  for (const recordsMax of [10, 11, 25, 100, 999, 2499, 2501, 3000, 10_000, 1_000_000]) {
    const { recordsBetweenCommits, sendWindow } = repeatLimit(recordsMax)
    assert.ok(recordsBetweenCommits >= 1 && sendWindow.span >= 1, `${recordsMax}`)
    assert.ok(recordsBetweenCommits <= sendWindow.ahead, `${recordsMax}`)
    // Sent at most, and two records of a row that the stored offset is in the middle of.
    assert.ok(sendWindow.ahead - 1 + sendWindow.span + 2 <= recordsMax, `${recordsMax}`)
  }
})
