import { test } from 'node:test'
import { killAtSteps } from './exactly-once/kill-at-steps.ts'

const CHOSEN: ReadonlySet<string> = new Set(['before EndTxn is sent', 'before the answer to EndTxn'])

test('a worker that is killed around the commit of a transaction repeats and loses nothing', (t) =>
  killAtSteps(t, ({ name }) => CHOSEN.has(name)))
