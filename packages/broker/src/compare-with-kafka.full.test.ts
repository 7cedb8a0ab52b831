import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recurringDifferences } from './testing/recurring-differences.ts'

test('Kafka and the broker answer random sequences of requests alike', async () => {
  // Always the same sequences: a new difference is a defect of a change, not of chance.
  const { recurring } = await recurringDifferences({ seed: 1, sequences: 25, steps: 40, atOnce: 5 })
  assert.deepEqual(
    recurring.map(({ text }) => text),
    [],
  )
})
