/** Rows that were rolled back; rolled-back-rows.full.test.ts has the large transactions of MySQL. */
import { startMariaDb, startMySql, useMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSame,
  Copy,
  isLarge,
  LARGE,
  MANY,
  play,
  streamingScene,
  testRolledBack,
  truthOf,
} from '../testing/rolled-back-rows.ts'
import { isStreaming, TaskRun } from '../testing/task-run.ts'

testRolledBack(
  'MySQL',
  () => startMySql({ gtid: false }),
  (story) => !isLarge(story),
)
testRolledBack('MariaDB', startMariaDb, () => true)

test('MariaDB: rows that were rolled back are no events after restarts within their transaction', async () => {
  const [scene, stored] = await streamingScene(await useMariaDb())
  await play(
    scene,
    `BEGIN; INSERT INTO i VALUES (1, 'a'); INSERT INTO m VALUES (1, 'a'); ${MANY(10_000)}; ${MANY(11_000)}; SAVEPOINT s;
     ${LARGE(20_000)}; CREATE TEMPORARY TABLE t1 (id INT); ROLLBACK TO s; ${MANY(30_000)}; ${MANY(31_000)}; COMMIT;
     INSERT INTO done VALUES (1)`,
  )
  const copy = new Copy()
  let offset = stored
  let starts = 0
  for (let isOver = false; !isOver; starts++) {
    await using task = await TaskRun.start(scene, {}, offset)
    await task.until(({ events }) => events.length > 0)
    copy.take(task)
    offset = task.stored
    isOver = task.events.at(-1)?.table === 'done'
  }
  assert.ok(starts > 3, `restarted ${starts} times`)
  assertSame(copy.rows, await truthOf(scene), 'restarts')
})

test('MariaDB: an XA transaction that was prepared before the start has no rows that were rolled back', async () => {
  const [scene] = await streamingScene(await useMariaDb())
  const xid = scene.schema
  const prepared = await scene.database.connect()
  await prepared.query(`USE ${scene.schema}`)
  for (const sql of [
    `XA START '${xid}'`,
    `INSERT INTO i VALUES (1, 'a')`,
    `INSERT INTO m VALUES (1, 'a')`,
    'SAVEPOINT s',
    `INSERT INTO i VALUES (2, 'a')`,
    `INSERT INTO m VALUES (2, 'a')`,
    'ROLLBACK TO s',
    `INSERT INTO i VALUES (3, 'a')`,
    `XA END '${xid}'`,
    `XA PREPARE '${xid}'`,
  ])
    await prepared.query(sql)
  await using task = await TaskRun.start(scene, { 'snapshot.mode': 'no_data', 'snapshot.locking.mode': 'none' })
  await task.until(isStreaming)
  await prepared.query(`XA COMMIT '${xid}'`)
  await prepared.end()
  await task.untilChanges(2)
  await scene.database.query(`INSERT INTO ${scene.schema}.done VALUES (1)`)
  assert.deepEqual(await task.untilChanges(3), ['c 1 a', 'c 3 a', 'c 1'])
})
