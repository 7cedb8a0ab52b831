/** Limits of snapshots, by a clock of the test: in no time is more read than they allow, and one batch. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type FakeClock, fakeClock, useMySql } from '@tributary/testkit'
import { isComplete } from './testing/signal-scene.ts'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

const ROWS = 2_000
const ROWS_PER_SECOND = 500

async function filledScene(): Promise<Scene> {
  const numbers = Array.from({ length: ROWS }, (_, id) => `(${id})`).join()
  return sceneOf(await useMySql(), `CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES ${numbers}`)
}

/** Moves the clock while the work waits for it, or for the server. */
async function ticking(clock: FakeClock, work: Promise<void>): Promise<void> {
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await clock.advance(5)
    await setImmediate()
  }
  await done
}

/** When each row was sent. */
function timesOf(run: TaskRun, clock: FakeClock): readonly number[] {
  const times: number[] = []
  run.onRecord = ({ topic }) => {
    if (topic.endsWith('.t')) times.push(clock.monotonicMs())
  }
  return times
}

function assertWithin(times: readonly number[], atOnceMax: number): void {
  assert.equal(times.length, ROWS)
  for (let from = 0; from < ROWS; from += 50) {
    for (let to = from + 50; to < ROWS; to += 50) {
      const ms = (times[to] ?? 0) - (times[from] ?? 0)
      const rowsMax = (ms / 1_000) * ROWS_PER_SECOND + atOnceMax
      assert.ok(to - from <= rowsMax, `${to - from} rows in ${ms} ms`)
    }
  }
}

test('an initial snapshot reads no more rows in a second than it may', async () => {
  const clock = fakeClock()
  const scene = await filledScene()
  const limits = { 'snapshot.max.rows.per.second': String(ROWS_PER_SECOND) }
  await using run = await TaskRun.start(scene, limits, null, { clock })
  const times = timesOf(run, clock)
  await ticking(clock, run.until(isCompleted))
  // A batch has a quarter of a second.
  assertWithin(times, 2 * (ROWS_PER_SECOND / 4))
})

test('an incremental snapshot reads no more rows in a second than it may', async () => {
  const clock = fakeClock()
  const scene = await filledScene()
  const limits = { 'snapshot.max.rows.per.second': String(ROWS_PER_SECOND), 'incremental.snapshot.chunk.size': '100' }
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data', ...limits }, null, { clock })
  const times = timesOf(run, clock)
  await ticking(clock, run.until(isStreaming))
  const data = JSON.stringify({ 'data-collections': [`${scene.schema}.t`] })
  void run.signal({ id: 's', type: 'execute-snapshot', data })
  await ticking(clock, run.until(isComplete))
  // A chunk, and one that was read when the one before it was sent.
  assertWithin(times, 2 * 100)
})
