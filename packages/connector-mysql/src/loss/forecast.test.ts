import type { LossForecast } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinlogGrowth, type ListedFile } from './binlog-growth.ts'
import { type BinlogState, forecast } from './forecast.ts'
import type { Retention } from './retention.ts'

// Rules that the servers of the tests do not have: a limit of the total size needs MariaDB 11.4 or Percona Server. The
// rules of time are tested on servers (loss-probe.server.test.ts, loss-truth.full.test.ts).

const BY_SIZE: Retention = {
  seconds: null,
  totalBytes: 1000,
  needsNewFile: true,
  fileBytesMax: 400,
  isComplete: true,
  settings: ['max_binlog_total_size=1000'],
  notes: [],
}

function at(changes: Partial<BinlogState>): LossForecast {
  return forecast({
    nowMs: 1_000_000,
    files: [
      { name: 'b.1', bytes: 400 },
      { name: 'b.2', bytes: 400 },
      { name: 'b.3', bytes: 100 },
    ],
    needed: 0,
    position: 150,
    closedMs: 900_000,
    growth: { mean: 10, peak: 50 },
    retention: BY_SIZE,
    notes: [],
    ...changes,
  })
}

test('a limit of the total size: the oldest file goes when all files exceed it', () => {
  // 900 of 1000 bytes are used: 100 bytes are left, in 10 s at the mean rate, in 2 s at the highest.
  const { state, bytes, files, earliestMs, expectedMs, backlogBytes, backlogFiles } = at({})
  assert.deepEqual([state, bytes, files, backlogBytes, backlogFiles], ['kept', 100, 0, 750, 3])
  assert.deepEqual([earliestMs, expectedMs], [1_002_000, 1_010_000])
})

test('a later file goes only after the older ones', () => {
  // 500 of 1000 bytes are in the needed file and after it: 500 are left, the first 300 of them in the last file.
  const { bytes, files } = at({ needed: 1 })
  assert.deepEqual([bytes, files], [500, 1])
})

test('on an idle server, a limit of the size that a file reaches can be reached now; without a measurement, that is not known', () => {
  const idle = at({ growth: { mean: 0, peak: 0 } })
  assert.deepEqual([idle.state, idle.earliestMs, idle.expectedMs], ['kept', 1_000_000, null])
  assert.equal(at({ growth: null }).state, 'unknown')
})

test('on an idle server, a limit of the size that is further away has no time, and a note has the bytes', () => {
  const { state, earliestMs, bytes, notes } = at({ needed: 1, growth: { mean: 0, peak: 0 } })
  assert.deepEqual([state, earliestMs, bytes], ['kept', null, 500])
  assert.match(notes.join(' '), /when it has written 500 bytes more/)
})

test('with a limit of the size and one of the time, the time of a connector in the active file runs out', () => {
  const active = { needed: 2, position: 50, closedMs: null }
  const both = at({ ...active, retention: { ...BY_SIZE, seconds: 86_400 } })
  // 900 bytes at 50 bytes per second, long before the day.
  assert.deepEqual([both.isRunningOut, both.earliestMs], [true, 1_018_000])
  const byTime = { ...BY_SIZE, totalBytes: null, seconds: 86_400 }
  assert.equal(at({ ...active, retention: byTime }).isRunningOut, false)
  // The size may come first, so a limit of the time is no answer.
  assert.equal(at({ ...active, growth: null, retention: { ...BY_SIZE, seconds: 86_400 } }).state, 'unknown')
})

test('of a service that keeps nothing, the time of each connector has run out', () => {
  const nothing: Retention = { ...BY_SIZE, totalBytes: null, seconds: 0, needsNewFile: false }
  const { state, isRunningOut, earliestMs } = at({ needed: 2, closedMs: null, retention: nothing })
  assert.deepEqual([state, isRunningOut, earliestMs], ['kept', true, 1_000_000])
})

test('of two limits, the first one counts', () => {
  const { earliestMs } = at({ retention: { ...BY_SIZE, seconds: 1 } })
  // One second, and the one for whole seconds of file times, have passed since 900,000.
  assert.equal(earliestMs, 1_000_000)
})

test('the growth is measured over new files, and begins again when the binlog is another one', () => {
  const growth = new BinlogGrowth()
  assert.equal(growth.add(0, [{ name: 'b.1', bytes: 100 }]), true)
  assert.equal(growth.growth, null)
  growth.add(2000, [
    { name: 'b.1', bytes: 400 },
    { name: 'b.2', bytes: 100 },
  ])
  growth.add(4000, [{ name: 'b.2', bytes: 200 }])
  assert.deepEqual(growth.growth, { mean: 125, peak: 200 })
  assert.equal(growth.add(6000, [{ name: 'b.1', bytes: 100 }]), false)
  assert.equal(growth.growth, null)
})

test('another binlog with the same names is noticed by a closed file, in a list of any length', () => {
  const list = (bytes: number): ListedFile[] => [
    ...Array.from({ length: 5000 }, (_, index) => ({ name: `b.${index}`, bytes })),
    { name: 'b.5000', bytes: 10 },
  ]
  const growth = new BinlogGrowth()
  assert.equal(growth.add(0, list(100)), true)
  assert.equal(growth.add(60_000, list(100)), true)
  assert.equal(growth.add(120_000, list(101)), false)
})

test('the growth of weeks needs no more memory than that of an hour', () => {
  const growth = new BinlogGrowth()
  for (let minute = 0; minute < 20_000; minute++) growth.add(minute * 60_000, [{ name: 'b.1', bytes: minute * 60 }])
  assert.deepEqual(growth.growth, { mean: 1, peak: 1 })
})
