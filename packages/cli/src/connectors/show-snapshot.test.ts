import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunningSnapshot } from '@tributary/rest-api'
import { noColours as palette } from '../terminal/palette.ts'
import { renderSnapshot } from './show-snapshot.ts'

const RUNNING: RunningSnapshot = {
  kind: 'initial',
  state: 'running',
  waits_for: null,
  started_at: 0,
  seconds: 60,
  rows: 1_300,
  estimated_rows: 5_200,
  percent: 25,
  rows_per_second: 21.7,
  rows_left: 3_900,
  seconds_left: 179.7,
  tables_total: 3,
  tables_complete: 1,
  tables: [
    { table: 'shop.orders', state: 'reading', rows: 300, estimated_rows: 1_000, percent: 30, rows_left: 700 },
    { table: 'shop.over', state: 'reading', rows: 900, estimated_rows: 800, percent: 99.9, rows_left: null },
    { table: 'shop.later', state: 'waiting', rows: 0, estimated_rows: 3_300, percent: 0, rows_left: 3_300 },
  ],
}

test('a terminal shows bars', () => {
  assert.equal(
    renderSnapshot(RUNNING, { palette, isTerminal: true }),
    `
Snapshot: running [######------------------]
  about 25 %, 1300 of about 5200 rows, 22 rows/s, about 3 min left
  1 of 3 tables complete
  TABLE        DONE                                     ROWS
  shop.orders  about 30 % [#######-----------------]    300 of about 1000 rows
  shop.over    about 99.9 % [#######################-]  900 rows, more than the server has estimated
`,
  )
})

test('other outputs are plain, with the reason of a wait', () => {
  const snapshot = { ...RUNNING, waits_for: '34 running threads, limit 20', tables: [] }
  assert.equal(
    renderSnapshot(snapshot, { palette, isTerminal: false }),
    `
Snapshot: waiting
  It waits: 34 running threads, limit 20
  about 25 %, 1300 of about 5200 rows, 22 rows/s, about 3 min left
  1 of 3 tables complete
`,
  )
})

test('without estimates there are no percentages, and a complete snapshot is not shown', () => {
  const unknown = {
    ...RUNNING,
    kind: 'incremental',
    percent: null,
    estimated_rows: null,
    seconds_left: null,
    tables: [],
  } as const
  assert.equal(
    renderSnapshot(unknown, { palette, isTerminal: true }),
    '\nIncremental snapshot: running\n  1300 rows, 22 rows/s\n  1 of 3 tables complete\n',
  )
  assert.equal(renderSnapshot({ ...RUNNING, state: 'completed' }, { palette, isTerminal: true }), '')
})
