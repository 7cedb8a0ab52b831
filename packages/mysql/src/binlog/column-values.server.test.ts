import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, seededRandom, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { present } from '@tributary/support'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import type { MemberLabels } from '../resultset/binary-readers.ts'
import { BinaryRowCodec } from '../resultset/binary-row-codec.ts'
import { closePrepared, prepareSelect } from '../resultset/prepared-select.ts'
import type { RowReader } from '../resultset/row-reader.ts'
import { RowStream } from '../resultset/row-stream.ts'
import { TextRowCodec } from '../resultset/text-row-codec.ts'
import { endOfBinlog, insertedRows, loginOf, openBinlog } from '../testing/live-binlog.ts'
import { doubleText, textTarget } from '../testing/text-targets.ts'
import { requireCharset } from '../types/charset.ts'
import type { ColumnKind } from '../values/column-target.ts'

// Decodes a row of each table from the binlog and from a result set, and compares both with what the server prints.

interface ColumnCase {
  readonly type: string
  readonly kind: ColumnKind
  readonly values: readonly string[]
}

/** The expression that a snapshot selects; see `snapshotExpression` of the connector. */
function selected({ kind }: ColumnCase, name: string): string {
  if (kind === 'float' || kind === 'double') return `${name}*1e0`
  return kind === 'enum' || kind === 'set' ? `CAST(${name} AS UNSIGNED)` : name
}

/**
 * The expression by which the server prints a value; `expectedText` converts the text into the form of `textTarget`.
 */
function spoken({ kind, type }: ColumnCase, name: string): string {
  switch (kind) {
    case 'float':
    case 'double':
      return `${name}*1e0`
    case 'text':
      return `HEX(CONVERT(${name} USING utf8mb4))`
    case 'binary':
      return `HEX(${name})`
    case 'bit':
      return `LPAD(HEX(${name}), ${Math.ceil(Number(/\d+/.exec(type)?.[0]) / 8) * 2}, '0')`
    case 'timestamp':
      return `CAST(UNIX_TIMESTAMP(${name}) AS DECIMAL(20,6))`
    case 'enum':
    case 'set':
      return `CAST(${name} AS UNSIGNED)`
    default:
      return `CAST(${name} AS CHAR)`
  }
}

function expectedText({ kind, type }: ColumnCase, text: string | null): string | null {
  if (text === null) return null
  switch (kind) {
    case 'float':
    case 'double':
      return doubleText(Number(text))
    case 'text':
      return Buffer.from(text, 'hex').toString()
    case 'time':
    case 'datetime':
      return withMicros(text)
    case 'integer':
    case 'year':
      return String(BigInt(text))
    case 'binary':
      // The binlog lacks the zero bytes at the end of BINARY(n); see ColumnTarget.
      return type.startsWith('BINARY') ? text.replace(/(00)+$/, '') : text
    default:
      return text
  }
}

