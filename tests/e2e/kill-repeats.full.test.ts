import { test } from 'node:test'
import { killWithin } from './kill-within.ts'

test('a kill repeats 2,500 records at most, also while the brokers do not answer, and loses none', (t) =>
  killWithin(t, { rows: 120_000, kills: 2, compression: 'OFF' }))
