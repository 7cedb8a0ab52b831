import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, type SeededRandom, seededRandom, uniqueName, useMySql } from '@tributary/testkit'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { endOfBinlog, insertedRows, loginOf, openBinlog, readEvents } from '../testing/live-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import { RowCodec } from './row-codec.ts'

const TARGETS = [textTarget('integer'), textTarget('json')]

/** SQL expressions for values that JSON text cannot represent. */
const EXPRESSIONS = [
  ...['0', '-0.0', '1.50', '-99999999999999999999999999999999999.123456789012345678901234567890', '0.000001'].map(
    (text) => `CAST(${text} AS JSON)`,
  ),
  "CAST(CAST('123.4500' AS DECIMAL(10,4)) AS JSON)",
  "CAST(CAST('-0.05' AS DECIMAL(3,2)) AS JSON)",
  "CAST(CAST('99999999999999999999999999999999999999999999999999999999999999999' AS DECIMAL(65,0)) AS JSON)",
  "CAST(CAST('0.999999999999999999999999999999' AS DECIMAL(30,30)) AS JSON)",
  "CAST(DATE '2024-02-29' AS JSON)",
  "CAST(CAST('0000-00-00' AS DATE) AS JSON)",
  "CAST(DATE '9999-12-31' AS JSON)",
  "CAST(TIMESTAMP '2024-02-29 23:59:59.999999' AS JSON)",
  "CAST(TIMESTAMP '1000-01-01 00:00:00' AS JSON)",
  "CAST(TIME '-838:59:59' AS JSON)",
  "CAST(TIME '838:59:59.000000' AS JSON)",
  "CAST(TIME '-00:00:00.000001' AS JSON)",
  "CAST(TIME '00:00:00' AS JSON)",
  'CAST(CAST(2024 AS YEAR) AS JSON)',
  "CAST(b'1010101' AS JSON)",
  "CAST(x'00ff10' AS JSON)",
  "CAST(REPEAT(x'fe', 57) AS JSON)",
  "CAST(REPEAT(x'fe', 58) AS JSON)",
  "CAST(REPEAT(x'0102', 600) AS JSON)",
  "JSON_OBJECT('d', CAST('1.10' AS DECIMAL(4,2)), 't', TIMESTAMP '2000-01-01 01:02:03.4', 'b', x'00')",
  'JSON_ARRAY(TRUE, FALSE, NULL, 18446744073709551615, -9223372036854775808, 9223372036854775807)',
  "JSON_OBJECT(REPEAT('k', 65535), 1)",
  "JSON_OBJECT('', '', 'a', REPEAT('x', 127), 'b', REPEAT('x', 128), 'c', REPEAT('y', 16383), 'd', REPEAT('y', 16384))",
  "JSON_ARRAY(REPEAT('z', 70000), 1, 65536, -40000)",
  "JSON_ARRAY(REPEAT('z', 2100000))",
  "CAST(ST_GeomFromText('POINT(1 2)') AS JSON)",
  '(SELECT JSON_ARRAYAGG(n) FROM (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900) SELECT n FROM c) AS numbers)',
  `CONCAT(REPEAT('[', 100), REPEAT(']', 100))`,
  `CONCAT(REPEAT('{"a":', 99), 'null', REPEAT('}', 99))`,
]

/** Columns whose values become parts of a document. */
const TYPED = [
  ["ENUM('a','b')", "'b'"],
  ["SET('x','y')", "'x,y'"],
  ['BIT(9)', '257'],
  ['BIT(1)', '1'],
  ['YEAR', '2020'],
  ['POINT', 'POINT(1, -2.5)'],
  ['GEOMETRY SRID 4326', "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(48.5 2.25))', 4326)"],
  ['TINYINT UNSIGNED', '255'],
  ['BIGINT UNSIGNED', '18446744073709551615'],
  ['DECIMAL(65,30)', '-0.000000000000000000000000000001'],
  ['FLOAT', '0.1'],
  ['DOUBLE', '-1e-300'],
  ['DATE', "'2020-02-09'"],
  ['TIME(6)', "'-838:59:58.999999'"],
  ['DATETIME(3)', "'2020-02-09 12:34:56.789'"],
  ['TIMESTAMP(6) NULL', "'2020-02-09 12:34:56.789'"],
  ['BINARY(5)', "'ab'"],
  ['VARBINARY(5)', "X'FF00'"],
  ['TINYBLOB', "X'00'"],
  ['BLOB', "X'FE'"],
  ['MEDIUMBLOB', "X'FE'"],
  ['LONGBLOB', "X'FE'"],
  ['CHAR(5) CHARACTER SET latin1', "'é'"],
  ['TEXT CHARACTER SET utf16', "'é😀'"],
  ['JSON', "'[1.50]'"],
] as const

/** Doubles whose text has every shape: whole, fraction, both exponents, and the ends of the range. */
function doubles(random: SeededRandom): string[] {
  const fixed = ['1e15', '1e16', '123456789012345680', '1e-14', '1e-15', '1e-16', '5e-324', '1.7976931348623157e308']
  const bits = Buffer.alloc(8)
  const drawn = Array.from({ length: 400 }, () => {
    random.bytes(8).copy(bits)
    const value = bits.readDoubleLE()
    return Number.isFinite(value) ? value : 0.1
  })
  const near = Array.from({ length: 400 }, () => (random() - 0.5) * 10 ** random.integer(-22, 23))
  // toExponential: JavaScript's own text of a whole number would be read as an integer.
  return [...fixed, ...[...drawn, ...near].map((value) => value.toExponential())]
}

