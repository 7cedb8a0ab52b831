import { type Clock, systemClock } from '@tributary/support'
import { useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, sceneOf, TaskRun } from '../testing/task-run.ts'

const TABLES = 12

/** Sleeps take their time, but `now` stands still, so nothing is late. */
const patientClock: Clock = {
  now: () => 1_700_000_000_000,
  nowMicros: () => systemClock.nowMicros(),
  monotonicMs: () => systemClock.monotonicMs(),
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
  after: (ms, run) => systemClock.after(ms * 1_000, run),
}

test('one poll yields rows of several small tables, so that their topics are opened together', async () => {
  const statements = Array.from({ length: TABLES }, (_, i) => [
    `CREATE TABLE t${i} (id INT PRIMARY KEY)`,
    `INSERT INTO t${i} SELECT ${i} FROM DUAL WHERE ${i} <> 5`,
  ]).flat()
  const scene = await sceneOf(await useMySql(), statements.join(';'))
  await using run = await TaskRun.start(scene, {}, null, { clock: patientClock })
  await run.until(isCompleted)
  assert.deepEqual(run.eventsByPoll, [TABLES - 1])
  // Until the snapshot is over, each poll reports that more follows.
  assert.deepEqual(run.hasMoreByPoll, [true])
  const markers = run.events.map(({ marker }) => marker)
  assert.deepEqual(
    [markers[0], ...new Set(markers.slice(1, -1)), markers.at(-1)],
    ['first', 'last_in_data_collection', 'last'],
  )
})

test('tables that wait have numbers of their own, but not in the bean of Debezium', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1), (2); CREATE TABLE y (id INT PRIMARY KEY);
    CREATE TABLE z (id INT PRIMARY KEY); INSERT INTO z VALUES (4)`,
  )
  const other = await scene.database.connect()
  await other.query(`LOCK TABLES ${scene.schema}.y WRITE`)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'initial_only', 'snapshot.locking.mode': 'none' })
  assert.deepEqual(await run.untilChanges(1), ['r 1'])
  const rowsIn = (metric: string): unknown => {
    const { families } = run.meter.snapshot()
    const samples = families.filter(({ definition }) => definition.name === metric).flatMap((family) => family.samples)
    return samples
      .filter(({ labels }) => labels['context'] !== 'streaming')
      .map(({ labels, value }) => [labels['table'], value])
  }
  const tables = ['a', 'y', 'z'].map((table) => `${scene.schema}.${table}`)
  assert.deepEqual(rowsIn('tributary_snapshot_table_rows'), [
    [tables[0], 2],
    [tables[1], 0],
    [tables[2], 0],
  ])
  assert.deepEqual(rowsIn('debezium_metrics_RowsScanned'), [[tables[0], 2]])
  await other.query('UNLOCK TABLES')
  await run.until(isCompleted)
  assert.deepEqual(rowsIn('debezium_metrics_RowsScanned'), [
    [tables[0], 2],
    [tables[1], 0],
    [tables[2], 1],
  ])
  await other.end()
})

test('rows of small tables do not wait for a table that cannot be read yet', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1), (2); CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (3);
    CREATE TABLE z (id INT PRIMARY KEY); INSERT INTO z VALUES (4)`,
  )
  const other = await scene.database.connect()
  await other.query(`LOCK TABLES ${scene.schema}.z WRITE`)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'initial_only', 'snapshot.locking.mode': 'none' })
  // The last row of b is held back: it may be the last one of all.
  assert.deepEqual(await run.untilChanges(2), ['r 1', 'r 2'])
  await other.query('UNLOCK TABLES')
  assert.deepEqual(await run.untilChanges(4), ['r 1', 'r 2', 'r 3', 'r 4'])
  await other.end()
})
