/** A server that numbers its tables anew all the time, or from the beginning: no table is stopped, no change missed. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runStatements } from '../testing/run-statements.ts'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

/** More than the least size of the cache. */
const NAMES = Array.from({ length: 450 }, (_, i) => `c${i}`)
const CACHE = ['--table-definition-cache=400', '--table-open-cache=400']

for (const [flavor, start] of [
  ['mysql', startMySql],
  ['mariadb', startMariaDb],
] as const) {
  test(`${flavor}: a cache of tables that is too small, and a start of the server`, { timeout: 120_000 }, async () => {
    await using database = await start({ args: CACHE })
    const tables = NAMES.map((name) => `CREATE TABLE ${name} (id INT PRIMARY KEY, a INT)`)
    const scene = await sceneOf(database, tables.join('; '))
    await using task = await TaskRun.start(scene, {})
    await task.until(isStreaming)
    const insert = (id: number): Promise<void> =>
      runStatements(
        scene,
        NAMES.map((name) => `INSERT INTO ${name} VALUES (${id}, 1)`),
      )
    const opened = async (): Promise<number> => {
      const [row] = await database.query(`SHOW GLOBAL STATUS LIKE 'Opened_table_definitions'`)
      return Number(row?.['Value'])
    }
    await insert(1)
    const before = await opened()
    await insert(2)
    assert.ok((await opened()) - before > NAMES.length / 2, 'most tables are opened again')
    await task.untilChanges(2 * NAMES.length)
    await database.stop()
    await database.start(CACHE)
    await insert(3)
    await task.untilChanges(3 * NAMES.length)
    assert.equal(task.events.length, 3 * NAMES.length)
    assert.deepEqual(task.logger.matching('is stopped at'), [])
    const { counters } = task.meter.snapshot()
    assert.deepEqual([counters['tables.stopped'], counters['tables.healed']], [undefined, undefined])
  })
}
