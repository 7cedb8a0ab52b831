import { test } from 'node:test'
import { killWithin } from './kill-within.ts'

test('a kill within a compressed transaction repeats no more than in any other, and loses none', (t) =>
  killWithin(t, 'ON'))
