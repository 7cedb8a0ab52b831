import { test } from 'node:test'
import { killWithin } from './kill-within.ts'

test('four kills within a transaction repeat 2,500 records at most each, and lose none', (t) =>
  killWithin(t, { rows: 200_000, kills: 4, compression: 'OFF' }))

test('a kill within a compressed transaction repeats no more than in any other, and loses none', (t) =>
  killWithin(t, { rows: 200_000, kills: 4, compression: 'ON' }))
