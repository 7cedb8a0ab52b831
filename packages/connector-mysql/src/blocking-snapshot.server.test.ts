/** Blocking snapshots of a task, asked for by signals, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, type Database, seededRandom, temporaryFolder, useMariaDb, useMySql } from '@tributary/testkit'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runIncremental } from './testing/incremental-run.ts'
import { execute, FIVE_ROWS, of, settings, signal, SIGNALS, texts } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const servers: readonly (readonly [string, () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

const isComplete = ({ logger }: TaskRun): boolean =>
  logger.matching(/^The blocking snapshot of .* is complete/).length > 0

for (const [title, open] of casesOfTier('blocking snapshot', servers)) {
  test(`${title}: a blocking snapshot copies the rows that a statement selects, and tables without a key`, async () => {
    const scene = await sceneOf(
      await open(),
      `${SIGNALS}; ${FIVE_ROWS}; CREATE TABLE nk (x INT); INSERT INTO nk VALUES (7), (7)`,
    )
    const { database, schema } = scene
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    const filter = `SELECT * FROM ${schema}.t WHERE id > 3`
    await execute(scene, ['t', 'nk'], {
      type: 'blocking',
      'additional-conditions': [{ 'data-collection': `${schema}.t`, filter }],
    })
    await run.until(isComplete)
    await database.query(`INSERT INTO ${schema}.t VALUES (6, 'f')`)
    await run.until(() => of(run, 't').length === 3)
    assert.deepEqual(texts(of(run, 't')), ['r first 4 d', 'r last_in_data_collection 5 e', 'c null 6 f'])
    assert.deepEqual(texts(of(run, 'nk')), ['r first_in_data_collection 7', 'r last 7'])
    assert.equal(run.stored?.['blocking_snapshot_collections'], undefined)
  })

  test(`${title}: a statement that is refused is named, until the snapshot is stopped; the stream continues`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    const { database, schema } = scene
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    const filter = `SELECT * FROM ${schema}.t WHERE no_such_column > 3`
    await execute(scene, ['t'], {
      type: 'blocking',
      'additional-conditions': [{ 'data-collection': `${schema}.t`, filter }],
    })
    await run.until(({ logger }) => logger.matching(/The blocking snapshot of .* failed; it begins again/).length > 1)
    await database.query(`INSERT INTO ${schema}.t VALUES (6, 'f')`)
    await run.until(() => of(run, 't').length === 1)
    await using again = await TaskRun.start(scene, settings(scene), run.stored)
    await again.until(({ logger }) => logger.matching(/The blocking snapshot of .* failed/).length > 0)
    await signal(scene, 'stop-snapshot', { type: 'blocking' })
    await again.until(({ stored }) => stored?.['blocking_snapshot_collections'] === undefined)
    await execute(scene, ['t'], { type: 'blocking' })
    await again.until(isComplete)
    assert.equal(of(again, 't').length, 6)
  })

  test(`${title}: with random writers, and a task that is killed, topics equal SELECT`, async (t) => {
    const random = seededRandom()
    t.diagnostic(`seed ${random.seed}`)
    const figures = await runIncremental(await open(), { random, rows: 300, kills: 2, type: 'blocking' })
    t.diagnostic(JSON.stringify(figures))
    assert.ok(figures.snapshotRows >= 1_000)
  })
}

const MANY = `CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));
  INSERT INTO t SELECT n, 'old' FROM (WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 300)
    SELECT n FROM r) AS numbers; CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO u VALUES (1), (2)`

test('a blocking snapshot that is stopped while it reads hands over no older rows later', async () => {
  const scene = await sceneOf(await useMySql(), `${SIGNALS}; ${MANY}`)
  const { database, schema } = scene
  await using channel = fileChannel()
  await using run = await TaskRun.start(scene, settings(scene, channel.properties))
  await run.until(isStreaming)
  await execute(scene, ['t'], { type: 'blocking' })
  await run.until(() => of(run, 't').length >= 20)
  await channel.send('stop-snapshot', { type: 'blocking' })
  await run.until(({ logger }) => logger.matching(/ended before it was complete; the stream continues/).length > 0)
  await database.query(`UPDATE ${schema}.t SET v = 'new'`)
  await run.until(() => of(run, 't').filter(({ op }) => op === 'u').length === 300)
  const known = of(run, 't').length
  await channel.send('execute-snapshot', { type: 'blocking', 'data-collections': [`${schema}.u`] })
  await run.until(isComplete)
  assert.deepEqual(texts(of(run, 'u')), ['r first 1', 'r last 2'])
  assert.equal(of(run, 't').length, known)
})

test('blocking snapshots that are asked for while one reads follow it, also of the same table', async () => {
  const scene = await sceneOf(await useMySql(), `${SIGNALS}; ${MANY}`)
  const { schema } = scene
  await using channel = fileChannel()
  await using run = await TaskRun.start(scene, settings(scene, channel.properties))
  await run.until(isStreaming)
  await execute(scene, ['t'], { type: 'blocking' })
  await run.until(() => of(run, 't').length >= 20)
  const filter = `SELECT * FROM ${schema}.t WHERE id > 298`
  await channel.send('execute-snapshot', {
    type: 'blocking',
    'data-collections': [`${schema}.t`, `${schema}.u`],
    'additional-conditions': [{ 'data-collection': `${schema}.t`, filter }],
  })
  await run.until(({ logger }) => logger.matching(/^The blocking snapshot of .* is complete/).length === 2)
  assert.equal(of(run, 't').length, 302)
  assert.deepEqual(texts(of(run, 'u')), ['r first_in_data_collection 1', 'r last 2'])
  await run.until(({ stored }) => stored?.['blocking_snapshot_collections'] === undefined)
})

/** Nobody listens there. */
const DOWN = { 'snapshot.replica.hosts': '127.0.0.1:1' }

