/**
 * Tables that are changed without the binlog so that table maps do not show it: each event has the values that the
 * server itself returns for the row, or the table alone is stopped. What only gives tables new numbers is not noticed.
 */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runStatements, untilTablesAreOlder } from '../testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLES = 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)'
const UNLOGGED = 'SET SESSION sql_log_bin = 0'
const SWAP = [UNLOGGED, 'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a', 'SET SESSION sql_log_bin = 1']

type Row = Readonly<Record<string, string>>

/** The rows of `t` in events, with column names, in their order. */
function rowsOf(run: TaskRun): Row[] {
  const rows: Row[] = []
  run.onRecord = ({ topic, value }: SourceRecord) => {
    if (!(value instanceof Struct) || !topic.endsWith('.t')) return
    const row = value.get('after')
    if (!(row instanceof Struct)) return
    rows.push(Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))])))
  }
  return rows
}

async function rowsOfServer({ database, schema }: Scene): Promise<Row[]> {
  const rows = await database.query(`SELECT * FROM ${schema}.t ORDER BY id`)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])))
}

/** Each event is right, and rows are missing exactly when the table is stopped. */
async function assertRight(run: TaskRun, scene: Scene, rows: readonly Row[]): Promise<'all' | 'stopped'> {
  const expected = await rowsOfServer(scene)
  for (const row of rows)
    assert.deepEqual(
      row,
      expected.find(({ id }) => id === row['id']),
    )
  const stops = run.logger.matching('.t is stopped at')
  assert.equal(rows.length < expected.length, stops.length > 0, 'rows are missing exactly when the table is stopped')
  return stops.length > 0 ? 'stopped' : 'all'
}

async function finish(run: TaskRun, scene: Scene): Promise<void> {
  await runStatements(scene, ['INSERT INTO done VALUES (1)'])
  await run.until(({ events }) => events.some(({ table }) => table === 'done'))
}

async function streamingOffset(scene: Scene): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  assert.ok(task.stored !== null)
  return task.stored
}

function assertUnnoticed(run: TaskRun): void {
  const noticed = run.logger.lines.filter(({ level }) => level === 'warn' || level === 'error')
  assert.deepEqual(
    noticed.map(({ message }) => message),
    [],
  )
  const { counters } = run.meter.snapshot()
  assert.deepEqual([counters['tables.stopped'], counters['tables.healed']], [undefined, undefined])
}

