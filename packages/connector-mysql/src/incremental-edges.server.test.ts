/** Signals and incremental snapshots where something beside them goes wrong, on real servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, type Database, startMariaDb, useMariaDb, useMySql } from '@tributary/testkit'
import { execute, FIVE_ROWS, isComplete, of, settings, SIGNALS } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const servers: readonly (readonly [string, () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

test('each offset after a signal has what it asks for, also that of a heartbeat in its transaction', async () => {
  const scene = await sceneOf(await useMySql(), `${SIGNALS}; ${FIVE_ROWS}; CREATE TABLE u (id INT PRIMARY KEY)`)
  const { schema, database } = scene
  const more = { 'max.batch.size': '1', 'heartbeat.interval.ms': '1' }
  await using run = await TaskRun.start(scene, settings(scene, more))
  const lists: boolean[] = []
  let heartbeats = 0
  run.isData = ({ topic }) => !topic.includes('heartbeat')
  run.onRecord = ({ topic, sourceOffset }) => {
    if (topic.includes('heartbeat')) heartbeats += 1
    lists.push(sourceOffset.toDocument()['incremental_snapshot_collections'] !== undefined)
    // Only up to the first row of the copied table.
    if (topic.endsWith('.t')) run.onRecord = () => undefined
  }
  await run.until(isStreaming)
  const data = JSON.stringify({ 'data-collections': [`${schema}.t`] })
  await database.query(
    `BEGIN; INSERT INTO ${schema}.signals VALUES ('a', 'execute-snapshot', '${data}');
     INSERT INTO ${schema}.u VALUES (1), (2), (3), (4), (5), (6); COMMIT`,
  )
  await run.until(isComplete)
  assert.ok(heartbeats > 0)
  // The record of the signal is the first that has it.
  assert.ok(lists.lastIndexOf(false) < lists.indexOf(true), lists.join(' '))
})

for (const [title, open] of casesOfTier('edges of incremental snapshots', servers)) {
  test(`${title}: a signal table that does not accept marks ends no copy`, async () => {
    const scene = await sceneOf(
      await open(),
      `CREATE TABLE signals (id VARCHAR(32) PRIMARY KEY, type VARCHAR(32), data TEXT); ${FIVE_ROWS}`,
    )
    await scene.database.query(`GRANT INSERT, DELETE, SELECT ON ${scene.schema}.* TO 'debezium'@'%'`)
    await using run = await TaskRun.start(scene, settings(scene, { 'read.only': 'false' }))
    await run.until(isStreaming)
    await execute(scene, ['t'])
    await run.until(isComplete)
    assert.equal(of(run, 't').length, 5)
    assert.equal(run.logger.matching(/are not marked in the signal table/).length, 1)
  })

  test(`${title}: a statement of a blocking snapshot writes nothing`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}; CREATE TABLE w (id INT PRIMARY KEY)`)
    const { schema, database } = scene
    await database.query(
      `CREATE FUNCTION ${schema}.writes() RETURNS INT DETERMINISTIC BEGIN INSERT INTO ${schema}.w VALUES (1); RETURN 1; END`,
    )
    await database.query(`GRANT EXECUTE ON ${schema}.* TO 'debezium'@'%'`)
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    const filter = `SELECT * FROM ${schema}.t WHERE ${schema}.writes() = 1`
    await execute(scene, ['t'], {
      type: 'blocking',
      'additional-conditions': [{ 'data-collection': `${schema}.t`, filter }],
    })
    await run.until(({ logger }) => logger.matching(/The blocking snapshot of .* failed/).length > 0)
    const [failure] = run.logger.matching(/The blocking snapshot of .* failed/)
    assert.match(String(failure?.fields['error']), /READ ONLY|read only/)
    assert.equal(of(run, 'w').length, 0)
  })
}

for (const [title, properties] of [
  ['skipped.operations', { 'skipped.operations': 'u' }],
  ['skip.messages.without.change', { 'skip.messages.without.change': 'true', 'column.exclude.list': '.*\\.t\\.s' }],
] as const) {
  test(`a surrogate key whose updates are in no event is refused: ${title}`, async () => {
    const scene = await sceneOf(
      await useMySql(),
      `${SIGNALS}; CREATE TABLE t (id INT PRIMARY KEY, s INT NOT NULL, v INT); INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)`,
    )
    await using run = await TaskRun.start(scene, settings(scene, properties))
    await run.until(isStreaming)
    await execute(scene, ['t'], { 'surrogate-key': 's' })
    await run.until(isComplete)
    assert.equal(run.logger.matching(/an update that changes it is in no event/).length, 1)
    assert.equal(of(run, 't').length, 0)
    await execute(scene, ['t'])
    await run.until(() => of(run, 't').length === 2)
  })
}

test('a snapshot that begins again keeps the signal offset, and the tables that it does not read', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `${SIGNALS}; ${FIVE_ROWS}; CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO u VALUES (1), (2)`,
  )
  const { schema } = scene
  const only = { 'snapshot.include.collection.list': `${schema}.t` }
  await using run = await TaskRun.start(scene, settings(scene, only))
  await run.until(isStreaming)
  await execute(scene, ['t', 'u'])
  await run.until(({ stored }) => stored?.['incremental_snapshot_collections'] !== undefined)
  const stored = { ...run.stored, incremental_snapshot_signal_offset: 7n }
  await run[Symbol.asyncDispose]()
  await using again = await TaskRun.start(scene, settings(scene, { ...only, 'snapshot.mode': 'always' }), stored)
  await again.until(isComplete)
  const counts = ['t', 'u'].map((table) => of(again, table).filter(({ op }) => op === 'r').length)
  assert.deepEqual(counts, [5, 2])
  assert.equal(again.stored?.['incremental_snapshot_signal_offset'], 7n)
})

test('MariaDB does not read its binlog file for each chunk', async () => {
  await using database = await startMariaDb()
  const rows = Array.from({ length: 1_000 }, (_, i) => `(${i})`).join()
  const scene = await sceneOf(
    database,
    `${SIGNALS}; CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES ${rows}; CREATE TABLE u (id INT PRIMARY KEY)`,
  )
  const { schema } = scene
  await using run = await TaskRun.start(scene, settings(scene, { 'incremental.snapshot.chunk.size': '10' }))
  await run.until(isStreaming)
  await database.query("SET GLOBAL log_output = 'TABLE', general_log = ON")
  await execute(scene, ['t'])
  // While the binlog grows, the place of each chunk is another one.
  run.onRecord = ({ topic }) => {
    if (topic.endsWith('.t') && run.events.length % 50 === 0)
      void database.query(`INSERT INTO ${schema}.u VALUES (${run.events.length})`).catch(() => undefined)
  }
  await run.until(isComplete)
  const count = async (text: string): Promise<number> => {
    const [row] = await database.query(`SELECT COUNT(*) AS n FROM mysql.general_log WHERE argument LIKE '${text}'`)
    return Number(row?.['n'])
  }
  assert.equal(of(run, 't').length, 1_000)
  assert.ok((await database.query(`SELECT id FROM ${schema}.u`)).length >= 5)
  assert.ok((await count('START TRANSACTION WITH CONSISTENT SNAPSHOT%')) >= 100)
  assert.ok((await count('SELECT BINLOG\\_GTID\\_POS(%')) <= 3)
})
