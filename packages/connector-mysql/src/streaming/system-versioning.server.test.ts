/**
 * Tables WITH SYSTEM VERSIONING: the binlog of MariaDB has all versions of their rows, the topic only what a SELECT
 * shows. The server's own SELECT is the judge.
 */
import { useMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, type TaskEvent, TaskRun } from '../testing/task-run.ts'

const HIDDEN = 'CREATE TABLE t (id INT, a INT, PRIMARY KEY (id)) WITH SYSTEM VERSIONING'
const COLUMNS = `CREATE TABLE t (id INT PRIMARY KEY, a INT,
  s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END,
  PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING`
const ONE_COLUMN = 'CREATE TABLE t (id INT PRIMARY KEY, a INT WITH SYSTEM VERSIONING)'
const NO_KEY = 'CREATE TABLE t (id INT, a INT) WITH SYSTEM VERSIONING'
const PARTITIONED = `${HIDDEN} PARTITION BY SYSTEM_TIME LIMIT 1 (PARTITION p0 HISTORY, PARTITION pn CURRENT)`

/** Every way in which a row gets or loses a version. */
const STATEMENTS = `
  INSERT INTO t (id, a) VALUES (1, 10), (2, 20), (3, 30);
  UPDATE t SET a = 11 WHERE id = 1;
  UPDATE t SET a = a;
  UPDATE t SET id = 4 WHERE id = 3;
  DELETE FROM t WHERE id = 2;
  REPLACE INTO t (id, a) VALUES (4, 44);
  INSERT INTO t (id, a) VALUES (5, 50);
  START TRANSACTION;
  INSERT INTO t (id, a) VALUES (6, 60), (7, 70);
  UPDATE t SET a = a + 1 WHERE id > 5;
  DELETE FROM t WHERE id = 7;
  COMMIT;
  DELETE HISTORY FROM t;
  UPDATE t SET a = 0 WHERE id = 6`

/** The rows that the events leave: `id a`, without other columns. */
function remaining(events: readonly TaskEvent[]): readonly string[] {
  const rows: string[] = []
  for (const { op, before, after } of events) {
    if (before !== null) {
      const at = rows.indexOf(before.slice(0, 2).join(' '))
      assert.notEqual(at, -1, `${op} ${before.join(' ')} concerns a row that exists`)
      rows.splice(at, 1)
    }
    if (after !== null) rows.push(after.slice(0, 2).join(' '))
  }
  return rows.toSorted()
}

async function selected({ database, schema }: Scene): Promise<readonly string[]> {
  const rows = await database.query(`SELECT CONCAT(id, ' ', a) AS line FROM ${schema}.t`)
  return rows.map(({ line }) => String(line)).toSorted()
}

/** Runs the statements and returns the events up to a last row, which is in no other statement. */
async function eventsOf(scene: Scene, run: TaskRun, statements: string): Promise<readonly TaskEvent[]> {
  await scene.database.query(`USE ${scene.schema}; ${statements}; INSERT INTO t (id, a) VALUES (99, 99)`)
  await run.until(({ events }) => events.at(-1)?.after?.[0] === '99')
  return run.events
}

const changesOf = (events: readonly TaskEvent[]): readonly string[] =>
  events.map(({ op, before, after }) => [op, ...(after ?? before ?? []).slice(0, 2)].join(' '))

const tables = { hidden: HIDDEN, columns: COLUMNS, 'one column': ONE_COLUMN, partitioned: PARTITIONED }
for (const [name, createSql] of Object.entries(tables)) {
  test(`former versions of rows are no events, and the end of a version is a deletion: ${name}`, async () => {
    const scene = await sceneOf(await useMariaDb(), createSql)
    await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
    await run.until(isStreaming)

    const events = await eventsOf(scene, run, STATEMENTS)

    assert.deepEqual(remaining(events), await selected(scene))
    const changes = changesOf(events)
    assert.deepEqual(changes.slice(0, 4), ['c 1 10', 'c 2 20', 'c 3 30', 'u 1 11'])
    assert.equal(changes.filter((change) => change.startsWith('d 2')).length, 1)
    assert.equal(changes.filter((change) => change === 'd 7 71').length, 1)
  })
}

