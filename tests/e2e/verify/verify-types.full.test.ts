/** Columns of every type, from the snapshot and from the stream: equal rows are recognized as equal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Database,
  eventually,
  readTopic,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { capture, resultOf, verifyAll } from './verify-bed.ts'

const servers: readonly (readonly [name: string, use: () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

const columns = `
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, tiny TINYINT, small SMALLINT UNSIGNED, medium MEDIUMINT, filled INT(6) ZEROFILL,
  big BIGINT, unsigned_big BIGINT UNSIGNED, exact DECIMAL(20,6), rounded DECIMAL(9,0), single FLOAT, twice DOUBLE,
  bit1 BIT(1), bits BIT(17), year YEAR, day DATE, at0 DATETIME, at3 DATETIME(3), at6 DATETIME(6), instant TIMESTAMP(4) NULL,
  time0 TIME, time6 TIME(6), fixed CHAR(9), text1 VARCHAR(60) CHARACTER SET latin1, text4 VARCHAR(60) CHARACTER SET utf8mb4,
  text16 VARCHAR(60) CHARACTER SET utf16, long_text MEDIUMTEXT, kind ENUM('a','b,c','d''e'), kinds SET('x','y','z'),
  padded BINARY(6), bytes VARBINARY(20), blobs MEDIUMBLOB, document JSON, place POINT, shape GEOMETRY`

const rows: readonly string[] = [
  `-128, 65535, -8388608, 42, -9223372036854775808, 18446744073709551615, -12345678901234.567890, 999999999, 1.1, 1e300,
    b'1', b'10000000000000001', 1901, '0101-01-01', '1000-01-01 00:00:00', '9999-12-31 23:59:59.999',
    '1684-05-01 12:00:00.000001', '1970-01-01 00:00:01.0001', '-838:59:59', '838:59:58.999999', 'end  ', 'naïve',
    'smile 😀 \\\\ " \\n', 'Ω mega', REPEAT('long ', 20000), 'b,c', 'x,z', x'010000', x'00ff00', REPEAT(x'ab', 70000),
    '{"b": 1.50, "a": [true, null, "é", 12345678901234567890, 1e3]}', POINT(1.5, -2.25),
    ST_GeomFromText('LINESTRING(0 0, 1 1, 2 4)')`,
  `127, 0, 8388607, 0, 9007199254740993, 9223372036854775808, 0.000001, -1, -0.0, 0.1, b'0', b'0', 2155, '2026-11-25',
    '2026-11-25 12:34:56', '2026-11-25 12:34:56.120', '2255-06-05 23:47:34.740993', '2026-11-25 12:34:56.1000', '00:00:00',
    '-00:00:00.000001', '', '', '', '', '', 'a', '', '', '', '', '{}', POINT(0, 0), POINT(0, 0)`,
  Array.from({ length: 33 }, () => 'NULL').join(', '),
]

for (const [flavor, use] of servers) {
  test(`${flavor}: values of every type equal those of their records`, async () => {
    const database = await use()
    const { bootstrapServers } = await useKafka()
    const name = uniqueName('types')
    const insert = (first: number): string =>
      rows
        .map((row, i) => `INSERT INTO ${name}.t VALUES (${i === 0 ? '18446744073709551' : ''}${first + i}, ${row})`)
        .join(';')
    await database.query(`
      CREATE DATABASE ${name}; USE ${name}; SET time_zone = '+00:00', sql_mode = '';
      CREATE TABLE t (${columns}); ${insert(100)};
      CREATE TABLE pairs (a VARCHAR(20) CHARACTER SET latin1, b DATETIME(3), c BINARY(4), d INT, PRIMARY KEY (a, b, c));
      INSERT INTO pairs VALUES ('é', '2026-11-25 10:00:00.125', x'0102', 1), ('E', '2026-11-25 10:00:00', x'00000001', 2);
      CREATE TABLE kinds (k ENUM('b','a') NOT NULL PRIMARY KEY, v INT);
      INSERT INTO kinds VALUES ('a', 1), ('b', 2);
      CREATE TABLE keyless (a INT);
      CREATE TABLE old_engine (a INT PRIMARY KEY) ENGINE=MyISAM`)
    await using service = await startService({ bootstrapServers })
    const bed = { database, bootstrapServers, service, name }
    await capture(bed, {
      'column.mask.with.5.chars': `${name}.pairs.none`,
      'column.exclude.list': `${name}.kinds.none`,
    })
    await eventually(
      'the snapshot is in the topic',
      async () => (await readTopic(bootstrapServers, `${name}.${name}.t`)).length >= 3,
    )
    await database.query(`${insert(200)}; UPDATE ${name}.kinds SET v = 3 WHERE k = 'a'`)
    const run = await verifyAll(bed)
    const equal = (table: string): unknown => [
      `${name}.${table}`,
      'EQUAL',
      { missing: 0, extra: 0, different: 0, tombstones: 0, note: null, unproven: [], differences: [] },
    ]
    assert.equal(run.error, null)
    assert.deepEqual(
      run.tables.filter(({ state }) => state !== 'REFUSED').map((table) => resultOf(table)),
      ['kinds', 'pairs', 't'].map(equal),
    )
    assert.deepEqual(
      run.tables.filter(({ state }) => state === 'REFUSED').map(({ table, note }) => [table, note]),
      [
        [`${name}.keyless`, 'its events have no key, so that no record can be attributed to a row'],
        [
          `${name}.old_engine`,
          'its engine MyISAM has no consistent reads, so that it cannot be read as of one position',
        ],
      ],
    )
    assert.deepEqual(
      run.tables.map(({ rows_equal: count }) => count),
      [0, 2, 0, 2, 6],
    )
  })
}
