import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SnapshotNumbers, tableProgress } from './snapshot-numbers.ts'

const table = (name: string, rows: number, estimatedRows: number | null, isDone = false) => ({
  name,
  rows,
  estimatedRows,
  isDone,
})

for (const { title, rows, estimated, isDone, expected } of [
  { title: 'a quarter', rows: 25, estimated: 100, isDone: false, expected: [25, 75] },
  { title: 'rounded down', rows: 999, estimated: 1_000, isDone: false, expected: [99.9, 1] },
  { title: 'all rows that were estimated', rows: 100, estimated: 100, isDone: false, expected: [99.9, 0] },
  { title: 'more rows than estimated', rows: 130, estimated: 100, isDone: false, expected: [99.9, null] },
  { title: 'fewer rows than estimated, all read', rows: 70, estimated: 100, isDone: true, expected: [100, 0] },
  { title: 'an empty table that waits', rows: 0, estimated: 0, isDone: false, expected: [0, 0] },
  { title: 'rows that nobody estimated', rows: 5, estimated: null, isDone: false, expected: [null, null] },
]) {
  test(`the progress of a table: ${title}`, () => {
    const { percent, rowsLeft } = tableProgress(table('a.b', rows, estimated, isDone))
    assert.deepEqual([percent, rowsLeft], expected)
  })
}

test('the whole is the sum of the tables; without an estimate of one of them it is unknown', () => {
  const numbers = new SnapshotNumbers()
  numbers.begin(0)
  for (const each of [table('a.a', 60, 50, true), table('a.b', 20, 40)]) numbers.tables.set(each.name, each)
  assert.deepEqual(numbers.progress(8_000), {
    rows: 80,
    estimatedRows: 100,
    percent: 80,
    rowsLeft: 20,
    // Since it began: half a minute has not passed.
    rowsPerSecond: 10,
    secondsLeft: 2,
  })
  numbers.tables.set('a.c', table('a.c', 0, null))
  const { percent, rowsLeft, secondsLeft } = numbers.progress(8_000)
  assert.deepEqual([percent, rowsLeft, secondsLeft], [null, null, null])
})

test('the rate is that of the last half minute, and at the end that of the whole', () => {
  const numbers = new SnapshotNumbers()
  numbers.begin(0)
  const one = table('a.a', 0, 100_000)
  numbers.tables.set(one.name, one)
  // 100 rows/s for a minute, then 10 rows/s for a minute.
  for (let second = 1; second <= 120; second += 1) {
    one.rows += second <= 60 ? 100 : 10
    numbers.progress(second * 1_000)
  }
  assert.equal(numbers.progress(120_000).rowsPerSecond, 10)
  one.isDone = true
  numbers.end('completed', 120_000)
  assert.deepEqual([numbers.progress(500_000).rowsPerSecond, numbers.progress(500_000).percent], [55, 100])
})

test('pauses are counted apart', () => {
  const numbers = new SnapshotNumbers()
  numbers.begin(0, 'incremental')
  numbers.pause(true, 1_000)
  numbers.pause(true, 2_000)
  assert.deepEqual([numbers.isPaused, numbers.pausedSeconds(4_000)], [true, 3])
  numbers.pause(false, 5_000)
  numbers.pause(true, 6_000)
  numbers.end('aborted', 8_000)
  assert.deepEqual([numbers.isPaused, numbers.pausedSeconds(20_000), numbers.seconds(20_000)], [false, 6, 8])
})