function withMicros(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

const quoted = (texts: readonly string[]): string[] => texts.map((text) => `'${text}'`)

const INTEGERS: ColumnCase[] = [
  ['TINYINT', 8],
  ['SMALLINT', 16],
  ['MEDIUMINT', 24],
  ['INT', 32],
  ['BIGINT', 64],
].flatMap(([type, bits]) => {
  const half = 2n ** BigInt(Number(bits) - 1)
  const edges = [-half, -half + 1n, -1n, 0n, 1n, half - 1n, half / 2n]
  const wide =
    bits === 64 ? [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 32n, -(2n ** 32n)] : []
  return [
    { type: String(type), kind: 'integer' as const, values: [...edges, ...wide].map(String) },
    {
      type: `${type} UNSIGNED`,
      kind: 'integer' as const,
      values: [0n, 1n, half - 1n, half, 2n * half - 1n, ...wide.filter((value) => value > 0)].map(String),
    },
  ]
})

function decimals(): ColumnCase[] {
  const random = seededRandom(3)
  const shapes = [
    [1, 0],
    [1, 1],
    [4, 2],
    [9, 0],
    [9, 9],
    [10, 9],
    [15, 5],
    [16, 5],
    [18, 9],
    [19, 1],
    [20, 10],
    [30, 30],
    [38, 0],
    [65, 0],
    [65, 30],
  ]
  return shapes.map(([precision = 0, scale = 0]) => {
    const nines = '9'.repeat(precision)
    const drawn = Array.from({ length: 12 }, () =>
      Array.from({ length: precision }, () => random.integer(0, 10)).join(''),
    )
    const values = [nines, '0'.repeat(precision), '1'.padStart(precision, '0'), ...drawn]
    const texts = values.map((digits) => `${digits.slice(0, precision - scale)}.${digits.slice(precision - scale)}`)
    return {
      type: `DECIMAL(${precision},${scale})`,
      kind: 'decimal' as const,
      values: texts.flatMap((text) => [text, `-${text}`]),
    }
  })
}

const FLOATS: ColumnCase[] = [
  {
    type: 'FLOAT',
    kind: 'float',
    values: ['0', '-0e0', '1.5', '0.1', '-3.4028234e38', '1.17549435e-38', '16777217', '1e-45'],
  },
  { type: 'FLOAT(7,3)', kind: 'float', values: ['1234.567', '-0.001', '9999.999'] },
  {
    type: 'DOUBLE',
    kind: 'double',
    values: ['0', '-0e0', '0.1', '1.7976931348623157e308', '2.2250738585072014e-308', '9007199254740993', '-1e-10'],
  },
]

const DATES = [
  '0000-00-00',
  '1000-01-01',
  '1970-01-01',
  '2024-02-29',
  '2024-02-00',
  '2024-00-15',
  '0000-01-01',
  '9999-12-31',
  '2023-02-31',
]
const CLOCKS = ['00:00:00', '23:59:59.999999', '12:34:56.100000', '01:02:03.000001', '11:59:59.5']
const TIMES = [
  '0:00:00',
  '838:59:59',
  '-838:59:59',
  '-00:00:00.000001',
  '-00:00:00.9',
  '-00:00:01',
  '-12:34:56.789012',
  '12:34:56.789012',
  '-255:59:59.999999',
  '-00:00:00.990000',
  '-00:00:59.255',
  '100:00:00.123456',
  '-01:00:00',
]

/**
 * The session truncates fractions instead of rounding, so that the table has the intended value
 * (TIME_TRUNCATE_FRACTIONAL).
 */
const TEMPORALS: ColumnCase[] = [
  { type: 'DATE', kind: 'date', values: quoted(DATES) },
  { type: 'YEAR', kind: 'year', values: ['0', '1901', '1970', '2155'] },
  ...[0, 1, 2, 3, 4, 5, 6].flatMap((digits): ColumnCase[] => [
    { type: `TIME(${digits})`, kind: 'time', values: quoted(TIMES) },
    {
      type: `DATETIME(${digits})`,
      kind: 'datetime',
      values: quoted(
        DATES.flatMap((date) =>
          date === '9999-12-31' ? [`${date} 23:59:59`] : CLOCKS.map((clock) => `${date} ${clock}`),
        ),
      ),
    },
    {
      type: `TIMESTAMP(${digits}) NULL`,
      kind: 'timestamp',
      values: quoted([
        '0000-00-00 00:00:00',
        '1970-01-01 00:00:01',
        '2038-01-19 03:14:07',
        '2024-02-29 23:59:58.999999',
        '2000-01-01 00:00:00.000001',
      ]),
    },
  ]),
]

const members = (count: number): string => Array.from({ length: count }, (_, i) => `'m${i}'`).join(',')
const setBits = (count: number): string[] => [
  '0',
  '1',
  String(2n ** BigInt(count) - 1n),
  String(2n ** BigInt(count - 1)),
  '5',
]

const CHOICES: ColumnCase[] = [
  ...[1, 7, 8, 9, 31, 32, 33, 53, 54, 63, 64].map((bits): ColumnCase => ({
    type: `BIT(${bits})`,
    kind: 'bit',
    values: [0n, 1n, 2n ** BigInt(bits) - 1n, 2n ** BigInt(bits - 1)].map((value) => `b'${value.toString(2)}'`),
  })),
  { type: `ENUM(${members(3)})`, kind: 'enum', values: ['1', '3', "'nothing of these'", '2'] },
  { type: `ENUM(${members(255)})`, kind: 'enum', values: ['1', '255'] },
  { type: `ENUM(${members(256)})`, kind: 'enum', values: ['1', '255', '256'] },
  { type: `ENUM(${members(3000)})`, kind: 'enum', values: ['1', '256', '3000'] },
  ...[1, 8, 9, 16, 24, 25, 33, 40, 48, 56, 64].map((count): ColumnCase => ({
    type: `SET(${members(count)})`,
    kind: 'set',
    values: [...setBits(count).filter((bits) => count > 2 || bits !== '5'), "''"],
  })),
]

const TEXT_VALUES = ["''", "'a'", "'é漢😀'", "' leading'", "REPEAT('x', 60)"]
const BINARY_VALUES = ["''", "x'00'", "x'0000ff00'", "x'ff'", "REPEAT(x'ab', 60)"]

const STRINGS: ColumnCase[] = [
  ...[
    'CHAR(60)',
    'CHAR(255)',
    'VARCHAR(60)',
    'VARCHAR(63)',
    'VARCHAR(64)',
    'VARCHAR(500)',
    'TINYTEXT',
    'TEXT',
    'MEDIUMTEXT',
    'LONGTEXT',
  ].map((type): ColumnCase => ({ type, kind: 'text', values: TEXT_VALUES })),
  { type: 'CHAR(255) CHARACTER SET utf8mb3', kind: 'text', values: ["''", "'é漢'", "REPEAT('漢', 255)"] },
  { type: 'VARCHAR(10000)', kind: 'text', values: ["''", "REPEAT('😀', 10000)"] },
  { type: 'MEDIUMTEXT', kind: 'text', values: ["REPEAT('abcdefgh', 10000)", "''"] },
  ...[
    'BINARY(60)',
    'BINARY(255)',
    'VARBINARY(60)',
    'VARBINARY(255)',
    'VARBINARY(256)',
    'TINYBLOB',
    'BLOB',
    'MEDIUMBLOB',
    'LONGBLOB',
  ].map((type): ColumnCase => ({ type, kind: 'binary', values: BINARY_VALUES })),
]

const FAMILIES: Readonly<Record<string, readonly ColumnCase[]>> = {
  integers: INTEGERS,
  decimals: decimals(),
  floats: FLOATS,
  'temporal values': TEMPORALS,
  'bits, enums and sets': CHOICES,
  'strings and bytes': STRINGS,
}

async function fill(server: Database, table: string, columns: readonly ColumnCase[]): Promise<number> {
  const count = Math.max(...columns.map(({ values }) => values.length)) + 1
  await using session = await server.connect()
  // sql_mode permits dates that do not exist, and turns values out of range into the nearest ones.
  await session.query(
    `SET sql_mode = '${server.flavor === 'mysql' ? 'ALLOW_INVALID_DATES,TIME_TRUNCATE_FRACTIONAL' : 'ALLOW_INVALID_DATES'}'`,
  )
  await session.query("SET time_zone = '+00:00'")
  const definitions = columns.map(({ type }, i) => `c${i} ${type}`)
  await session.query(`CREATE TABLE ${table} (id INT PRIMARY KEY, ${definitions.join(', ')}) CHARSET utf8mb4`)
  // In the last row every column is NULL.
  const rows = Array.from({ length: count }, (_, i) => {
    const values = columns.map((column) =>
      i === count - 1 ? 'NULL' : (column.values[i % column.values.length] ?? 'NULL'),
    )
    return `(${[i, ...values].join(', ')})`
  })
  await session.query(`INSERT INTO ${table} VALUES ${rows.join(', ')}`)
  return count
}

async function read(server: Database, table: string, columns: readonly ColumnCase[]): Promise<(string | null)[][]> {
  await using connection = await MySqlConnection.open(loginOf(server))
  await connection.query("SET character_set_results = NULL, time_zone = '+00:00'")
  const select = columns.map((column, i) => selected(column, `c${i}`)).join(', ')
  const codec = new TextRowCodec(targetsOf(columns))
  await using stream = await RowStream.open(connection, `SELECT id, ${select} FROM ${table} ORDER BY id`, 'reading')
  return await rowsOf(stream, codec)
}

async function rowsOf(stream: RowStream, reader: RowReader<string>): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = []
  while (!stream.isDone) {
    const row = stream.next(reader)
    if (row !== null) rows.push(row)
    else if (!stream.isDone) await stream.wait()
  }
  return rows
}

