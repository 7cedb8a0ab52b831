/** The modes that begin without rows: never, and configuration_based, on both servers. */
import { casesOfTier, eventually, fullTest, startMariaDb, startMySql, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const TABLE = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO t VALUES (1, 'one'), (2, 'two')"

for (const [flavor, start] of casesOfTier('without a snapshot', [
  ['MySQL', startMySql] as const,
  ['MariaDB', startMariaDb] as const,
])) {
  test(`${flavor}, never begins with the oldest binlog file, and continues from the offset`, async () => {
    await using database = await start()
    // The rows of a file that is gone yield no events, also when later ones are changed.
    await database.query('CREATE DATABASE purged; CREATE TABLE purged.t (id INT PRIMARY KEY)')
    await database.query('INSERT INTO purged.t VALUES (1); FLUSH BINARY LOGS')
    const files = await database.query('SHOW BINARY LOGS')
    await database.query(`PURGE BINARY LOGS TO '${String(files.at(-1)?.['Log_name'])}'`)
    const scene = await sceneOf(database, TABLE)
    await database.query('FLUSH BINARY LOGS')
    const mode = { 'snapshot.mode': 'never' }

    await using run = await TaskRun.start(scene, mode)
    assert.deepEqual(await run.untilChanges(2), ['c 1 one', 'c 2 two'])
    assert.equal(run.logger.matching('takes no snapshot: the stream begins with the oldest binlog file').length, 1)

    await database.query(`UPDATE ${scene.schema}.t SET name = 'zwei' WHERE id = 2`)
    await using again = await TaskRun.start(scene, mode, run.stored)
    assert.deepEqual(await again.untilChanges(1), ['u 2 zwei'])
  })
}

test('never continues from an offset although no statement has reached the schema history yet', async () => {
  await using database = await startMySql()
  const scene = await sceneOf(database, TABLE)
  const files = 'FLUSH BINARY LOGS'
  await database.query(files)
  const all = await database.query('SHOW BINARY LOGS')
  await database.query(`PURGE BINARY LOGS TO '${String(all.at(-1)?.['Log_name'])}'`)
  const mode = { 'snapshot.mode': 'never' }
  await using run = await TaskRun.start(scene, mode)
  await run.until(() => run.stored !== null)
  await database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  await using again = await TaskRun.start(scene, mode, run.stored)
  assert.deepEqual(await again.untilChanges(1), ['c 3 three'])
})

fullTest('never refuses the offset of an unfinished snapshot', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  await using first = await TaskRun.start(scene, {})
  await first.until(isStreaming)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'never' }, { ...first.stored, snapshot: 'INITIAL' })
  assert.equal((await run.failure()).code, 'SNAPSHOT_UNFINISHED')
})

const CONFIGURED = 'snapshot.mode.configuration.based'

test('configuration_based with the structure alone loses no change of the time while it was stopped', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  const mode = {
    'snapshot.mode': 'configuration_based',
    [`${CONFIGURED}.snapshot.schema`]: 'true',
    [`${CONFIGURED}.start.stream`]: 'true',
  }
  await using run = await TaskRun.start(scene, mode)
  await run.until(isStreaming)
  assert.deepEqual(run.changes, [])
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  await using again = await TaskRun.start(scene, mode, run.stored)
  assert.deepEqual(await again.untilChanges(1), ['c 3 three'])
  assert.ok(again.statements.some((sql) => sql.startsWith('CREATE TABLE')))
})

test('configuration_based without start.stream yields no changes, also after it has rebuilt the history', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  const mode = { 'snapshot.mode': 'configuration_based', [`${CONFIGURED}.snapshot.schema`]: 'true' }
  const isIdle = (run: TaskRun): boolean => run.logger.matching('changes after the snapshot are not read').length > 0
  await using run = await TaskRun.start(scene, mode)
  await run.until(() => isIdle(run) && run.stored !== null)
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  await using again = await TaskRun.start(scene, mode, run.stored)
  await again.until(() => isIdle(again) || again.changes.length > 0)
  assert.deepEqual(again.changes, [])
})

fullTest(
  'configuration_based with rows reads them at each start, and rebuilds a missing history if told to',
  async () => {
    const scene = await sceneOf(await useMySql(), TABLE)
    const rows = { 'snapshot.mode': 'configuration_based', [`${CONFIGURED}.snapshot.data`]: 'true' }
    await using run = await TaskRun.start(scene, rows)
    assert.deepEqual(await run.untilChanges(2), ['r 1 one', 'r 2 two'])
    await run.until(isCompleted)
    // Otherwise the table may have been altered after the offset: times of creation have whole seconds.
    const age = `SELECT NOW() > create_time AS isOlder FROM information_schema.tables WHERE table_schema = '${scene.schema}'`
    await eventually('the clock is past the second of the table', async () => {
      const [row] = await scene.database.query(age)
      return Number(row?.['isOlder']) === 1
    })
    await using again = await TaskRun.start(scene, rows, run.stored)
    assert.deepEqual(await again.untilChanges(2), ['r 1 one', 'r 2 two'])

    await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
    const lost = { 'schema.history.internal.kafka.topic': `${scene.schema}.history2` }
    const streams = { ...lost, 'snapshot.mode': 'configuration_based', [`${CONFIGURED}.start.stream`]: 'true' }
    await using rebuilt = await TaskRun.start(
      scene,
      { ...streams, [`${CONFIGURED}.snapshot.on.schema.error`]: 'true' },
      { ...again.stored, snapshot: null },
    )
    assert.deepEqual(await rebuilt.untilChanges(1), ['c 3 three'])
  },
)
