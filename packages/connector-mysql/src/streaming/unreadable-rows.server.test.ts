/**
 * A session that chooses a form of rows for itself which cannot be read: the error, and the way past it.
 */
import { useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const mysql = await useMySql()

const TABLES =
  'CREATE TABLE t (id INT PRIMARY KEY, j JSON); INSERT INTO t VALUES (1, \'{"a": "x", "b": 1}\'); CREATE TABLE u LIKE t; INSERT INTO u SELECT * FROM t'
const UPDATE = (table: string): string => `UPDATE ${table} SET j = JSON_SET(j, '$.b', 2)`

const CASES = [["SET SESSION binlog_row_value_options = 'PARTIAL_JSON'", 'differences of JSON documents']] as const

async function run({ database, schema }: Scene, ...statements: readonly string[]): Promise<void> {
  const session = await database.connect()
  for (const sql of [`USE ${schema}`, ...statements]) await session.query(sql)
  await session.end()
}

for (const [setting, form] of CASES) {
  const option = setting.replaceAll(/SET SESSION |'/g, '').replace(' = ', '=')
  test(`${option} of a session is an error that names the table and the way past it, which works`, async () => {
    const scene = await sceneOf(mysql, TABLES)
    const { schema } = scene
    await using task = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await task.until(isStreaming)
    const { stored } = task
    await run(
      scene,
      setting,
      UPDATE('t'),
      'SET SESSION binlog_row_value_options = DEFAULT',
      'INSERT INTO u VALUES (2, NULL)',
    )

    const error = await task.failure()

    assert.equal(error.code, 'ROWS_UNREADABLE')
    assert.match(
      error.message,
      new RegExp(`The rows of ${schema}.t at binlog\\.\\d+:\\d+ are in the binlog as ${form}`),
    )
    assert.ok(error.message.includes(option) && error.message.includes('event.processing.failure.handling.mode=warn'))
    assert.match(error.message, /Run: SET GLOBAL binlog_\w+ = (''|OFF);/)

    await run(scene, 'INSERT INTO u VALUES (3, NULL)')
    await using other = await TaskRun.start(scene, { 'event.processing.failure.handling.mode': 'warn' }, stored)
    await other.until(({ changes }) => changes.includes('c 3 null'))
    assert.equal(other.logger.matching('An event is left out').length, 1)
  })
}

test('rows of an XA transaction that was prepared before the start are an error with the same way past it', async () => {
  const scene = await sceneOf(mysql, TABLES)
  const insert = 'INSERT INTO u VALUES (2, NULL)'
  await run(scene, CASES[0][0], "XA START 'x'", UPDATE('t'), insert, "XA END 'x'", "XA PREPARE 'x'")
  const properties = { 'snapshot.mode': 'no_data' }
  await using task = await TaskRun.start(scene, properties)
  await task.until(isStreaming)
  const { stored } = task
  await run(scene, "XA COMMIT 'x'")

  const error = await task.failure()

  assert.equal(error.code, 'ROWS_UNREADABLE')
  const more = { ...properties, 'event.processing.failure.handling.mode': 'warn' }
  await using other = await TaskRun.start(scene, more, stored)
  assert.deepEqual(await other.untilChanges(1), ['c 2 null'])
  assert.equal(other.logger.matching('An event is left out').length, 1)
})

test('rows of tables that are not captured may have any form', async () => {
  const scene = await sceneOf(mysql, TABLES)
  const more = { 'snapshot.mode': 'no_data', 'table.include.list': `${scene.schema}.u` }
  await using task = await TaskRun.start(scene, more)
  await task.until(isStreaming)
  await run(scene, CASES[0][0], UPDATE('t'), 'INSERT INTO u VALUES (2, NULL)')
  assert.deepEqual(await task.untilChanges(1), ['c 2 null'])
})
