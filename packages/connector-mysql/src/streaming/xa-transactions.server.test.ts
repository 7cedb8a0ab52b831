/**
 * XA transactions on both servers: rows become events when they are committed, never when they are prepared, since they
 * may still be rolled back. XA RECOVER and SELECT of the server are the judges.
 */
import { type ConnectValue, type SourceRecord, Struct } from '@tributary/connect-api'
import { eventually, startMariaDb, startMySql, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeBinlogs } from '../testing/purge-binlogs.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLE = 'CREATE TABLE t (id INT PRIMARY KEY, a LONGTEXT); CREATE TABLE other (id INT PRIMARY KEY)'

/**
 * Runs the statements in a session of their own, and waits for its end: before that, MariaDB keeps a prepared transaction
 * for it, and another session that commits it gets XAER_NOTA.
 */
async function inSession({ database, schema }: Scene, ...statements: readonly string[]): Promise<void> {
  const connection = await database.connect()
  const { threadId } = connection
  try {
    await connection.query(`USE ${schema}`)
    for (const sql of statements) await connection.query(sql)
  } finally {
    connection.destroy()
  }
  const session = `SELECT 1 FROM information_schema.processlist WHERE id = ${threadId}`
  await eventually('the session has ended', async () => (await database.query(session)).length === 0)
}

async function prepare(scene: Scene, xid: string, ...statements: readonly string[]): Promise<void> {
  await inSession(scene, `XA START ${xid}`, ...statements, `XA END ${xid}`, `XA PREPARE ${xid}`)
}

/** File and position of the source block, and number of the row: it identifies an event. */
function placeOf({ value }: SourceRecord): string | null {
  const source: ConnectValue = value instanceof Struct ? value.get('source') : null
  if (!(source instanceof Struct)) return null
  return ['file', 'pos', 'row'].map((name) => textOf(source.get(name))).join(' ')
}