/** The columns themselves, by a prepared statement. */
async function readPrepared(
  server: Database,
  table: string,
  columns: readonly ColumnCase[],
): Promise<(string | null)[][]> {
  await using connection = await MySqlConnection.open(loginOf(server))
  await connection.query("SET character_set_results = NULL, time_zone = '+00:00'")
  const prepared = await prepareSelect(connection, `SELECT * FROM ${table} ORDER BY id`, 'preparing')
  const targets = targetsOf(columns)
  const codec = new BinaryRowCodec(
    prepared.columns.map((column, index) => ({
      column,
      into: { index, target: present(targets[index], 'target'), labels: labelsOf(columns[index - 1]) },
    })),
    targets.length,
  )
  await using stream = await RowStream.execute(connection, prepared, 'reading')
  const rows = await rowsOf(stream, codec)
  closePrepared(connection, prepared)
  // The connection is usable after it.
  assert.deepEqual(await connection.query('SELECT 1'), [['1']])
  return rows
}

function labelsOf(column: ColumnCase | undefined): MemberLabels | null {
  if (column?.kind !== 'enum' && column?.kind !== 'set') return null
  const members = [...column.type.matchAll(/'([^']*)'/g)].map(([, member = '']) => member)
  return { members, charset: requireCharset('utf8mb4', 'c') }
}