test('the stream continues while a blocking snapshot waits for a replica that is down', async () => {
  const scene = await sceneOf(await useMySql(), `${SIGNALS}; ${FIVE_ROWS}`)
  const { database, schema } = scene
  await using run = await TaskRun.start(scene, settings(scene, DOWN))
  await run.until(isStreaming)
  await execute(scene, ['t'], { type: 'blocking' })
  await run.until(({ logger }) => logger.matching(/^The snapshot waits: the replica 127/).length > 0)
  await database.query(`INSERT INTO ${schema}.t VALUES (6, 'f')`)
  await run.until(() => of(run, 't').length > 0)
  assert.deepEqual(texts(of(run, 't')), ['c null 6 f'])
  assert.equal(run.logger.matching(/^Blocking snapshot of .* begins/).length, 0)
  await signal(scene, 'stop-snapshot', { type: 'blocking' })
  await run.until(({ stored }) => stored?.['blocking_snapshot_collections'] === undefined)
})

test('an initial snapshot waits for the load before it takes its lock', async () => {
  const scene = await sceneOf(await useMySql(), FIVE_ROWS)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'initial', ...DOWN })
  let polls = 0
  await run.until(({ logger }) => logger.matching(/^The snapshot waits/).length > 0 && (polls += 1) > 2)
  assert.equal(run.logger.matching(/^Snapshot step/).length, 0)
  assert.equal(run.events.length, 0)
})

interface FileChannel extends AsyncDisposable {
  readonly properties: Readonly<Record<string, string>>
  send(type: string, data: object): Promise<void>
}

/** Its signals arrive while a blocking snapshot reads. */
function fileChannel(): FileChannel {
  const folder = temporaryFolder()
  const file = join(folder.path, 'signals')
  return {
    properties: {
      'signal.enabled.channels': 'source, file',
      'signal.file': file,
      'signal.poll.interval.ms': '1',
      'max.batch.size': '20',
    },
    send: (type, data) => appendFile(file, `${JSON.stringify({ id: 'f', type, data })}\n`),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