for (const [flavor, start, settings] of [
  ['mysql', startMySql, ['MINIMAL', 'FULL']],
  ['mariadb', startMariaDb, ['NO_LOG', 'FULL']],
] as const) {
  describe(flavor, () => {
    let database: DatabaseServer
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    const open = async (metadata: string, tables = TABLES): Promise<Scene> => {
      await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
      return sceneOf(database, tables)
    }

    for (const metadata of settings) {
      test(
        `${metadata}: columns that exchange their names while a busy table is streamed`,
        { timeout: 60_000 },
        async () => {
          const scene = await open(metadata)
          await using task = await TaskRun.start(scene, {})
          const rows = rowsOf(task)
          await task.until(isStreaming)
          await runStatements(scene, ['INSERT INTO t (id, a, b) VALUES (1, 10, 20)'])
          await task.untilChanges(1)
          assert.deepEqual(rows, await rowsOfServer(scene))

          await runStatements(scene, SWAP)
          await untilTablesAreOlder(scene)
          // Only the rows of the new definition count: the server returns the old row under its new names, too.
          rows.length = 0
          await scene.database.query(`DELETE FROM ${scene.schema}.t`)
          let count = 1
          let isOver = false
          const writing = (async () => {
            while (!isOver) {
              count += 1
              await scene.database.query(`INSERT INTO ${scene.schema}.t (id, a, b) VALUES (${count}, 10, 20)`)
            }
            await scene.database.query(`INSERT INTO ${scene.schema}.done VALUES (1)`)
          })()
          await task.until(({ events }) => events.length > 10)
          isOver = true
          await writing
          await task.until(({ changes }) => changes.includes('c 1'))
          assert.equal(await assertRight(task, scene, rows), 'all')
          const healed = task.logger.matching('.t is read by another definition')
          assert.equal(healed.length, 1)
          assert.equal(task.meter.snapshot().counters['tables.healed'], 1)
          assert.ok(task.statements.some((sql) => sql.startsWith('CREATE TABLE `t`')))
        },
      )

      test(
        `${metadata}: columns that exchange their names in an idle table, or while the task is stopped`,
        { timeout: 60_000 },
        async () => {
          const scene = await open(metadata)
          const stored = await streamingOffset(scene)
          await runStatements(scene, SWAP)
          await untilTablesAreOlder(scene)
          await runStatements(scene, ['INSERT INTO t (id, a, b) VALUES (1, 10, 20)'])
          await using task = await TaskRun.start(scene, {}, stored)
          const rows = rowsOf(task)
          await finish(task, scene)
          const expected = flavor === 'mysql' && metadata === 'MINIMAL' ? 'stopped' : 'all'
          assert.equal(await assertRight(task, scene, rows), expected)
        },
      )
    }

    test('a statement in the binlog after the exchange', { timeout: 60_000 }, async () => {
      const scene = await open(settings[0])
      await using task = await TaskRun.start(scene, {})
      const rows = rowsOf(task)
      await task.until(isStreaming)
      await runStatements(scene, [
        ...SWAP,
        'ALTER TABLE t ADD COLUMN h INT',
        'INSERT INTO t (id, a, b) VALUES (1, 10, 20)',
        'ALTER TABLE t DROP COLUMN h',
        'INSERT INTO t (id, a, b) VALUES (2, 10, 20)',
      ])
      await finish(task, scene)
      // A row that was read while the column was there has it.
      const expected = await rowsOfServer(scene)
      for (const { h: _, ...row } of rows)
        assert.deepEqual(
          row,
          expected.find(({ id }) => id === row['id']),
        )
      const isStopped = task.logger.matching('.t is stopped at').length > 0
      assert.equal(rows.length < 2, isStopped)
    })

    test('what gives tables new numbers is not noticed', { timeout: 60_000 }, async () => {
      // From a statement of the binlog: the server prints the types otherwise.
      const types = `CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, b DECIMAL(5), c BOOLEAN, d REAL, e ENUM('x', 'y'),
        f SET('x', 'y'), g JSON, h CHAR(3) CHARACTER SET latin1, i NCHAR(3), j TEXT(10), k BLOB, l BIT, m YEAR, n SERIAL,
        o TIMESTAMP(3) NULL, p VARCHAR(5) CHARACTER SET binary, q POINT, r LONG VARCHAR, s INT AS (id + 1), u NUMERIC,
        v CHAR(0), w TINYINT(1) UNSIGNED ZEROFILL, x DOUBLE(7, 2), y FIXED, z BINARY(16)) CHARACTER SET utf8mb3;
        CREATE TABLE parts (id INT PRIMARY KEY, a INT) PARTITION BY HASH (id) PARTITIONS 3;
        CREATE TABLE keyless (a INT NOT NULL, UNIQUE (a))`
      const scene = await open(settings[0], 'CREATE TABLE done (id INT PRIMARY KEY)')
      await using task = await TaskRun.start(scene, {})
      await task.until(isStreaming)
      await runStatements(scene, types.split(';'))
      let count = 0
      const insert = async (...statements: readonly string[]): Promise<void> => {
        count += 1
        const values = ['t (id, n)', 'parts (id, a)'].map((into) => `INSERT INTO ${into} VALUES (${count}, ${count})`)
        await runStatements(scene, [...statements, ...values, `INSERT INTO keyless VALUES (${count})`])
      }
      await insert()
      await insert('FLUSH TABLES')
      await insert(
        UNLOGGED,
        'CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW SET @x = 1',
        'SET SESSION sql_log_bin = 1',
      )
      await insert(UNLOGGED, "ALTER TABLE t COMMENT 'x', ALTER a SET DEFAULT 5", 'SET SESSION sql_log_bin = 1')
      await insert('OPTIMIZE TABLE t', 'ANALYZE TABLE t')
      await insert('ALTER TABLE t ADD INDEX (a)', 'CREATE TABLE t2 LIKE t', 'TRUNCATE TABLE t2')
      await task.untilChanges(3 * count)
      assertUnnoticed(task)
    })
  })
}
