import { test } from 'node:test'
import { surviveFaults } from './exactly-once/survive-faults.ts'

test('workers of a group that are killed, frozen and stopped repeat and lose nothing', (t) =>
  surviveFaults(t, { kills: 10, rows: 60_000 }))