async function say(server: Database, table: string, columns: readonly ColumnCase[]): Promise<(string | null)[][]> {
  await using connection = await MySqlConnection.open(loginOf(server))
  await connection.query("SET time_zone = '+00:00'")
  const select = columns.map((column, i) => spoken(column, `c${i}`)).join(', ')
  const rows = await connection.query(`SELECT id, ${select} FROM ${table} ORDER BY id`)
  return rows.map(([id = null, ...values]) => [
    id,
    ...values.map((text, i) => expectedText(columns[i] as ColumnCase, text)),
  ])
}

function targetsOf(columns: readonly ColumnCase[]): ReturnType<typeof textTarget>[] {
  return [textTarget('integer'), ...columns.map(({ kind, type }) => textTarget(kind, type.endsWith('UNSIGNED')))]
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  for (const [family, columns] of Object.entries(FAMILIES)) {
    test(`${family} of ${name} are the same in the binlog, in a result set and in the server's text`, async () => {
      const server = await use()
      const database = uniqueName('values')
      await server.query(`CREATE DATABASE ${database}`)
      await using stream = await openBinlog(server, await endOfBinlog(server))
      const count = await fill(server, `${database}.t`, columns)

      const streamed = await insertedRows(stream, 't', targetsOf(columns), count)
      const selectedRows = await read(server, `${database}.t`, columns)
      const preparedRows = await readPrepared(server, `${database}.t`, columns)

      const expected = await say(server, `${database}.t`, columns)
      assert.equal(streamed.length, count)
      for (const [i, row] of expected.entries()) {
        for (const [c, { type }] of columns.entries()) {
          const of = `${type}, value ${columns[c]?.values[i % columns[c].values.length]}`
          assert.equal(streamed[i]?.[c + 1], row[c + 1], `binlog: ${of}`)
          const text = selectedRows[i]?.[c + 1] ?? null
          const binary = preparedRows[i]?.[c + 1] ?? null
          for (const [way, value] of [['result set', text] as const, ['prepared statement', binary] as const]) {
            assert.equal(
              type.startsWith('BINARY') ? (value?.replace(/(00)+$/, '') ?? null) : value,
              row[c + 1],
              `${way}: ${of}`,
            )
          }
        }
      }
    })
  }
}
