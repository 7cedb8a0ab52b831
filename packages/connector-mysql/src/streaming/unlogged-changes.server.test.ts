/**
 * Tables that are changed without the binlog so that table maps do not show it: each event has the values that the
 * server itself returns for the row, or the table alone is stopped. A statement that only changes the numbers of tables has no effect.
 */
import { type SourceRecord, Struct } from '@tributary/connect-api'
import { casesOfTier, type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runStatements } from '../testing/run-statements.ts'
import { isStreaming, type Scene, TaskRun } from '../testing/task-run.ts'
import {
  assertUnnoticed,
  exchangeWhileBusy,
  exchangeWhileStopped,
  finish,
  openScene,
  rowsOf,
  rowsOfServer,
  streamingOffset,
  SWAP,
  UNLOGGED,
} from '../testing/unlogged-changes.ts'

for (const [flavor, start, metadata, idle] of casesOfTier('unlogged changes', [
  ['mysql', startMySql, 'MINIMAL', 'stopped'],
  ['mariadb', startMariaDb, 'NO_LOG', 'all'],
] as const)) {
  describe(flavor, () => {
    let database: DatabaseServer
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    const open = (tables?: string): Promise<Scene> => openScene(database, metadata, tables)

    test('columns that exchange their names while a busy table is streamed', { timeout: 60_000 }, async () => {
      await exchangeWhileBusy(await open())
    })

    test('columns that exchange their names while the task is stopped', { timeout: 60_000 }, async () => {
      assert.equal(await exchangeWhileStopped(await open()), idle)
    })

    test('the key and the members of later rows are not those of earlier ones', { timeout: 60_000 }, async () => {
      const scene = await open(
        "CREATE TABLE t (id INT, code INT NOT NULL, e ENUM('x', 'y')); CREATE TABLE done (id INT PRIMARY KEY)",
      )
      const stored = await streamingOffset(scene)
      await runStatements(scene, [
        "INSERT INTO t VALUES (1, 1, 'x')",
        'ALTER TABLE t ADD UNIQUE (code)',
        "INSERT INTO t VALUES (2, 2, 'y')",
        "ALTER TABLE t MODIFY e ENUM('x', 'y', 'z')",
        "INSERT INTO t VALUES (3, 3, 'z')",
        'ALTER TABLE t DROP KEY code',
        "ALTER TABLE t ADD KEY k (id), MODIFY e ENUM('x', 'y', 'z', 'u')",
        "INSERT INTO t VALUES (4, 4, 'z')",
      ])
      await using task = await TaskRun.start(scene, {}, stored)
      const keys: string[] = []
      task.onRecord = ({ topic, key }: SourceRecord) => {
        if (topic.endsWith('.t'))
          keys.push(key instanceof Struct ? key.schema.fields.map(({ name }) => name).join() : '')
      }
      await finish(task, scene)
      assert.deepEqual(keys, ['', 'code', 'code', ''])
      assertUnnoticed(task)
    })

    test('a statement in the binlog after the exchange', { timeout: 60_000 }, async () => {
      const scene = await open()
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
      const scene = await open('CREATE TABLE done (id INT PRIMARY KEY)')
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