function document(random: SeededRandom, depth: number): unknown {
  const kind = random.integer(0, depth === 0 ? 7 : 10)
  switch (kind) {
    case 0:
      return null
    case 1:
      return random() < 0.5
    case 2:
      return random.pick([
        0,
        1,
        -1,
        32767,
        32768,
        -32768,
        -32769,
        65535,
        65536,
        2 ** 31 - 1,
        2 ** 31,
        -(2 ** 31),
        2 ** 32,
      ])
    case 3:
      return random.integer(-(2 ** 40), 2 ** 40)
    case 4:
      return random() * 10 ** random.integer(-5, 6)
    case 5:
    case 6:
      return text(random)
    case 7:
      return Array.from({ length: random.integer(0, 8) }, () => document(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.integer(0, 8) }, () => [text(random), document(random, depth - 1)]),
      )
  }
}

const PIECES = [
  'a',
  'Z',
  '"',
  '\\',
  '/',
  '\b',
  '\t',
  '\n',
  '\f',
  '\r',
  '\u0000',
  '\u001f',
  '\u007f',
  'é',
  '漢',
  '😀',
  ' ',
  ': ',
  ', ',
]

function text(random: SeededRandom): string {
  return Array.from({ length: random.integer(0, 12) }, () => random.pick(PIECES)).join('')
}

/** Removes the spaces between tokens with a regular expression for tokens, independently of the code under test. */
function withoutSpaces(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}

async function fill(server: Database, database: string): Promise<number> {
  const random = seededRandom(5)
  const texts = [
    ...doubles(random),
    ...Array.from({ length: 600 }, () => JSON.stringify(document(random, 4))),
    JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ id: i, name: `name ${i}`, big: i * 2 ** 30 }))),
    JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i * 40_000]))),
  ]
  const quoted = texts.map((json) => `X'${Buffer.from(json).toString('hex')}'`)
  const columns = TYPED.map((_, i) => `(SELECT JSON_ARRAY(c${i}, JSON_OBJECT('k', c${i})) FROM ${database}.typed)`)
  const expressions = [...quoted.map((hex) => `CONVERT(${hex} USING utf8mb4)`), ...EXPRESSIONS, ...columns]
  await server.query(
    `CREATE DATABASE ${database}; CREATE TABLE ${database}.j (id INT PRIMARY KEY AUTO_INCREMENT, j JSON);
     CREATE TABLE ${database}.typed (${TYPED.map(([type], i) => `c${i} ${type}`).join(', ')});
     INSERT INTO ${database}.typed VALUES (${TYPED.map(([, value]) => value).join(', ')})`,
  )
  await using session = await server.connect()
  // For the date 0000-00-00.
  await session.query("SET sql_mode = ''")
  for (let i = 0; i < expressions.length; i += 50) {
    const values = expressions.slice(i, i + 50).map((expression) => `(${expression})`)
    await session.query(`INSERT INTO ${database}.j (j) VALUES ${values.join(',')}`)
  }
  return expressions.length
}

async function serverTexts(server: Database, database: string): Promise<(string | null)[][]> {
  const rows = await server.query(`SELECT id, CAST(j AS BINARY) AS j FROM ${database}.j ORDER BY id`)
  return rows.map(({ id, j }) => [String(id), Buffer.isBuffer(j) ? withoutSpaces(j.toString()) : null])
}

test('binary JSON becomes the text that the server prints, without its spaces', async () => {
  const server = await useMySql()
  const database = uniqueName('json')
  await using stream = await openBinlog(server, await endOfBinlog(server))
  const count = await fill(server, database)

  const rows = await insertedRows(stream, 'j', TARGETS, count)

  const expected = await serverTexts(server, database)
  assert.equal(expected.length, count)
  for (const [i, row] of rows.entries()) assert.deepEqual(row, expected[i])

  await using connection = await MySqlConnection.open(loginOf(server))
  await connection.query('SET character_set_results = NULL')
  await using select = await RowStream.open(connection, `SELECT id, j FROM ${database}.j ORDER BY id`, 'reading')
  const codec = new TextRowCodec(TARGETS)
  for (let i = 0; !select.isDone;) {
    const row = select.next(codec)
    if (row !== null) assert.deepEqual(row, expected[i++])
    else if (!select.isDone) await select.wait()
  }
})

test('documents that the server updated in place have the text that it prints', async () => {
  const server = await useMySql()
  const database = uniqueName('json')
  await server.query(`CREATE DATABASE ${database}; CREATE TABLE ${database}.p (id INT PRIMARY KEY, j JSON)`)
  await server.query(
    `INSERT INTO ${database}.p VALUES (1, JSON_OBJECT('a', REPEAT('x', 200), 'b', 12345678, 'c', JSON_ARRAY(1, 2, 'three'), 'd', 1.5))`,
  )
  const changes = [
    "JSON_SET(j, '$.a', 'short')",
    "JSON_REPLACE(j, '$.b', 7)",
    "JSON_SET(j, '$.c[2]', 'two')",
    "JSON_REMOVE(j, '$.b')",
    "JSON_SET(j, '$.a', NULL, '$.d', REPEAT('grown', 50))",
  ]
  await using stream = await openBinlog(server, await endOfBinlog(server))
  const expected: (string | null)[][] = []
  for (const change of changes) {
    await server.query(`UPDATE ${database}.p SET j = ${change}`)
    const [row] = await server.query(`SELECT CAST(j AS CHAR) AS j FROM ${database}.p`)
    expected.push(['1', withoutSpaces(String(row?.['j']))])
  }

  const images: unknown[] = []
  await readEvents(stream, (event) => {
    if (event.tag !== 'rows' || event.table.table !== 'p') return false
    const result = RowCodec.compile(event.table, TARGETS)
    assert.ok(result.tag === 'codec')
    const { codec } = result
    event.readBefore(codec)
    images.push(event.readAfter(codec))
    return images.length === changes.length
  })

  assert.deepEqual(images, expected)
})
