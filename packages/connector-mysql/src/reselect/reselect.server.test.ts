/** Columns that are read again, on real servers: each row is changed before the task reads the event of its insert. */
import { casesOfTier, type Database, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const RESELECT: Readonly<Record<string, string>> = {
  'post.processors': 'r',
  'post.processors.r.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
}

interface Changed {
  readonly scene: Scene
  readonly run: TaskRun
}

/** A task that streams, whose database has changed since by the statements. */
async function changed(
  [database, tables, statements]: readonly [database: Database, tables: string, statements: string],
  more: Readonly<Record<string, string>>,
): Promise<Changed & AsyncDisposable> {
  const scene = await sceneOf(database, tables)
  await using stack = new AsyncDisposableStack()
  const run = stack.use(await TaskRun.start(scene, { ...RESELECT, ...more }))
  await run.until(isStreaming)
  await database.query(`USE ${scene.schema}; ${statements}`)
  const kept = stack.move()
  return { scene, run, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Definitions of keys, with a value and another one, which differ in all that a literal may lose. */
const KEYS: readonly (readonly [definition: string, value: string, other: string])[] = [
  ['INT', '-5', '5'],
  ['TINYINT UNSIGNED', '255', '1'],
  ['BIGINT UNSIGNED', '18446744073709551615', '18446744073709551614'],
  ['BIGINT', '-9223372036854775808', '9223372036854775807'],
  ['DECIMAL(30,4)', '12345678901234567890123456.7890', '-0.0001'],
  ['VARCHAR(20)', "'Ünï’'", "'\\\\'"],
  ['VARCHAR(20) CHARACTER SET latin1', "'äß'", "'a'"],
  ['CHAR(8)', "'a''b'", "'c'"],
  // Two codes of one character.
  ['VARCHAR(20) CHARACTER SET cp932', "_cp932 x'EEEF'", "_cp932 x'FA40'"],
  ['VARCHAR(20) CHARACTER SET gbk', "'誠'", "_gbk x'A2A0'"],
  ['CHAR(8) CHARACTER SET utf16', "'漢😀'", "'漢'"],
  ['BINARY(4)', "x'00ff27'", "x'00ff27ff'"],
  ['VARBINARY(9)', "x''", "x'00'"],
  ['DATE', "'1999-12-31'", "'2024-02-29'"],
  ['DATETIME(3)', "'1969-12-31 23:59:59.999'", "'2024-02-29 01:02:03.004'"],
  ['DATETIME(6)', "'1969-12-31 23:59:59.999999'", "'2024-02-29 01:02:03.000004'"],
  ['TIMESTAMP(6)', "'2024-02-29 01:02:03.000004'", "'2038-01-01 00:00:00'"],
  ['TIME(6)', "'-00:00:00.000001'", "'12:00:00'"],
  ['BIT(9)', "b'100000001'", "b'1'"],
  ['YEAR', '2024', '1999'],
  ["ENUM('a','b')", "'b'", "'a'"],
  ["SET('x','y')", "'x,y'", "''"],
]

const FORMS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'time.precision.mode': 'isostring', 'decimal.handling.mode': 'string', 'binary.handling.mode': 'hex' },
  {
    'time.precision.mode': 'nanoseconds',
    'bigint.unsigned.handling.mode': 'precise',
    'binary.handling.mode': 'base64-url-safe',
    'post.processors.r.reselect.use.event.key': 'true',
  },
]

for (const { title, open } of casesOfTier('reselect', [
  { title: 'MySQL', open: useMySql },
  { title: 'MariaDB', open: useMariaDb },
])) {
  describe(title, () => {
    for (const form of FORMS) {
      test(`a row is found by a key of any type ${JSON.stringify(form)}`, async () => {
        const database = await open()
        const times = form['time.precision.mode'] === 'isostring'
        // A negative TIME has no ISO form.
        const keys = KEYS.filter(([definition]) => !(times && definition.startsWith('TIME(')))
        const tables = keys
          .map(([definition], i) => `CREATE TABLE k${i} (k ${definition} NOT NULL PRIMARY KEY, v VARCHAR(9), n INT)`)
          .join('; ')
        const statements = keys
          .map(([, value, other], i) =>
            [
              `INSERT INTO k${i} VALUES (${value}, NULL, NULL), (${other}, 'kept', 0)`,
              `UPDATE k${i} SET v = 'now', n = ${i} WHERE v IS NULL`,
            ].join('; '),
          )
          .join('; ')
        await using task = await changed([database, tables, `SET time_zone = '+00:00'; ${statements}`], form)

        await task.run.untilChanges(3 * keys.length)

        assert.deepEqual(
          task.run.events.map(({ op, table, after }) => [op, table, ...(after?.slice(1) ?? [])].join(' ')),
          keys.flatMap((_, i) => [`c k${i} now ${i}`, `c k${i} kept 0`, `u k${i} now ${i}`]),
        )
        assert.deepEqual(task.run.logger.matching(/cannot be read again|trying again in/), [])
      })
    }

    test('values have the forms of a snapshot: numbers, times, texts in their character set', async () => {
      const columns =
        "id INT PRIMARY KEY, f FLOAT, d DECIMAL(8,2), t DATETIME(6), s TIMESTAMP(3) NULL, e ENUM('a','b'), l TEXT CHARACTER SET latin1, b VARBINARY(4), o TINYINT(1)"
      const row =
        "f = 0.1, d = 1.50, t = '2024-02-29 01:02:03.000004', s = '2024-02-29 01:02:03.120', e = 'b', l = 'äß', b = x'00ff', o = 2"
      const converter = {
        converters: 'c',
        'c.type': 'io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter',
      }
      const statements = `SET time_zone = '+00:00'; INSERT INTO t (id) VALUES (1); UPDATE t SET ${row}`
      await using task = await changed([await open(), `CREATE TABLE t (${columns})`, statements], converter)

      await task.run.untilChanges(2)

      const [inserted, updated] = task.run.events
      assert.deepEqual(inserted?.after, updated?.after)
      assert.equal(inserted?.after?.at(-1), 'true')
    })

    test('lists choose columns as database.table:column; an event without NULL is not read again', async () => {
      const tables =
        'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE u (id INT PRIMARY KEY, a INT, b INT)'
      const change = (table: string): string =>
        `INSERT INTO ${table} VALUES (1, NULL, NULL), (2, 5, 5); UPDATE ${table} SET a = 7, b = 8`
      const included = { 'post.processors.r.reselect.columns.include.list': String.raw`.*\.T:a` }
      const statements = `${change('t')}; ${change('u')}`
      await using some = await changed([await open(), tables, statements], included)
      await some.run.untilChanges(8)
      assert.deepEqual(
        some.run.events.filter(({ op }) => op === 'c').map(({ table, after }) => `${table} ${after?.join(' ')}`),
        ['t 1 7 null', 't 2 5 5', 'u 1 null null', 'u 2 5 5'],
      )
      const excluded = { 'post.processors.r.reselect.columns.exclude.list': String.raw`.*:a, .*\.u:.*` }
      await using others = await changed([await open(), tables, statements], excluded)
      await others.run.untilChanges(8)
      assert.deepEqual(
        others.run.events.filter(({ op }) => op === 'c').map(({ table, after }) => `${table} ${after?.join(' ')}`),
        ['t 1 null 8', 't 2 5 5', 'u 1 null null', 'u 2 5 5'],
      )
    })

    test('masks apply to values that are read again; a text like an unavailable value is read again', async () => {
      const masks = {
        'column.mask.hash.v2.MD5.with.salt.x': '.*\\.secret',
        'column.truncate.to.2.chars': '.*\\.note',
        'unavailable.value.placeholder': 'hex:6e6f6e65',
      }
      const tables = 'CREATE TABLE t (id INT PRIMARY KEY, secret TEXT, note TEXT, open TEXT)'
      const statements =
        "INSERT INTO t VALUES (1, NULL, NULL, 'none'); UPDATE t SET secret = 's3cret', note = 'abc', open = 'now'"
      await using task = await changed([await open(), tables, statements], masks)

      await task.run.untilChanges(2)

      // echo -n xs3cret | md5sum
      assert.deepEqual(task.run.changes[0], 'c 1 03f332c59c8650bb460fe147a53f70c5 ab now')
    })

    test('a row whose key has the form of another row is not read again: converted values, zero dates', async () => {
      const converter = {
        converters: 'c',
        'c.type': 'io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter',
        'c.selector.boolean': String.raw`.*\.flag\.k`,
      }
      const tables =
        'CREATE TABLE flag (k INT PRIMARY KEY, v VARCHAR(9)); CREATE TABLE day (k DATE NOT NULL PRIMARY KEY, v VARCHAR(9))'
      const statements = `SET sql_mode = ''; INSERT INTO flag VALUES (5, NULL), (1, 'other');
        INSERT INTO day VALUES ('0000-00-00', NULL), ('1970-01-01', 'other'), ('1970-01-02', NULL);
        UPDATE flag SET v = 'five' WHERE k = 5; UPDATE day SET v = 'now' WHERE v IS NULL`
      await using task = await changed([await open(), tables, statements], converter)

      await task.run.untilChanges(8)

      assert.deepEqual(task.run.changes.slice(0, 5), ['c 1 null', 'c 1 other', 'c 0 null', 'c 0 other', 'c 1 now'])
    })

    test('a row that no longer exists keeps its values with a warning, or fails the task', async () => {
      const tables = 'CREATE TABLE t (id INT PRIMARY KEY, a INT)'
      const statements = 'INSERT INTO t VALUES (1, NULL); DELETE FROM t'
      await using warned = await changed([await open(), tables, statements], {})
      assert.deepEqual((await warned.run.untilChanges(2))[0], 'c 1 null')
      assert.equal(warned.run.logger.matching(/Failed to find a row of .*\.t whose columns/).length, 1)

      const fail = { 'post.processors.r.reselect.error.handling.mode': 'FAIL' }
      await using failed = await changed([await open(), tables, statements], fail)
      assert.equal((await failed.run.failure()).code, 'RESELECT_NOT_FOUND')
    })

    test('a column that was dropped since keeps its value with a warning, or fails the task', async () => {
      const tables = 'CREATE TABLE t (id INT PRIMARY KEY, a INT)'
      const statements = 'INSERT INTO t VALUES (1, NULL); ALTER TABLE t DROP a'
      await using warned = await changed([await open(), tables, statements], {})
      assert.deepEqual((await warned.run.untilChanges(1))[0], 'c 1 null')
      assert.equal(warned.run.logger.matching(/Failed to read columns of a row of .*\.t again/).length, 1)

      const fail = { 'post.processors.r.reselect.error.handling.mode': 'fail' }
      await using failed = await changed([await open(), tables, statements], fail)
      assert.equal((await failed.run.failure()).code, 'RESELECT_FAILED')
    })

    test('a connection that is lost between two events is opened again', async () => {
      const tables = 'CREATE TABLE t (id INT PRIMARY KEY, a INT)'
      await using task = await changed([await open(), tables, 'INSERT INTO t VALUES (1, NULL); UPDATE t SET a = 1'], {})
      await task.run.untilChanges(2)
      const { database, schema } = task.scene
      const sessions = await database.query(
        "SELECT id FROM information_schema.processlist WHERE user = 'debezium' AND command = 'Sleep'",
      )
      for (const { id } of sessions) await database.query(`KILL ${String(id)}`).catch(() => undefined)
      await database.query(`INSERT INTO ${schema}.t VALUES (2, NULL)`)
      await database.query(`UPDATE ${schema}.t SET a = 2 WHERE id = 2`)

      assert.deepEqual((await task.run.untilChanges(4)).slice(2), ['c 2 2', 'u 2 2'])
      assert.equal(task.run.logger.matching(/reading columns of a row .*trying again/).length, 1)
    })

    test('rows of a table without a key, and of a snapshot, are not read again', async () => {
      const tables =
        'CREATE TABLE t (a INT, b INT); CREATE TABLE s (id INT PRIMARY KEY, a INT); INSERT INTO s VALUES (1, NULL)'
      const statements = 'INSERT INTO t VALUES (1, NULL); UPDATE t SET b = 2'
      await using task = await changed([await open(), tables, statements], {})
      assert.deepEqual(await task.run.untilChanges(3), ['r 1 null', 'c 1 null', 'u 1 2'])
    })
  })
}
