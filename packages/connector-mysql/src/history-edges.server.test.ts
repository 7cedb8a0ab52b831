/**
 * Statements after a checkpoint, or after the stored offset of a lost history, that a rebuild could apply twice, not at
 * all, or to a table of another time. The judge is the server: the values by the names that its columns have.
 */
import { type OffsetDocument, Struct } from '@tributary/connect-api'
import { fullTest, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HistoryTopic } from './testing/history-topic.ts'
import { runStatements, untilTablesAreOlder } from './testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from './testing/task-run.ts'

const COLUMNS = 'id INT PRIMARY KEY, a INT, b INT'
const TABLES = `CREATE TABLE t (${COLUMNS}); CREATE TABLE filler (id INT PRIMARY KEY); CREATE TABLE done (id INT PRIMARY KEY)`
/** As many records as make a checkpoint due. */
const FILLING = Array.from({ length: 500 }, (_, i) => `ALTER TABLE filler COMMENT = '${i}'`)
const WRITTEN = 'A checkpoint of the schema history up to offset'
const SWAP = 'RENAME COLUMN a TO b, RENAME COLUMN b TO a'
const ROW = 'INSERT INTO t (id, a, b) VALUES (1, 10, 20)'
const RIGHT = { id: '1', a: '10', b: '20' }
const LIMIT = { timeout: 120_000 }

type Properties = Readonly<Record<string, string>>

interface Rows {
  /** Values of `t` by the names of their columns. */
  readonly rows: readonly Properties[]
  readonly offsets: readonly OffsetDocument[]
  readonly stored: OffsetDocument
}

/** Polls up to the row `done`; null: up to where `t` is stopped. */
async function rowsOf(task: TaskRun, isEnough: (task: TaskRun) => boolean): Promise<Rows> {
  const [rows, offsets]: [Properties[], OffsetDocument[]] = [[], []]
  task.onRecord = ({ topic, value, sourceOffset }) => {
    const after = topic.endsWith('.t') && value instanceof Struct ? value.get('after') : null
    if (!(after instanceof Struct)) return
    rows.push(Object.fromEntries(after.schema.fields.map(({ name }) => [name, textOf(after.get(name))])))
    offsets.push(sourceOffset.toDocument())
  }
  await task.until(isEnough)
  assert.ok(task.stored !== null)
  return { rows, offsets, stored: task.stored }
}

function isDone(number: number): (task: TaskRun) => boolean {
  return ({ changes }) => changes.includes(`c ${number}`)
}

/** A task that has written a checkpoint streams the statements, and the row 1 of `done`. */
async function streamed(
  scene: Scene,
  more: Properties,
  before: readonly string[],
  after: readonly string[],
): Promise<Rows> {
  await using task = await TaskRun.start(scene, more)
  await task.until(isStreaming)
  await runStatements(scene, [...before, ...FILLING])
  await task.until(({ logger }) => logger.matching(WRITTEN).length > 0)
  await runStatements(scene, [...after, 'INSERT INTO done VALUES (1)'])
  return await rowsOf(task, isDone(1))
}

/** The rows from an offset up to the row 2 of `done`, with the log. */
async function resumed(
  scene: Scene,
  more: Properties,
  stored: OffsetDocument | null,
): Promise<Rows & { readonly isStopped: boolean }> {
  await using task = await TaskRun.start(scene, more, stored)
  const found = await rowsOf(task, isDone(2))
  return { ...found, isStopped: task.logger.matching('is stopped at').length > 0 }
}

test('an ALTER in two phases is applied once, and one that is rolled back never', LIMIT, async () => {
  const scene = await sceneOf(await useMariaDb(), TABLES)
  const { stored } = await streamed(scene, {}, [], ['SET SESSION binlog_alter_two_phase = ON', `ALTER TABLE t ${SWAP}`])
  await runStatements(scene, [ROW, 'INSERT INTO done VALUES (2)'])
  await (await HistoryTopic.of(scene.config)).delete()
  assert.deepEqual((await resumed(scene, {}, stored)).rows, [RIGHT])
})

fullTest('a checkpoint has only tables whose statements the history records', LIMIT, async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const more = {
    'table.include.list': ['t', 'done', 'filler'].map((table) => `${scene.schema}.${table}`).join(),
    'schema.history.internal.store.only.captured.tables.ddl': 'true',
  }
  const { stored } = await streamed(scene, more, [`CREATE TABLE staging (${COLUMNS})`], [`ALTER TABLE staging ${SWAP}`])
  await runStatements(scene, ['RENAME TABLE t TO old, staging TO t', ROW, 'INSERT INTO done VALUES (2)'])
  assert.deepEqual((await resumed(scene, more, stored)).rows, [RIGHT])
})

test('a statement within the transaction of the stored offset counts', LIMIT, async () => {
  const scene = await sceneOf(await useMariaDb(), `${TABLES}; CREATE TABLE staging (${COLUMNS})`)
  const fill = Array.from({ length: 3 }, (_, i) => `INSERT INTO staging VALUES (${i + 1}, 10, 20)`)
  const replace = 'CREATE OR REPLACE TABLE t (id INT PRIMARY KEY, b INT, a INT) SELECT id, b, a FROM staging'
  const { rows, offsets } = await streamed(scene, {}, fill, [replace])
  assert.equal(rows.length, 3)
  await runStatements(scene, ['INSERT INTO done VALUES (2)'])
  await (await HistoryTopic.of(scene.config)).delete()
  const rebuilt = await resumed(scene, {}, offsets[0] ?? null)
  // The others may be read, or the table stops: wrong values are no choice.
  for (const row of rebuilt.rows) assert.deepEqual([row['a'], row['b']], ['10', '20'])
  assert.ok(rebuilt.rows.length === 2 || rebuilt.isStopped)
})

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${name}: a database that was altered after a comment has another charset now`, LIMIT, async () => {
    const scene = await sceneOf(await use(), TABLES)
    await runStatements(scene, [`ALTER DATABASE ${scene.schema} CHARACTER SET latin1`])
    await untilTablesAreOlder(scene)
    let stored: OffsetDocument
    {
      await using task = await TaskRun.start(scene, {})
      await task.until(isStreaming)
      await runStatements(scene, ['INSERT INTO done VALUES (1)'])
      stored = (await rowsOf(task, isDone(1))).stored
    }
    const create = [
      'DROP TABLE t',
      'CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))',
      "INSERT INTO t VALUES (1, 'Año ã')",
    ]
    const alter = `-- release 7\nALTER DATABASE ${scene.schema} CHARACTER SET latin2`
    await runStatements(scene, [...create, "ALTER TABLE t COMMENT = 'x'", alter, 'INSERT INTO done VALUES (2)'])
    const topic = await HistoryTopic.of(scene.config)
    await topic.delete()
    const rebuilt = await resumed(scene, {}, stored)
    for (const { a } of rebuilt.rows) assert.equal(a, 'Año ã')
    assert.ok(rebuilt.rows.length === 1 || rebuilt.isStopped)
  })
}
