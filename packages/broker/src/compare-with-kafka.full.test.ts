import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recurringDifferences } from './testing/recurring-differences.ts'

test('Kafka and the broker answer random sequences of requests alike', async (t) => {
  // Always the same sequences: a new difference is a defect of a change, not of chance.
  const { differing, recurring } = await recurringDifferences({ seed: 1, sequences: 25, steps: 40, atOnce: 5 })
  // Those that do not recur may be a race of Kafka's connections, or of ours: somebody has to look at them.
  for (const { text } of differing) t.diagnostic(text)
  assert.deepEqual(
    recurring.map(({ text }) => text),
    [],
  )
})
