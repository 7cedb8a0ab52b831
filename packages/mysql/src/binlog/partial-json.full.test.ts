import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePartialUpdates } from '../testing/partial-updates.ts'

for (const seed of [1, 2, 3, 4, 5]) {
  test(`thousands of changes of JSON documents that are logged as differences (seed ${seed})`, async () => {
    assert.ok((await comparePartialUpdates(seed, 3000)) > 2500)
  })
}
