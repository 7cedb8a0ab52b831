import { test } from 'node:test'
import { killAtSteps } from './exactly-once/kill-at-steps.ts'

test('a worker that is killed between any two steps of a transaction repeats and loses nothing', (t) =>
  killAtSteps(t, () => true))
