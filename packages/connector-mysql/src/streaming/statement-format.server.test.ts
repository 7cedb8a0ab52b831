/**
 * Rows that were changed in statement format are not in the binlog: each statement of a captured table fails the task,
 * however the server logs it, and the error names the setting.
 */
import { type Database, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const NO_DATA = { 'snapshot.mode': 'no_data' }
const FILE = 'statement-format-rows.txt'

const CASES: readonly (readonly [what: string, format: string, statement: string])[] = [
  ['an INSERT', 'STATEMENT', "INSERT INTO t VALUES (10, 'x')"],
  ['an UPDATE under MIXED', 'MIXED', "UPDATE t SET v = 'x' WHERE id = 1"],
  ['a DELETE of two tables', 'STATEMENT', 'DELETE t, u FROM t JOIN u ON t.id = u.id'],
  ['LOAD DATA', 'STATEMENT', `LOAD DATA INFILE './${FILE}' INTO TABLE t`],
  ['a procedure', 'STATEMENT', 'CALL change_rows()'],
  ['a long statement, which MariaDB may compress', 'STATEMENT', `INSERT INTO t VALUES (11, '${'long '.repeat(100)}')`],
]

const TABLES = `CREATE TABLE t (id INT PRIMARY KEY, v TEXT) ENGINE=InnoDB; CREATE TABLE u LIKE t;
  INSERT INTO t VALUES (1, 'one'); INSERT INTO u VALUES (1, 'one');
  CREATE PROCEDURE change_rows() UPDATE t SET v = 'of a procedure'`

async function run({ database, schema }: Scene, statements: readonly string[]): Promise<void> {
  const session = await database.connect()
  // InnoDB refuses statement format under weaker isolation.
  for (const sql of [`USE ${schema}`, 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', ...statements])
    await session.query(sql)
  await session.end()
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  suite(`statement format on ${name}`, async () => {
    const database: Database = await use()
    const file = join(database.dataFolder, FILE)
    writeFileSync(file, '20\ttwenty\n21\ttwenty-one\n')
    after(() => rmSync(file))

    for (const [what, format, statement] of CASES) {
      test(`${what} is an error with the statement`, async () => {
        const scene = await sceneOf(database, TABLES)
        await using task = await TaskRun.start(scene, NO_DATA)
        await task.until(isStreaming)
        await run(scene, [`SET SESSION binlog_format = '${format}'`, statement])

        const error = await task.failure()

        assert.equal(error.code, 'STATEMENT_FORMAT')
        assert.match(
          error.message,
          /^Received DML '.+' for processing at binlog\.\d+:\d+: [^]*SET GLOBAL binlog_format = 'ROW'/,
        )
      })
    }

    test('with event.processing.failure.handling.mode=warn, each statement is logged and the others are events', async () => {
      const scene = await sceneOf(database, TABLES)
      await using task = await TaskRun.start(scene, { ...NO_DATA, 'event.processing.failure.handling.mode': 'warn' })
      await task.until(isStreaming)
      const statements = CASES.map(([, , statement]) => statement)
      await run(scene, [
        "SET SESSION binlog_format = 'STATEMENT'",
        ...statements,
        "SET SESSION binlog_format = 'ROW'",
        "INSERT INTO u VALUES (100, 'row')",
      ])

      assert.deepEqual(await task.untilChanges(1), ['c 100 row'])
      assert.equal(task.logger.matching('An event is left out').length, statements.length)
    })
  })
}
