/** Spatial values without bytes, which MariaDB stores where a column that is NOT NULL gets no value. */
import { type ConnectValue, Struct } from '@tributary/connect-api'
import { useMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

test('an empty POINT has no bytes, and another empty value is null', { timeout: 60_000 }, async () => {
  const scene = await sceneOf(
    await useMariaDb(),
    `CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1); ALTER TABLE t ADD p POINT NOT NULL, ADD g GEOMETRY NOT NULL`,
  )
  const { database, schema } = scene
  const rows: ConnectValue[] = []
  await using task = await TaskRun.start(scene, {})
  task.onRecord = ({ topic, value }) => {
    if (topic.endsWith('.t') && value instanceof Struct) rows.push(value.get('after'))
  }
  await task.until(isStreaming)
  await database.query(`USE ${schema}; SET sql_mode = ''; INSERT INTO t (id) VALUES (2); SET sql_mode = DEFAULT`)
  await task.untilChanges(2)

  const [server] = await database.query(
    `SELECT HEX(p) AS p, HEX(g) AS g, ST_AsText(p) AS text FROM ${schema}.t LIMIT 1`,
  )
  assert.deepEqual({ ...server }, { p: '', g: '', text: null })
  const shown = rows.map((row) => {
    assert.ok(row instanceof Struct)
    const point = row.get('p')
    assert.ok(point instanceof Struct)
    return [row.get('id'), ...['x', 'y', 'wkb', 'srid'].map((name) => point.get(name)), row.get('g')]
  })
  assert.deepEqual(shown, [
    [1, 0, 0, null, null, null],
    [2, 0, 0, null, null, null],
  ])
})
