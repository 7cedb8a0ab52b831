import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recurringDifferences } from './testing/recurring-differences.ts'

/** One of each kind of difference that 20,000 random sequences have found. */
const FOUND: Readonly<Record<string, number>> = {
  'the time of deleted records that their segment still has': 784,
  'the first of several records with the latest time': 4916,
  'the assignment of a member during a rebalance': 997,
  'aborted transactions beyond the last stable offset': 5769,
  'pending offsets of a deleted group': 6513,
  'a commit after the group was deleted': 6977,
  'a gap after a batch that was refused because its partition was not in the transaction': 13593,
  'such a gap, of a producer with an earlier epoch': 16378,
  'a batch without a transaction between those of one': 19524,
}

for (const [what, seed] of Object.entries(FOUND)) {
  test(`Kafka and the broker agree: ${what}`, async () => {
    const { recurring } = await recurringDifferences({ seed, sequences: 1, steps: 40 })
    assert.deepEqual(
      recurring.map(({ text }) => text),
      [],
    )
  })
}
