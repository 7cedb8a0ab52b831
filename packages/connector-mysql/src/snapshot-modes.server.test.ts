/** What a task does in each `snapshot.mode`, on both servers: which records it yields, and where it continues. */
import { type OffsetDocument, Struct } from '@tributary/connect-api'
import { casesOfTier, fullTest, readTopic, startMySql, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun, textOf } from './testing/task-run.ts'

const TABLE = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO t VALUES (1, 'one'), (2, 'two')"

/** The offset of a connector that has completed its snapshot and read nothing since. */
async function offsetOf(scene: Scene): Promise<OffsetDocument> {
  await using run = await TaskRun.start(scene, {})
  await run.until(isStreaming)
  assert.ok(run.stored !== null)
  return run.stored
}

for (const [flavor, open] of casesOfTier('snapshot modes', [
  ['MySQL', useMySql] as const,
  ['MariaDB', useMariaDb] as const,
])) {
  test(`${flavor}, no_data yields the structure, no rows, and then the following changes`, async () => {
    for (const mode of ['no_data', 'SCHEMA_ONLY']) {
      const scene = await sceneOf(await open(), TABLE)
      await using run = await TaskRun.start(scene, { 'snapshot.mode': mode })
      await run.until(isStreaming)
      assert.equal(run.events.length, 0)
      assert.ok(run.statements.some((sql) => sql.startsWith('CREATE TABLE')))
      await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
      assert.deepEqual(await run.untilChanges(1), ['c 3 three'])

      // Afterwards it streams from its offset, as in other modes.
      await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (4, 'four')`)
      await using again = await TaskRun.start(scene, { 'snapshot.mode': mode }, run.stored)
      assert.deepEqual(await again.untilChanges(1), ['c 4 four'])
      assert.equal(again.logger.matching('status=SKIPPED').length, 1)
    }
  })

  test(`${flavor}, recovery rebuilds the history, and the stream continues from the stored offset`, async () => {
    const scene = await sceneOf(await open(), TABLE)
    const stored = await offsetOf(scene)
    await scene.database
      .query(`CREATE TABLE ${scene.schema}.later (id INT PRIMARY KEY); INSERT INTO ${scene.schema}.later VALUES (7);
      ALTER TABLE ${scene.schema}.later ADD COLUMN n INT DEFAULT 5; ALTER TABLE ${scene.schema}.t ADD INDEX (name);
      INSERT INTO ${scene.schema}.later VALUES (8, 6); DELETE FROM ${scene.schema}.t WHERE id = 1`)
    const lost = { 'schema.history.internal.kafka.topic': `${scene.schema}.history2` }

    for (const mode of ['recovery', 'schema_only_recovery']) {
      await using run = await TaskRun.start(scene, { ...lost, 'snapshot.mode': mode }, stored)
      assert.deepEqual(await run.untilChanges(3), ['c 7', 'c 8 6', 'd 1 one'])
      assert.deepEqual(
        run.events.map(({ marker }) => marker),
        ['null', 'null', 'null'],
      )
      assert.equal(run.logger.matching('under another structure than the current one').length, 1)
    }

    // A task in another mode continues from the same offset with the rebuilt history.
    await using run = await TaskRun.start(scene, lost, stored)
    assert.deepEqual(await run.untilChanges(3), ['c 7', 'c 8 6', 'd 1 one'])
  })

  test(`${flavor}, recovery stores no definition that a statement after the offset leads to`, async () => {
    const scene = await sceneOf(await open(), 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)')
    const stored = await offsetOf(scene)
    await scene.database.query(`ALTER TABLE ${scene.schema}.t RENAME COLUMN a TO b, RENAME COLUMN b TO a;
      INSERT INTO ${scene.schema}.t (id, a, b) VALUES (1, 10, 20)`)
    const lost = { 'schema.history.internal.kafka.topic': `${scene.schema}.history2`, 'snapshot.mode': 'recovery' }
    await using run = await TaskRun.start(scene, lost, stored)
    const names: string[] = []
    run.onRecord = ({ value }) => {
      const row = value instanceof Struct && value.schema.fields[1]?.name === 'after' ? value.get('after') : null
      if (row instanceof Struct)
        names.push(...row.schema.fields.map(({ name, index }) => `${name}=${textOf(row.at(index))}`))
    }
    await run.untilChanges(1)
    assert.deepEqual(names, ['id=1', 'b=20', 'a=10'])
  })

  test(`${flavor}, recovery fails on rows that the current structure does not fit, before it stores anything`, async () => {
    const scene = await sceneOf(await open(), TABLE)
    const stored = await offsetOf(scene)
    await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three');
      ALTER TABLE ${scene.schema}.t RENAME COLUMN name TO title; INSERT INTO ${scene.schema}.t VALUES (4, 'four')`)
    const lost = { 'schema.history.internal.kafka.topic': `${scene.schema}.history2`, 'snapshot.mode': 'recovery' }

    await using run = await TaskRun.start(scene, lost, stored)
    const error = await run.failure()
    assert.equal(error.code, 'RECOVERY_STRUCTURE_CHANGED')
    assert.match(error.message, new RegExp(`${scene.schema}\\.t by 'ALTER TABLE .* TO title' at \\S+:\\d+`))
    const { bootstrapServers } = await useKafka()
    const stuff = await readTopic(bootstrapServers, lost['schema.history.internal.kafka.topic'])
    assert.deepEqual(stuff, [])

    await using lenient = await TaskRun.start(
      scene,
      { ...lost, 'event.processing.failure.handling.mode': 'warn' },
      stored,
    )
    assert.deepEqual(await lenient.untilChanges(2), ['c 3 three', 'c 4 four'])
    assert.equal(lenient.logger.matching('The recovery continues all the same').length, 1)
  })
}

