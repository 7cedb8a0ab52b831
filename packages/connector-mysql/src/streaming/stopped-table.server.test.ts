/** A table whose definition cannot be known: it stops, others continue, and a statement of the operator continues it. */
import { CodedError } from '@tributary/support'
import { casesOfTier, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runScript } from '../testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const TABLES = 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)'
/** The definition that the server has after both is that of rows before the second one only by column count. */
const LOST = `SET SESSION sql_log_bin = 0; ALTER TABLE t ADD COLUMN h INT; SET SESSION sql_log_bin = 1;
  INSERT INTO t VALUES (2, 10, 20, 30); ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a;
  INSERT INTO t VALUES (3, 20, 10, 30); INSERT INTO done VALUES (1)`

/** A scene with the stored offset of a task that has stopped the table. */
async function stoppedScene(
  use: typeof useMySql,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly scene: Scene; readonly first: TaskRun }> {
  const scene = await sceneOf(await use(), TABLES)
  await using beginning = await TaskRun.start(scene, more)
  await beginning.until(isStreaming)
  await runScript(scene, LOST)
  const first = await TaskRun.start(scene, more, beginning.stored)
  await first.untilChanges(1)
  return { scene, first }
}

for (const [name, use] of casesOfTier('stopped table', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(
    `${name}: a stopped table is logged and remembered, and continues with the statement that the log names`,
    { timeout: 60_000 },
    async () => {
      const { scene, first } = await stoppedScene(use)
      const { database, schema } = scene
      assert.deepEqual(first.changes, ['c 1'], 'only the other table has events')
      const [line, ...others] = first.logger.lines.filter(({ level }) => level === 'error')
      assert.deepEqual(others, [])
      const { error } = line?.fields ?? {}
      assert.ok(error instanceof CodedError && error.code === 'TABLE_UNKNOWN')
      assert.match(error.message, /by 'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a' at binlog\.\d+:\d+\./)
      const remedy = /run on the database: (ALTER TABLE `\w+`\.`t`);/.exec(error.message)?.[1] ?? ''
      const { stored } = first
      const [entry] = JSON.parse(String(stored?.['stopped_tables'])) as { table: string; since: string }[]
      const [file, position] = entry?.since.split(':') ?? []
      const events = await database.query(`SHOW BINLOG EVENTS IN '${file}' FROM ${position} LIMIT 1`)
      assert.match(String(events[0]?.['Event_type']), /Write_rows/, 'the position is that of the first row')
      assert.equal(line?.message, `The table ${schema}.t is stopped at ${entry?.since}; other tables continue`)
      await first[Symbol.asyncDispose]()

      await runScript(
        scene,
        `INSERT INTO t VALUES (4, 20, 10, 30); ALTER TABLE t ADD INDEX (h); INSERT INTO t VALUES (5, 20, 10, 30);
       CREATE TABLE IF NOT EXISTS t (x INT, id INT PRIMARY KEY, y INT, z INT); INSERT INTO t VALUES (6, 20, 10, 30);
       INSERT INTO done VALUES (2); ${remedy}; INSERT INTO t VALUES (7, 21, 11, 31)`,
      )
      const second = await TaskRun.start(scene, {}, stored)
      assert.deepEqual(await second.untilChanges(2), ['c 2', 'c 7 21 11 31'])
      assert.equal(second.logger.matching(`The table ${schema}.t is stopped since ${entry?.since}`).length, 1)
      assert.equal(second.logger.matching(`The stopped table ${schema}.t continues at `).length, 1)
      assert.equal(second.stored?.['stopped_tables'], undefined)
      await second[Symbol.asyncDispose]()

      await runScript(scene, 'ALTER TABLE t RENAME COLUMN h TO g; INSERT INTO t VALUES (8, 22, 12, 32)')
      await using third = await TaskRun.start(scene, {}, second.stored)
      assert.deepEqual(await third.untilChanges(1), ['c 8 22 12 32'])
      assert.deepEqual(third.logger.matching('Reading the definition'), [], 'the schema history has it')
    },
  )

  test(
    `${name}: a stopped table that is dropped and created anew is captured from there on`,
    { timeout: 60_000 },
    async () => {
      const { scene, first } = await stoppedScene(use)
      await first[Symbol.asyncDispose]()
      await runScript(scene, 'DROP TABLE t; CREATE TABLE t (v INT, id INT PRIMARY KEY); INSERT INTO t VALUES (7, 1)')
      await using second = await TaskRun.start(scene, {}, first.stored)
      assert.deepEqual(await second.untilChanges(1), ['c 7 1'])
      assert.equal(second.stored?.['stopped_tables'], undefined)
    },
  )

  const modes = ['event.processing.failure.handling.mode', 'inconsistent.schema.handling.mode']
  for (const property of modes) {
    test(
      `${name}: with ${property}=warn only the rows that cannot be read are left out`,
      { timeout: 60_000 },
      async () => {
        const mode = { [property]: 'warn' }
        const { first } = await stoppedScene(use, mode)
        await first.untilChanges(2)
        assert.deepEqual(first.changes, ['c 3 20 10 30', 'c 1'])
        assert.equal(first.stored?.['stopped_tables'], undefined)
        assert.equal(first.logger.matching('An event is left out').length, 1)
        await first[Symbol.asyncDispose]()
      },
    )
  }
}

test('an offset with a list of stopped tables that cannot be read fails the task', { timeout: 60_000 }, async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  await using run1 = await TaskRun.start(scene, {})
  await run1.until(isStreaming)
  await using run2 = await TaskRun.start(scene, {}, { ...run1.stored, stopped_tables: '["t"]' })
  assert.equal((await run2.failure()).code, 'OFFSET_UNREADABLE')
})
