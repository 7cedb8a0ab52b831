/** snapshot.select.statement.overrides: which rows a snapshot yields, and which statements it refuses. */
import { databaseAccounts, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const LIST = 'snapshot.select.statement.overrides'

function overriding({ schema }: Scene, statement: string, table = 't'): Readonly<Record<string, string>> {
  return { [LIST]: `${schema}.${table}`, [`${LIST}.${schema}.${table}`]: statement.replaceAll('$', schema) }
}

const ALL_TYPES = `CREATE TABLE t (id INT PRIMARY KEY, f FLOAT, d DOUBLE, b BIGINT UNSIGNED, m DECIMAL(20,4), y YEAR,
    da DATE, ti TIME(6), dt DATETIME(6), ts TIMESTAMP(6) NULL, bi BIT(4), tx VARCHAR(20) CHARACTER SET latin1, lt LONGTEXT,
    bl BLOB, bn BINARY(4), j JSON, e ENUM('a','b c','é'), s SET('x','y','z'), un TINYINT UNSIGNED, sm SMALLINT) CHARSET utf8mb4;
  INSERT INTO t VALUES (1, 16777216, 0.1, 18446744073709551615, -1234.5678, 1999, '2024-02-29', '-838:59:59', '2024-02-29 23:59:59.999999',
    '2038-01-19 03:14:07', b'1010', 'é', REPEAT('漢', 300), x'00ff', x'0102', '{"a": [1, "b"]}', 'é', 'x,z', 200, -5),
    (2, -0.0, 1e300, 0, 0, 1901, '1000-01-01', '00:00:00.000001', '9999-12-31 00:00:00', '1970-01-01 00:00:01.5', b'0', '', '', '', '', '[]', 'a', '', 0, 0),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

for (const [flavor, open] of [['MySQL', useMySql] as const, ['MariaDB', useMariaDb] as const]) {
  test(`${flavor}, a statement yields its rows in its order, with the values of a snapshot without it`, async () => {
    const scene = await sceneOf(await open(), `SET time_zone = '+00:00'; ${ALL_TYPES}`)
    await using whole = await TaskRun.start(scene, {})
    await whole.until(isCompleted)
    const statement = 'SELECT * FROM $.t WHERE id <> 7 ORDER BY id DESC;'
    await using run = await TaskRun.start(scene, { ...overriding(scene, statement), 'snapshot.max.threads': '2' })
    await run.until(isCompleted)
    assert.equal(whole.events.length, 3)
    assert.deepEqual(
      run.events.map(({ after }) => after),
      whole.events.map(({ after }) => after).toReversed(),
    )
    assert.deepEqual(
      run.events.map(({ marker }) => marker),
      ['first', 'true', 'last'],
    )
  })

  test(`${flavor}, a statement that does not return rows of the table is refused with table and statement`, async () => {
    const scene = await sceneOf(
      await open(),
      `CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, e ENUM('a','b'), n DECIMAL(8,2)) CHARSET utf8mb4;
       INSERT INTO t VALUES (1, 'one', 'a', 1.5); CREATE TABLE log (id INT)`,
    )
    // The administrator may do everything: the user of a connector may not delete rows or write files.
    const { user, password } = databaseAccounts.root
    const config = { 'database.user': user, 'database.password': password }
    const table: readonly (readonly [statement: string, code: string, reason: RegExp])[] = [
      ['SELEKT 1', 'SNAPSHOT_SELECT_REFUSED', /You have an error in your SQL syntax/],
      ['SELECT * FROM $.nothing', 'SNAPSHOT_SELECT_REFUSED', /nothing' doesn't exist/],
      ['SELECT * FROM $.t; DELETE FROM $.t', 'SNAPSHOT_SELECT_REFUSED', /syntax/],
      ['DELETE FROM $.t', 'SNAPSHOT_SELECT_REFUSED', /READ ONLY transaction/],
      ['DROP TABLE $.log', 'SNAPSHOT_SELECT_COLUMNS', /is no statement that returns rows/],
      ["SELECT * FROM $.t INTO OUTFILE '/tmp/$.txt'", 'SNAPSHOT_SELECT_COLUMNS', /is no statement that returns rows/],
      ['SELECT id, name, e FROM $.t', 'SNAPSHOT_SELECT_COLUMNS', /does not select the column 'n'/],
      ['SELECT t.*, 1 AS extra FROM $.t t', 'SNAPSHOT_SELECT_COLUMNS', /has no column named 'extra'/],
      ['SELECT t.*, t.id FROM $.t t', 'SNAPSHOT_SELECT_COLUMNS', /two of its columns are named 'id'/],
      ['SELECT id + 0 AS id, name, e, n FROM $.t', 'SNAPSHOT_SELECT_COLUMNS', /column 'id' is of another type/],
      ['SELECT id, name, e, n + 0.001 AS n FROM $.t', 'SNAPSHOT_SELECT_COLUMNS', /column 'n' is of another type/],
      ['SELECT id, name, UPPER(e) AS e, n FROM $.t', 'SNAPSHOT_SELECT_COLUMNS', /column 'e' is of another type/],
      [
        'SELECT id, NULL AS name, e, n FROM $.t',
        'SNAPSHOT_SELECT_COLUMNS',
        /always NULL, but that of the table is NOT/,
      ],
      ["SELECT id, NULLIF(name, 'one') AS name, e, n FROM $.t", 'SNAPSHOT_SELECT_COLUMNS', /a row has NULL in 'name'/],
      [
        'SELECT id, CONVERT(name USING latin1) AS name, e, n FROM $.t',
        'SNAPSHOT_SELECT_COLUMNS',
        /another character set .*latin1 instead of utf8mb4/,
      ],
    ]
    for (const [statement, code, reason] of table) {
      await using run = await TaskRun.start(scene, { ...config, ...overriding(scene, statement) })
      const error = await run.failure()
      assert.equal(error.code, code, `${statement}: ${error.message}`)
      assert.match(error.message, reason)
      assert.ok(error.message.includes(`${LIST}.${scene.schema}.t (`), error.message)
      assert.ok(error.message.includes(statement.replaceAll('$', scene.schema)), error.message)
      assert.deepEqual(run.changes, [])
    }
  })
}

test('a statement may replace a column by NULL, change a text, and leave out what no event contains', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `CREATE TABLE t (id INT PRIMARY KEY, secret VARCHAR(20), name VARCHAR(20), gone INT); INSERT INTO t VALUES (1, 's', 'one', 5)`,
  )
  const statement = "SELECT CONCAT(name, '!') AS NAME, NULL AS secret, id FROM $.t"
  const exclude = { 'column.exclude.list': '.*\\.gone' }
  await using run = await TaskRun.start(scene, { ...overriding(scene, statement), ...exclude })
  assert.deepEqual(await run.untilChanges(1), ['r 1 null one!'])
})

test('a column that a converter makes optional may be NULL: its zero dates are', async () => {
  const scene = await sceneOf(
    await useMySql(),
    "SET sql_mode = ''; CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL); INSERT INTO t VALUES (1, '0000-00-00')",
  )
  const converter = { converters: 'z', 'z.type': 'io.debezium.connector.binlog.converters.ZeroDateFallbackConverter' }
  await using run = await TaskRun.start(scene, { ...overriding(scene, 'SELECT * FROM $.t'), ...converter })
  assert.deepEqual(await run.untilChanges(1), ['r 1 null'])
})

test('a statement cannot change the database through a function', async () => {
  const scene = await sceneOf(
    await useMySql(),
    `CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1); CREATE TABLE log (id INT);
     SET GLOBAL log_bin_trust_function_creators = 1;
     CREATE FUNCTION note(n INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO log VALUES (n); RETURN n; END`,
  )
  await scene.database.query(`GRANT EXECUTE ON ${scene.schema}.* TO debezium`).catch(() => undefined)
  const statement = 'SELECT t.id FROM $.t t WHERE $.note(t.id) > 0'
  await using run = await TaskRun.start(scene, overriding(scene, statement))
  const error = await run.failure()
  assert.equal(error.code, 'SNAPSHOT_SELECT_REFUSED')
  assert.match(error.message, /READ ONLY transaction/)
  assert.deepEqual(await scene.database.query(`SELECT id FROM ${scene.schema}.log`), [])
})

test('a table without a statement, and a statement for no table, are warnings, and the rows are read as usual', async () => {
  const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
  const { schema } = scene
  await using run = await TaskRun.start(scene, {
    [LIST]: `${schema}.t,${schema}.other`,
    [`${LIST}.${schema}.other`]: 'SELECT 1',
    [`${LIST}.${schema}.third`]: 'SELECT 1',
  })
  await run.until(isStreaming)
  assert.deepEqual(run.changes, ['r 1'])
  assert.equal(run.logger.matching(`names ${schema}.t, but ${LIST}.${schema}.t has no statement`).length, 1)
  assert.equal(run.logger.matching(`does not name the table ${schema}.third`).length, 1)
  assert.equal(run.logger.matching(`reads no rows of ${schema}.other`).length, 1)
})
