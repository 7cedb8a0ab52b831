/**
 * An incident: the server could not write rows of a table without transactions into its binlog, and says so there. The
 * rows are in the table all the same.
 */
import { startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

const NO_DATA = { 'snapshot.mode': 'no_data' }

for (const [name, start] of [
  ['MySQL', () => startMySql({ args: ['--binlog-error-action=IGNORE_ERROR'] })],
  ['MariaDB', () => startMariaDb()],
] as const) {
  test(`${name}: rows that the binlog lost are an error, which names the place and what to do`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, 'CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT) ENGINE=MyISAM')
    await using task = await TaskRun.start(scene, NO_DATA)
    await task.until(isStreaming)
    const { stored } = task
    await database.query('SET GLOBAL max_binlog_stmt_cache_size = 4096, GLOBAL binlog_stmt_cache_size = 4096')
    const session = await database.connect()
    await session.query(`USE ${scene.schema}`)
    const rows = Array.from({ length: 20 }, (_, id) => `(${id}, REPEAT('lost ', 20000))`)
    await assert.rejects(session.query(`INSERT INTO t VALUES ${rows.join(', ')}`), { errno: 1705 })
    await session.query('INSERT INTO t VALUES (100, NULL)')
    await session.end()

    const error = await task.failure()

    assert.equal(error.code, 'INCIDENT')
    assert.match(error.message, /binlog\.\d+:\d+/)
    const [count] = await database.query(`SELECT COUNT(*) AS rows_there FROM ${scene.schema}.t`)
    assert.ok(Number(count?.['rows_there']) > 1)
    await using other = await TaskRun.start(
      scene,
      { ...NO_DATA, 'event.processing.failure.handling.mode': 'warn' },
      stored,
    )
    await other.until(({ changes }) => changes.includes('c 100 null'))
    assert.equal(other.logger.matching('An event is left out').length, 1)
  })
}
