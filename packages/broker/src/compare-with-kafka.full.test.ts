import { test } from 'node:test'
import { compareBrokers } from './testing/compare-brokers.ts'

test('Kafka and the broker answer random sequences of requests alike', async () => {
  // Always the same sequences: a new difference is a defect of a change, not of chance.
  await compareBrokers({ seed: 1, sequences: 25, steps: 40, atOnce: 5 })
})