for (const [product, use, start] of [
  ['MySQL', useMySql, () => startMySql({ gtid: true })],
  ['MariaDB', useMariaDb, () => startMariaDb({})],
] as const) {
  test(`${product}: rows of an XA transaction are events when it is committed, in the order of commits`, async () => {
    const scene = await sceneOf(await use(), TABLE)
    const { database, schema } = scene
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    const [a, b] = [`'${schema}','a',7`, `'${schema}','b'`]

    await prepare(scene, a, `INSERT INTO t VALUES (1, 'a'), (2, 'a')`, `UPDATE t SET a = 'x' WHERE id = 2`)
    await prepare(scene, b, `INSERT INTO t VALUES (3, 'b')`)
    await database.query(`INSERT INTO ${schema}.other VALUES (1)`)
    await inSession(scene, `XA COMMIT ${b}`)
    await database.query(`INSERT INTO ${schema}.other VALUES (2)`)
    await inSession(scene, `XA COMMIT ${a}`)
    await database.query(`INSERT INTO ${schema}.other VALUES (3)`)

    const changes = await run.untilChanges(7)
    assert.deepEqual(changes, ['c 1', 'c 3 b', 'c 2', 'c 1 a', 'c 2 a', 'u 2 x', 'c 3'])
  })

  test(`${product}: a transaction that is rolled back leaves no event, prepared or not`, async () => {
    const scene = await sceneOf(await use(), TABLE)
    const { database, schema } = scene
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    const xid = `'${schema}'`

    await prepare(scene, xid, `INSERT INTO t VALUES (1, 'a')`)
    await inSession(scene, `XA ROLLBACK ${xid}`)
    await inSession(scene, `XA START ${xid}`, `INSERT INTO t VALUES (2, 'a')`, `XA END ${xid}`, `XA ROLLBACK ${xid}`)
    // The same xid again.
    await prepare(scene, xid, `INSERT INTO t VALUES (3, 'a')`)
    await inSession(scene, `XA COMMIT ${xid}`)
    await inSession(
      scene,
      `XA START ${xid}`,
      `INSERT INTO t VALUES (4, 'a')`,
      `XA END ${xid}`,
      `XA COMMIT ${xid} ONE PHASE`,
    )
    await database.query(`INSERT INTO ${schema}.other VALUES (1)`)

    assert.deepEqual(await run.untilChanges(3), ['c 3 a', 'c 4 a', 'c 1'])
  })

  test(`${product}: a restart between XA PREPARE and XA COMMIT finds the rows again`, async () => {
    const scene = await sceneOf(await use(), TABLE)
    const { database, schema } = scene
    const [kept, dropped] = [`'${schema}','kept'`, `'${schema}','dropped'`]
    const first = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await first.until(isStreaming)
    await prepare(scene, kept, `INSERT INTO t VALUES (1, 'a')`, `INSERT INTO t VALUES (2, 'b')`)
    await prepare(scene, dropped, `INSERT INTO t VALUES (3, 'c')`)
    await database.query(`INSERT INTO ${schema}.other VALUES (1)`)
    assert.deepEqual(await first.untilChanges(1), ['c 1'])
    const { stored } = first
    await first[Symbol.asyncDispose]()
    await database.query('FLUSH BINARY LOGS')
    await database.query(`INSERT INTO ${schema}.other VALUES (2)`)
    await inSession(scene, `XA ROLLBACK ${dropped}`, `XA COMMIT ${kept}`)

    await using run = await TaskRun.start(scene, {}, stored)
    await database.query(`INSERT INTO ${schema}.other VALUES (3)`)

    assert.deepEqual(await run.untilChanges(4), ['c 2', 'c 1 a', 'c 2 b', 'c 3'])
  })

  test(`${product}: a snapshot does not have prepared rows, the stream after it has them when they are committed`, async () => {
    const scene = await sceneOf(await use(), `${TABLE}; INSERT INTO t VALUES (1, 'a')`)
    const { database, schema } = scene
    const xid = `'${schema}'`
    await prepare(scene, xid, `INSERT INTO t VALUES (2, 'b')`)

    await using run = await TaskRun.start(scene, { 'snapshot.locking.mode': 'none' })
    // MariaDB does not order its view with XA COMMIT: a chunk with prepared rows is read when they are committed.
    const seen = database.flavor === 'mariadb' ? 'could not be read' : 'The incremental snapshot is complete'
    await run.until(({ logger }) => logger.matching(seen).length > 0)
    assert.deepEqual(run.changes, database.flavor === 'mariadb' ? [] : ['r 1 a'])
    await inSession(scene, `XA COMMIT ${xid}`)
    await database.query(`INSERT INTO ${schema}.other VALUES (1)`)

    await run.until(
      ({ logger, changes }) =>
        changes.includes('c 1') && logger.matching('The incremental snapshot is complete').length > 0,
    )
    // The chunk may have the committed row as well.
    assert.deepEqual(new Set(run.changes.filter((change) => change !== 'r 2 b')), new Set(['r 1 a', 'c 2 b', 'c 1']))
  })

  test(`${product}: a restart in the middle of a commit continues with the next row, and each event has a place of its own`, async () => {
    const scene = await sceneOf(await use(), TABLE)
    const { schema } = scene
    const small = { 'snapshot.mode': 'no_data', 'max.batch.size': '3', 'max.queue.size': '4' }
    const xid = `'${schema}'`
    const first = await TaskRun.start(scene, small)
    await first.until(isStreaming)
    const places: string[] = []
    const note = (record: SourceRecord): void => {
      const place = placeOf(record)
      if (place !== null) places.push(place)
    }
    first.onRecord = note
    const inserts = [1, 2, 3, 4].map((n) => `INSERT INTO t VALUES (${2 * n}, 'a'), (${2 * n + 1}, 'b')`)
    await prepare(scene, xid, ...inserts)
    await inSession(scene, `XA COMMIT ${xid}`)
    await first.untilChanges(3)
    const { stored, changes } = first
    assert.ok(changes.length < 8)
    await first[Symbol.asyncDispose]()

    await using run = await TaskRun.start(scene, small, stored)
    run.onRecord = note
    await run.untilChanges(8 - changes.length)

    assert.deepEqual(
      [...changes, ...run.changes],
      [2, 3, 4, 5, 6, 7, 8, 9].map((id) => `c ${id} ${id % 2 === 0 ? 'a' : 'b'}`),
    )
    assert.equal(new Set(places).size, places.length)
    assert.equal(places.length, 8)
  })

  test(`${product}: rows of a large transaction are read from the binlog again`, async () => {
    const scene = await sceneOf(await use(), TABLE)
    const { schema } = scene
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    const xid = `'${schema}'`
    const inserts = Array.from({ length: 24 }, (_, n) => `INSERT INTO t VALUES (${n}, REPEAT('x', 1000000))`)
    await prepare(scene, xid, ...inserts, `UPDATE t SET a = 'y' WHERE id = 0`)
    await inSession(scene, `XA COMMIT ${xid}`)

    const changes = await run.untilChanges(25)

    assert.deepEqual(
      changes.map((change) => change.slice(0, 6).trim()),
      [...Array.from({ length: 24 }, (_, n) => `c ${n} ${'x'.repeat(n < 10 ? 2 : 1)}`), 'u 0 y'],
    )
  })

  test(`${product}: rows that the binlog no longer has are an error that says so`, async () => {
    await using server = await start()
    const scene = await sceneOf(server, TABLE)
    const xid = `'${scene.schema}'`
    await prepare(scene, xid, `INSERT INTO t VALUES (1, 'a')`)
    await purgeBinlogs(server)
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)
    await inSession(scene, `XA COMMIT ${xid}`)

    const error = await run.failure()

    assert.equal(error.code, 'XA_ROWS_MISSING')
    assert.match(error.message, new RegExp(`XA transaction X'${Buffer.from(scene.schema).toString('hex')}',X'',1`))
  })
}
