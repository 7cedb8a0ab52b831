/** How far snapshots are, as the task reports it, against the rows that the server has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TaskSnapshot } from '@tributary/connect-api'
import { type Database, eventually, useMariaDb, useMySql } from '@tributary/testkit'
import { execute, isComplete, settings, signal, SIGNALS } from './testing/signal-scene.ts'
import { isCompleted, isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const servers: readonly (readonly [string, () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

const ROWS = 4_000
const TABLES = `
  CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(50));
  INSERT INTO big SELECT a.n * 64 + b.n, REPEAT('x', 50) FROM numbers a, numbers b WHERE a.n * 64 + b.n < ${ROWS};
  CREATE TABLE small (id INT PRIMARY KEY); INSERT INTO small VALUES (1), (2), (3);
  ANALYZE TABLE big, small`
const NUMBERS = `CREATE TABLE numbers (n INT PRIMARY KEY);
  INSERT INTO numbers VALUES ${Array.from({ length: 64 }, (_, n) => `(${n})`).join()}`

/** The progress after each poll that yielded rows. */
async function watch(run: TaskRun, isEnough: (run: TaskRun) => boolean): Promise<readonly TaskSnapshot[]> {
  const seen: TaskSnapshot[] = []
  await run.until((each) => {
    if (each.snapshot !== null) seen.push(each.snapshot)
    return isEnough(each)
  })
  return seen
}

function assertRises(seen: readonly TaskSnapshot[]): void {
  for (const [i, { percent, rows, state, tables }] of seen.entries()) {
    assert.ok(percent === null || percent <= 100)
    assert.ok((percent ?? 0) < 100 || state === 'completed', `100 % while it is ${state}`)
    assert.ok(rows >= (seen[i - 1]?.rows ?? 0))
    assert.equal(
      rows,
      tables.reduce((sum, each) => sum + each.rows, 0),
    )
    for (const each of tables) assert.equal(each.percent === 100, each.state === 'complete', each.table)
  }
}

/** InnoDB estimates from samples of pages. */
function assertNear(estimated: number | null | undefined, rows: number): void {
  assert.ok(typeof estimated === 'number' && Math.abs(estimated - rows) < rows / 2, `${estimated} for ${rows}`)
}

for (const [title, open] of servers) {
  test(`${title}: the initial snapshot goes from 0 to 100 %, as the rows of the tables do`, async () => {
    const scene = await sceneOf(await open(), `${NUMBERS}; ${TABLES}; DROP TABLE numbers`)
    await using run = await TaskRun.start(scene, { 'max.batch.size': '100', 'snapshot.fetch.size': '100' })
    assert.equal(run.snapshot, null)
    await run.until((each) => (each.snapshot?.rows ?? 0) > 0)
    // The server is asked beside the snapshot.
    await eventually('the rows are estimated', async () => run.snapshot?.percent !== null)
    const seen = await watch(run, isCompleted)
    assertRises(seen)
    const last = seen.at(-1)
    assert.deepEqual(
      [last?.kind, last?.state, last?.percent, last?.rows, last?.rowsLeft],
      ['initial', 'completed', 100, ROWS + 3, 0],
    )
    const halves = seen.filter(({ percent }) => percent !== null && percent > 20 && percent < 80)
    assert.ok(halves.length > 5, 'there are values between')
    for (const { rows, percent } of halves) assertNear((rows / (percent ?? 0)) * 100, ROWS)
  })

  test(`${title}: an incremental snapshot that continues counts what is left; a signal pauses and stops it`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${NUMBERS}; ${TABLES}; DROP TABLE numbers`)
    const config = settings(scene, { 'incremental.snapshot.chunk.size': '200' })
    await using run = await TaskRun.start(scene, config)
    await run.until(isStreaming)
    await execute(scene, ['big', 'small'])
    assertRises(await watch(run, ({ events }) => events.length > ROWS / 4))
    const { snapshot } = run
    assert.ok(snapshot !== null)
    assert.deepEqual([snapshot.kind, snapshot.state, snapshot.tables.length], ['incremental', 'running', 2])
    const [big] = snapshot.tables
    assertNear(big?.estimatedRows, ROWS)
    const done = run.events.filter(({ table }) => table === 'big').length
    await using again = await TaskRun.start(scene, config, run.stored)
    await again.until((each) => (each.snapshot?.rows ?? 0) > 0)
    const rest = again.snapshot?.tables.find(({ table }) => table.endsWith('.big'))
    assertNear(rest?.estimatedRows, ROWS - done)
    await signal(scene, 'pause-snapshot', {})
    await again.until((each) => each.snapshot?.state === 'paused')
    await signal(scene, 'resume-snapshot', {})
    await again.until(isComplete)
    const { state, percent, tables } = again.snapshot ?? {}
    assert.deepEqual([state, percent, tables?.map((each) => each.state)], ['completed', 100, ['complete', 'complete']])
    await execute(scene, ['big'])
    await again.until((each) => (each.snapshot?.state ?? '') === 'running')
    await signal(scene, 'stop-snapshot', {})
    await again.until((each) => each.snapshot?.state === 'aborted')
  })

  test(`${title}: a blocking snapshot has a progress of its own`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${NUMBERS}; ${TABLES}; DROP TABLE numbers`)
    await using run = await TaskRun.start(scene, settings(scene, { 'max.batch.size': '100' }))
    await run.until(isStreaming)
    await execute(scene, ['big'], { type: 'blocking' })
    await run.until(({ snapshot }) => snapshot?.kind === 'blocking' && snapshot.rows > 0)
    await eventually('the rows are estimated', async () => run.snapshot?.percent !== null)
    const seen = await watch(run, (each) => each.snapshot?.state === 'completed')
    assertRises(seen)
    const last = seen.at(-1)
    assert.deepEqual([last?.kind, last?.rows, last?.tables.length], ['blocking', ROWS, 1])
    assertNear(seen.findLast(({ state }) => state === 'running')?.estimatedRows, ROWS)
  })
}
