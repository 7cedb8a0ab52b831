/** Which tables a snapshot reads, in which order, and when. */
import { Struct } from '@tributary/connect-api'
import { type Clock, systemClock } from '@tributary/support'
import { useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const TABLES = `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1), (2);
  CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (3), (4), (5);
  CREATE TABLE c (id INT PRIMARY KEY); INSERT INTO c VALUES (6)`

function tablesOf(run: TaskRun): readonly string[] {
  return [...new Set(run.events.map(({ table }) => table))]
}

/** So that the estimates of the server are exact. */
async function analyze({ database, schema }: Scene): Promise<void> {
  await database.query(`ANALYZE TABLE ${['a', 'b', 'c'].map((table) => `${schema}.${table}`).join()}`)
}

test('the snapshot reads the rows of the listed tables only; the stream has the changes of all', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const include = { 'snapshot.include.collection.list': `${scene.schema}\\.(C|a)` }
  await using run = await TaskRun.start(scene, include)
  await run.until(isStreaming)
  assert.deepEqual(run.changes, ['r 1', 'r 2', 'r 6'])
  assert.equal(run.events.at(-1)?.marker, 'last')
  assert.equal(run.statements.filter((sql) => sql.startsWith('CREATE TABLE')).length, 3)
  await scene.database.query(`DELETE FROM ${scene.schema}.b WHERE id = 3`)
  assert.equal((await run.untilChanges(4)).at(-1), 'd 3')
})

test('without captured tables, the last statement is the last event of the snapshot, as in Debezium', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  await using run = await TaskRun.start(scene, { 'table.include.list': 'nothing' })
  const markers: unknown[] = []
  run.onRecord = ({ topic, value }) => {
    const source = topic === scene.schema && value instanceof Struct ? value.get('source') : null
    if (source instanceof Struct) markers.push(source.get('snapshot'))
  }
  await run.until(isCompleted)
  assert.ok(markers.length > 3)
  assert.deepEqual([markers.indexOf('last'), new Set(markers)], [markers.length - 1, new Set(['true', 'last'])])
})

for (const [flavor, open] of [['MySQL', useMySql] as const, ['MariaDB', useMariaDb] as const]) {
  test(`${flavor}, tables are read in the order of their rows`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    await analyze(scene)
    const table: readonly (readonly [order: string, tables: readonly string[]])[] = [
      ['descending', ['b', 'a', 'c']],
      ['ASCENDING', ['c', 'a', 'b']],
      ['disabled', ['a', 'b', 'c']],
    ]
    for (const [order, expected] of table) {
      await using run = await TaskRun.start(scene, { 'snapshot.tables.order.by.row.count': order })
      await run.until(isCompleted)
      assert.deepEqual(tablesOf(run), expected, order)
    }
  })
}

/** Sleeps are over at once, and their time has passed. */
function hastyClock(sleeps: number[]): Clock {
  let laterMs = 0
  return {
    now: () => systemClock.now(),
    nowMicros: () => systemClock.nowMicros(),
    monotonicMs: () => systemClock.monotonicMs() + laterMs,
    sleep: (ms) => {
      sleeps.push(ms)
      laterMs += ms
      return Promise.resolve()
    },
    after: (ms, run) => systemClock.after(ms, run),
  }
}

test('a snapshot begins after the delay, during which the task can be polled', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const sleeps: number[] = []
  const clock = hastyClock(sleeps)
  await using run = await TaskRun.start(scene, { 'snapshot.delay.ms': '3600000' }, null, { clock })
  await run.until(isCompleted)
  assert.equal(run.events.length, 6)
  assert.equal(run.logger.matching('The snapshot begins in 3600000 ms').length, 1)
  const waits = sleeps.filter((ms) => ms === 1_000)
  assert.ok(waits.length > 3_500, `${waits.length} polls waited for a second`)
})

test('the stream begins after its delay, with the changes of the delay, and a restart has no delay', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const sleeps: number[] = []
  const delay = { 'streaming.delay.ms': '3600000' }
  await using run = await TaskRun.start(scene, delay, null, { clock: hastyClock(sleeps) })
  await run.until(isCompleted)
  await scene.database.query(`DELETE FROM ${scene.schema}.b WHERE id = 3`)
  assert.equal((await run.untilChanges(7)).at(-1), 'd 3')
  assert.equal(run.logger.matching('The stream begins in 3600000 ms').length, 1)
  const waits = sleeps.filter((ms) => ms === 1_000)
  assert.ok(waits.length > 3_500, `${waits.length} polls waited for a second`)

  await using again = await TaskRun.start(scene, delay, run.stored)
  await again.until(isStreaming)
  assert.equal(again.logger.matching('streaming.delay.ms').length, 0)
})