test('recovery needs an offset of a completed snapshot', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  const mode = { 'snapshot.mode': 'recovery' }
  await using without = await TaskRun.start(scene, mode)
  const error = await without.failure()
  assert.equal(error.code, 'RECOVERY_WITHOUT_OFFSET')
  assert.match(
    error.message,
    /Could not find existing redo log information while attempting schema only recovery snapshot/,
  )
  const stored = { ...(await offsetOf(scene)), snapshot: 'INITIAL' }
  await using unfinished = await TaskRun.start(scene, mode, stored)
  assert.equal((await unfinished.failure()).code, 'SNAPSHOT_UNFINISHED')
})

fullTest('initial_only yields the rows and then nothing, also after a restart', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  const mode = { 'snapshot.mode': 'initial_only' }
  await using run = await TaskRun.start(scene, mode)
  await run.until(isCompleted)
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  let polls = 0
  await run.until(() => (polls += 1) > 2)
  assert.deepEqual(run.changes, ['r 1 one', 'r 2 two'])

  await using again = await TaskRun.start(scene, mode, run.stored)
  polls = 0
  await again.until(() => (polls += 1) > 2)
  assert.deepEqual(again.changes, [])
})

fullTest('always yields the rows at each start, then the changes', async () => {
  const scene = await sceneOf(await useMySql(), TABLE)
  const stored = await offsetOf(scene)
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'always' }, stored)
  await run.until(isStreaming)
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (4, 'four')`)
  assert.deepEqual(await run.untilChanges(4), ['r 1 one', 'r 2 two', 'r 3 three', 'c 4 four'])
  assert.deepEqual(
    run.events.map(({ marker }) => marker),
    ['first', 'true', 'last', 'null'],
  )
})

test('when_needed takes a snapshot only when the server has purged the changes', async () => {
  await using database = await startMySql()
  const scene = await sceneOf(database, TABLE)
  const mode = { 'snapshot.mode': 'when_needed' }
  const stored = await offsetOf(scene)
  await database.query(`INSERT INTO ${scene.schema}.t VALUES (3, 'three')`)
  await using streamed = await TaskRun.start(scene, mode, stored)
  assert.deepEqual(await streamed.untilChanges(1), ['c 3 three'])

  await database.query('FLUSH BINARY LOGS')
  const [log] = await database.query('SHOW BINARY LOG STATUS')
  await database.query(`PURGE BINARY LOGS TO '${String(log?.['File'])}'`)
  await using renewed = await TaskRun.start(scene, mode, stored)
  await renewed.until(isStreaming)
  assert.deepEqual(renewed.changes, ['r 1 one', 'r 2 two', 'r 3 three'])

  await database.query(`CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT ON ${scene.schema}.* TO reader;
    GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO reader`)
  const reader = { 'database.user': 'reader', 'database.password': 'secret' }
  await using unlocked = await TaskRun.start(scene, { ...mode, ...reader }, stored)
  assert.deepEqual(await unlocked.untilChanges(3), ['r 1 one', 'r 2 two', 'r 3 three'])
  assert.equal(unlocked.logger.matching('has neither RELOAD nor LOCK TABLES').length, 1)
  await using streaming = await TaskRun.start(scene, { ...mode, ...reader }, renewed.stored)
  await streaming.until(isStreaming)
  assert.equal(streaming.logger.matching('has neither RELOAD nor LOCK TABLES').length, 0)
})
