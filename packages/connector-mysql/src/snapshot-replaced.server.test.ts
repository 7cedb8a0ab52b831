/** Tables that are altered, or replaced by others, after the snapshot has begun and before it reads them. */
import { useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

const COUNT = 1_500
const SMALL_BATCHES = { 'max.batch.size': '150', 'max.queue.size': '300' }

/** `big` is read first. */
function withBig(statements: string): string {
  const rows = Array.from({ length: COUNT }, (_, i) => `(${i})`).join()
  return `CREATE TABLE big (id INT PRIMARY KEY); INSERT INTO big VALUES ${rows}; ${statements}`
}

const ONLINE_CHANGE = {
  before: `CREATE TABLE zt (id INT PRIMARY KEY, a INT); INSERT INTO zt SELECT id, id FROM big WHERE id < 600;
    CREATE TABLE zt_gho (id INT PRIMARY KEY, a INT); INSERT INTO zt_gho SELECT * FROM zt WHERE id < 200`,
  change: `INSERT INTO zt_gho SELECT * FROM zt WHERE id >= 200; RENAME TABLE zt TO zt_del, zt_gho TO zt`,
}
const COLUMNS = 'CREATE TABLE zt (id INT PRIMARY KEY, a INT, b INT); INSERT INTO zt VALUES (1, 10, 20), (2, 11, 21)'
const SWAP = { before: COLUMNS, change: 'ALTER TABLE zt RENAME COLUMN a TO b, RENAME COLUMN b TO a' }
const AGAIN = {
  before: COLUMNS,
  change: 'ALTER TABLE zt DROP COLUMN a, ADD COLUMN a INT DEFAULT 5 AFTER id, ALGORITHM=INSTANT',
}
/** No server logs it. */
const UNLOGGED = { before: COLUMNS, change: `SET SESSION sql_log_bin = 0; ${SWAP.change}` }

/** The last event of each key. */
function topicOf(run: TaskRun): readonly string[] {
  const rows = new Map<string, string>()
  for (const { table, after } of run.events)
    if (table === 'zt' && after !== null) rows.set(after[0] ?? '', after.join())
  return [...rows.values()].toSorted()
}

async function onServer({ database, schema }: Scene): Promise<readonly string[]> {
  const rows = await database.query(`SELECT * FROM ${schema}.zt`)
  return rows.map((row) => Object.values(row).join()).toSorted()
}

for (const [title, open, { before, change }, isResumed] of [
  ['MySQL: an online schema change', useMySql, ONLINE_CHANGE, false],
  ['MariaDB: an online schema change', useMariaDb, ONLINE_CHANGE, true],
  ['MySQL: names of columns that are swapped', useMySql, SWAP, true],
  ['MariaDB: names of columns that are swapped', useMariaDb, SWAP, false],
  ['MariaDB: a column that is dropped and added', useMariaDb, AGAIN, false],
  ['MySQL: a statement that is not logged', useMySql, UNLOGGED, false],
] as const) {
  const when = isResumed ? 'after a restart' : 'at first'
  test(`${title}, before the table is read, ${when}: the snapshot begins again, and nothing is lost`, async () => {
    const scene = await sceneOf(await open(), withBig(before))
    const { database, schema } = scene
    const properties = { ...SMALL_BATCHES, 'table.include.list': `${schema}.big,${schema}.zt` }
    let stored: TaskRun['stored'] = null
    if (isResumed) {
      await using first = await TaskRun.start(scene, properties)
      await first.until(({ events }) => events.length >= 400)
      stored = first.stored
    }
    await using run = await TaskRun.start(scene, properties, stored)
    await run.until(({ events }) => events.length >= 400)
    const session = await database.connect()
    await session.query(`USE ${schema}`)
    for (const sql of change.split(';')) await session.query(sql)
    await session.end()
    await run.until(isStreaming)
    await database.query(
      `INSERT INTO ${schema}.zt SELECT 9000, MAX(a)${before === COLUMNS ? ', 7' : ''} FROM ${schema}.zt`,
    )
    await run.until(({ events }) => events.at(-1)?.after?.[0] === '9000')
    assert.deepEqual(topicOf(run), await onServer(scene))
    assert.equal(run.logger.matching('The snapshot begins again in').length, 1)
  })
}

test('a table that nobody changes is read once, whatever happens to others and to its rows', async () => {
  const scene = await sceneOf(await useMySql(), withBig(COLUMNS))
  const { database, schema } = scene
  await using run = await TaskRun.start(scene, { ...SMALL_BATCHES, 'table.include.list': `${schema}.big,${schema}.zt` })
  await run.until(({ events }) => events.length >= 400)
  await database.query(`USE ${schema}; CREATE TABLE zu (id INT PRIMARY KEY); RENAME TABLE zu TO zv; UPDATE zt SET a = 0;
    FLUSH BINARY LOGS`)
  await run.until(({ events }) => events.filter(({ op }) => op === 'u').length === 2)
  assert.equal(run.events.length, COUNT + 4)
  assert.equal(run.logger.matching('The snapshot begins again in').length, 0)
})