test('rows without a key, and rows without unchanged BLOBs', async () => {
  const scene = await sceneOf(await useMariaDb(), NO_KEY)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)
  const statements = `SET SESSION binlog_row_image = NOBLOB;
    INSERT INTO t VALUES (1, 1), (2, 2); UPDATE t SET a = 3; DELETE FROM t WHERE id = 1; ALTER TABLE t ADD b TEXT;
    INSERT INTO t VALUES (3, 3, 'x'); UPDATE t SET a = 4 WHERE id = 3; DELETE FROM t WHERE id = 2;
    SET SESSION binlog_row_image = DEFAULT; ALTER TABLE t DROP b`

  await scene.database.query(`SET SESSION system_versioning_alter_history = KEEP`)
  const events = await eventsOf(scene, run, statements)

  assert.deepEqual(remaining(events), await selected(scene))
})

test('a row that is inserted as history is no event', async () => {
  const scene = await sceneOf(await useMariaDb(), HIDDEN)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)
  const insert = `INSERT INTO t (id, a, row_start, row_end) VALUES (8, 8, '2020-01-01', '2021-01-01')`

  const events = await eventsOf(
    scene,
    run,
    `SET SESSION system_versioning_insert_history = ON; ${insert}; SET SESSION system_versioning_insert_history = OFF`,
  )

  assert.deepEqual(changesOf(events), ['c 99 99'])
})

test('a table gets versions, and loses them', async () => {
  const scene = await sceneOf(await useMariaDb(), 'CREATE TABLE t (id INT PRIMARY KEY, a INT)')
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)
  const change = 'UPDATE t SET a = a + 1; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 1)'
  const steps = ['ADD SYSTEM VERSIONING', 'DROP SYSTEM VERSIONING', 'ADD SYSTEM VERSIONING'].map(
    (action) => `ALTER TABLE t ${action}; ${change}`,
  )

  const events = await eventsOf(scene, run, `INSERT INTO t VALUES (1, 1), (2, 2); ${change}; ${steps.join('; ')}`)

  assert.deepEqual(remaining(events), await selected(scene))
})

test('a snapshot and a restart know the versions of a table', async () => {
  const scene = await sceneOf(await useMariaDb(), `${COLUMNS}; INSERT INTO t (id, a) VALUES (1, 1); UPDATE t SET a = 2`)
  const first = await TaskRun.start(scene, {})
  await first.until(isCompleted)
  await first.until(({ events }) => events.length === 1)
  const { stored, events: snapshot } = first
  await first[Symbol.asyncDispose]()
  assert.deepEqual(changesOf(snapshot), ['r 1 2'])

  await using run = await TaskRun.start(scene, {}, stored)
  const events = await eventsOf(scene, run, 'UPDATE t SET a = 3; INSERT INTO t (id, a) VALUES (2, 2); DELETE FROM t')

  assert.deepEqual(changesOf(events), ['u 1 3', 'c 2 2', 'd 1 3', 'd 2 2', 'c 99 99'])
  assert.deepEqual(remaining([...snapshot, ...events]), await selected(scene))
})

test('a table whose rows the binlog has as statements is an error', async () => {
  const server = await useMariaDb()
  const byTransaction = COLUMNS.replaceAll('TIMESTAMP(6)', 'BIGINT UNSIGNED')
  const scene = await sceneOf(server, byTransaction)
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)

  await server.query(`INSERT INTO ${scene.schema}.t (id, a) VALUES (1, 1)`)

  const error = await run.failure()
  assert.equal(error.code, 'STATEMENT_FORMAT')
})
