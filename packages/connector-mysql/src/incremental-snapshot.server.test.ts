/** Incremental snapshots of a task, asked for by signals, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Database,
  eventually,
  kafkaClient,
  seededRandom,
  temporaryFolder,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runIncremental } from './testing/incremental-run.ts'
import { execute, FIVE_ROWS, isComplete, of, settings, signal, SIGNALS, texts } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const servers: readonly (readonly [string, () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

for (const [title, open] of servers) {
  test(`${title}: a signal copies a table, between the changes of the stream`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    await execute(scene, ['t'])
    await run.until(isComplete)
    await scene.database.query(`UPDATE ${scene.schema}.t SET v = 'upd' WHERE id = 2`)
    await run.until(() => of(run, 't').length === 6)
    assert.deepEqual(texts(of(run, 't')), [
      'r incremental 1 a',
      'r incremental 2 b',
      'r incremental 3 c',
      'r incremental 4 d',
      'r incremental 5 e',
      'u null 2 upd',
    ])
    assert.equal(run.stored?.['incremental_snapshot_collections'], undefined)
  })
}

for (const [title, open] of servers) {
  test(`${title}: with random writers, and a task that is killed, topics equal SELECT`, async (t) => {
    const random = seededRandom()
    t.diagnostic(`seed ${random.seed}`)
    const figures = await runIncremental(await open(), { random, rows: 150, kills: 3 })
    t.diagnostic(JSON.stringify(figures))
    assert.ok(figures.snapshotRows > 100 && figures.changes > 20 && figures.kills > 0)
  })
}

for (const [title, open] of servers) {
  test(`${title}: of two tables one has a condition, one has no key, and one is ordered by a surrogate key`, async () => {
    const scene = await sceneOf(
      await open(),
      `${SIGNALS}; CREATE TABLE c2 (a VARCHAR(5), b INT, v DECIMAL(6,2), PRIMARY KEY (a, b));
       CREATE TABLE nk (x INT NOT NULL); CREATE TABLE sk (x INT NOT NULL, y INT);
       INSERT INTO c2 VALUES ('x', 1, 1.5), ('x', 2, NULL), ('y', 1, -3); INSERT INTO nk VALUES (1), (2);
       INSERT INTO sk VALUES (1, 1), (1, 2), (1, 3), (2, 4)`,
    )
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    const condition = { 'data-collection': `${scene.schema}.c2`, filter: "a = 'x' -- only these" }
    await execute(scene, ['c2', 'nk'], { 'additional-conditions': [condition] })
    await run.until(isComplete)
    assert.deepEqual(
      of(run, 'c2').map(({ after }) => after?.slice(0, 2).join(' ')),
      ['x 1', 'x 2'],
    )
    assert.deepEqual(of(run, 'nk'), [])
    assert.equal(run.logger.matching(/leaves out the table '\w+\.nk'.*has no primary key/).length, 1)
    await execute(scene, ['sk'], { 'surrogate-key': 'x' })
    await run.until(() => of(run, 'sk').length === 4)
    assert.deepEqual(new Set(of(run, 'sk').map(({ after }) => after?.at(1))), new Set(['1', '2', '3', '4']))
  })

  test(`${title}: a table that is asked for again, with another condition or after its begin, is copied again`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    const where = (filter: string): object => ({
      'additional-conditions': [{ 'data-collection': `${scene.schema}.t`, filter }],
    })
    await execute(scene, ['t'], where('id < 3'))
    await execute(scene, ['t'], where('id >= 3'))
    await run.until(() => of(run, 't').length >= 2)
    await execute(scene, ['t'], where('id < 3'))
    await run.until(isComplete)
    const ids = of(run, 't').map(({ after }) => after?.[0])
    assert.deepEqual(ids, ['1', '2', '3', '4', '5', '1', '2'])
    assert.equal(run.stored?.['incremental_snapshot_collections'], undefined)
  })

  test(`${title}: a paused snapshot waits, also over a restart; a stopped one ends`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    const blocked = { 'data-collection': `${scene.schema}.t`, filter: 'no_such_column = 1' }
    await using first = await TaskRun.start(scene, settings(scene))
    await first.until(isStreaming)
    await execute(scene, ['t'], { 'additional-conditions': [blocked] })
    await first.until(({ logger }) => logger.matching(/could not be read; it is read again/).length > 1)
    await signal(scene, 'pause-snapshot', {})
    await first.until(({ stored }) => stored?.['incremental_snapshot_paused'] === true)
    await using second = await TaskRun.start(scene, settings(scene), first.stored)
    await second.until(isStreaming)
    await signal(scene, 'log', { message: 'at {}' })
    await second.until(({ logger }) => logger.matching(/^at \{.*"pos":/).length === 1)
    assert.equal(second.logger.matching(/could not be read/).length, 0)
    await signal(scene, 'resume-snapshot', {})
    await second.until(({ logger }) => logger.matching(/could not be read/).length > 0)
    await signal(scene, 'stop-snapshot', { 'data-collections': [`${scene.schema}.t`], type: 'incremental' })
    await second.until(({ stored }) => stored?.['incremental_snapshot_collections'] === undefined)
    await execute(scene, ['t'])
    await second.until(isComplete)
    assert.equal(of(second, 't').length, 5)
  })

  test(`${title}: a table that is altered, emptied or dropped while it is copied`, async () => {
    const scene = await sceneOf(
      await open(),
      `${SIGNALS}; CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10)); CREATE TABLE u (id INT PRIMARY KEY);
       CREATE TABLE w (id INT PRIMARY KEY);
       INSERT INTO t SELECT n, 'x' FROM (WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 60)
         SELECT n FROM r) AS numbers;
       INSERT INTO u SELECT id FROM t; INSERT INTO w SELECT id FROM t`,
    )
    const { database, schema } = scene
    await using first = await TaskRun.start(scene, settings(scene))
    await first.until(isStreaming)
    // Where the stream meets the signal, the server is further.
    await execute(scene, ['t', 'u', 'w'])
    await database.query(`ALTER TABLE ${schema}.t ADD COLUMN n INT DEFAULT 7, MODIFY v VARCHAR(20); TRUNCATE TABLE ${schema}.u;
      INSERT INTO ${schema}.u VALUES (1000); DROP TABLE ${schema}.w`)
    await using run = await TaskRun.start(scene, settings(scene), first.stored)
    await run.until(isComplete)
    const copied = of(run, 't').filter(({ op }) => op === 'r')
    assert.deepEqual(new Set(copied.map(({ after }) => after?.slice(1).join(' '))), new Set(['x 7']))
    assert.equal(copied.length, 60)
    assert.deepEqual([...new Set(of(run, 'u').map(({ after }) => after?.join()))], ['1000'])
    assert.equal(run.logger.matching(/leaves out the table '\w+\.w'/).length, 1)
  })

  test(`${title}: the windows of chunks are marked in the signal table, if that may be written`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    await scene.database.query(`GRANT INSERT, DELETE, SELECT ON ${scene.schema}.* TO 'debezium'@'%'`)
    for (const [strategy, ops] of [
      ['insert_insert', ['c open', 'c close']],
      ['insert_delete', ['c open', 'd open']],
    ] as const) {
      await scene.database.query(`DELETE FROM ${scene.schema}.signals`)
      const more = { 'read.only': 'false', 'incremental.snapshot.watermarking.strategy': strategy }
      await using run = await TaskRun.start(scene, settings(scene, more))
      await run.until(isStreaming)
      await execute(scene, ['t'])
      await run.until(isComplete)
      const markers = of(run, 'signals').flatMap(({ op, before, after }) => {
        const [id = '', type = ''] = after ?? before ?? []
        return type.startsWith('snapshot-window') ? [`${op} ${id.split('-').at(-1) ?? ''}`] : []
      })
      // Three chunks with rows, and one that finds no more.
      assert.deepEqual(markers, [...ops, ...ops, ...ops, ...ops])
      const first = run.events.findIndex(({ table }) => table === 't')
      assert.equal(run.events.slice(0, first).filter(({ table }) => table === 'signals').length, 3)
    }
  })

  test(`${title}: a snapshot continues from an offset of Debezium, after the key that it has`, async () => {
    const scene = await sceneOf(await open(), `${SIGNALS}; ${FIVE_ROWS}`)
    await using first = await TaskRun.start(scene, settings(scene))
    await first.until(isStreaming)
    const array = 'aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c020000787000000001'
    const integer =
      '737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870'
    const stored = {
      ...first.stored,
      incremental_snapshot_collections: `[{"incremental_snapshot_collections_id":"${scene.schema}.t","incremental_snapshot_collections_additional_condition":null,"incremental_snapshot_collections_surrogate_key":null,"incremental_snapshot_collections_correlation_id":"x"}]`,
      incremental_snapshot_primary_key: `${array}${integer}00000003`,
      incremental_snapshot_maximum_key: `${array}${integer}00000005`,
      incremental_snapshot_correlation_id: 'x',
    }
    await using second = await TaskRun.start(scene, settings(scene), stored)
    await second.until(isComplete)
    assert.deepEqual(texts(of(second, 't')), ['r incremental 4 d', 'r incremental 5 e'])
  })
}

test('signals come from a file, which is emptied when their offset is stored, and from a topic', async () => {
  const scene = await sceneOf(await useMySql(), `${SIGNALS}; ${FIVE_ROWS}`)
  await using folder = temporaryFolder()
  const file = join(folder.path, 'signals')
  const { bootstrapServers } = await useKafka()
  const topic = `${scene.schema}-signal`
  const channels = {
    'signal.enabled.channels': 'file, kafka',
    'signal.file': file,
    'signal.poll.interval.ms': '20',
    'signal.kafka.bootstrap.servers': bootstrapServers.join(','),
  }
  const request = JSON.stringify({ 'data-collections': [`${scene.schema}.t`] })
  await using run = await TaskRun.start(scene, settings(scene, channels))
  await run.until(isStreaming)
  await writeFile(file, `nonsense\n${JSON.stringify({ id: 'f', type: 'execute-snapshot', data: request })}\n`)
  await run.until(() => of(run, 't').length === 5)
  assert.equal(run.logger.matching(/A line of the signal file .* is not a JSON object/).length, 1)
  assert.ok((await readFile(file, 'utf8')).length > 0)
  await run.until(isComplete)
  await run.commit()
  await eventually('the signal file is empty', async () => (await readFile(file, 'utf8')) === '')

  const kafka = await kafkaClient(bootstrapServers)
  await using producer = await kafka.producer({ onDelivered: () => undefined })
  const written = await producer.topic(topic)
  const send = (key: string, value: string): void =>
    written.send({ key: bytesOf(key), value: bytesOf(value), headers: [], partition: 0, timestamp: null, token: 1 })
  send('another-connector', JSON.stringify({ id: 'o', type: 'execute-snapshot', data: request }))
  send(scene.schema, '{"id"')
  send(scene.schema, JSON.stringify({ id: 'k', type: 'execute-snapshot', data: request }))
  await producer.flush()
  await run.until(() => of(run, 't').length === 10)
  assert.equal(run.logger.matching(/at offset 1 of the signal topic is not a JSON object/).length, 1)
  await run.until(({ stored }) => stored?.['incremental_snapshot_signal_offset'] === 2n)

  // A task that starts later reads what was sent meanwhile, and nothing again.
  send(scene.schema, JSON.stringify({ id: 'later', type: 'log', data: { message: 'was away' } }))
  await producer.flush()
  await using again = await TaskRun.start(scene, settings(scene, channels), run.stored)
  await again.until(({ logger }) => logger.matching('was away').length === 1)
  assert.equal(of(again, 't').length, 0)
})

function bytesOf(text: string): { prefix: Uint8Array; buffer: Buffer; start: number; end: number } {
  const buffer = Buffer.from(text)
  return { prefix: new Uint8Array(0), buffer, start: 0, end: buffer.length }
}
