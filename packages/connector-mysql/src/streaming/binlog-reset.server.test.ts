/** Binlogs that start again, each case on one server; binlog-reset.full.test.ts has the others. */
import { type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insert, storedOffset, TABLE, testResets } from '../testing/binlog-resets.ts'
import { type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

/** The same connector, on a server at another port. */
function movedTo(scene: Scene, database: Database): Scene {
  return { ...scene, database, config: { ...scene.config, 'database.port': String(database.port) } }
}

testResets('MySQL with GTIDs', {
  start: () => startMySql({ gtid: true }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  hasGtids: true,
  cases: { stopped: [60], streaming: [0], others: ['restarts'] },
})

testResets('MariaDB', {
  start: () => startMariaDb({ args: ['--server-id=77'] }),
  reset: 'RESET MASTER',
  hasGtids: true,
  cases: { stopped: [0], streaming: [60], others: ['snapshot', 'purged'] },
})

test('a MariaDB server that was rebuilt with the same server_id is not followed', { timeout: 60_000 }, async () => {
  await using first = await startMariaDb({ args: ['--server-id=77'] })
  const scene = await sceneOf(first, TABLE)
  const stored = await storedOffset(scene)
  await first.query('DO SLEEP(1.1)')
  for (const id of [77, 78]) {
    await using rebuilt = await startMariaDb({ args: [`--server-id=${id}`] })
    await rebuilt.query(`CREATE DATABASE ${scene.schema}; USE ${scene.schema}; ${TABLE}`)
    const moved = movedTo(scene, rebuilt)
    await insert(moved, 60)
    await using task = await TaskRun.start(moved, {}, stored)
    assert.equal((await task.failure()).code, id === 77 ? 'BINLOG_RESET' : 'BINLOG_GTID_DIVERGED')
    assert.deepEqual(task.changes, [])
  }
})
