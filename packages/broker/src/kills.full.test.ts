import { test } from 'node:test'
import { killsUnderLoad } from './testing/kill-load.ts'

test('no acknowledged record is lost, repeated or reordered by twenty kills under 50,000 records', async () => {
  await killsUnderLoad({ kills: 20, recordsBetween: 2400 })
})
