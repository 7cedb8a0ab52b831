/** Chunks of tables with keys of all types contain each row that SELECT returns once, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { systemClock } from '@tributary/support'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { mariadbFlavor } from '../flavor/mariadb-flavor.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { createInterpreter } from '../record-parts.ts'
import { openSession } from '../snapshot/snapshot-session.ts'
import { SchemaReader } from '../tables/schema-reader.ts'
import { connectionOf } from '../testing/binlog-of.ts'
import { type ChunkKey, chunkKeyOf, type KeyPoint } from './chunk-key.ts'
import { ChunkQuery } from './chunk-query.ts'

interface Case {
  readonly columns: string
  /** Of each column, literals; the rows are all combinations. */
  readonly values: readonly (readonly string[])[]
  readonly server?: Database['flavor']
  readonly surrogate?: string
}

const WORDS = [
  "''",
  "'a'",
  "'A '",
  "'ä'",
  "'B'",
  "'Zz'",
  "'z'",
  "'ﬀ'",
  "'日本'",
  "'😀'",
  "'_'",
  String.raw`'\\'`,
  "'\\''",
]
const SMALL = ['-3', '-1', '0', '1', '2', '40', '41']

const cases: readonly Case[] = [
  { columns: 'k INT PRIMARY KEY', values: [['-2147483648', ...SMALL, '2147483647']] },
  {
    columns: 'k BIGINT UNSIGNED PRIMARY KEY',
    values: [['0', '1', '9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551615']],
  },
  {
    columns: 'k DECIMAL(20,5) PRIMARY KEY',
    values: [['-1.5', '-1.49999', '0', '0.00001', '123456789012345.67891', '2']],
  },
  {
    columns: 'k DOUBLE PRIMARY KEY',
    values: [['-1e300', '-0.1', '0', '0.1', '0.30000000000000004', '0.3', '1e16', '1e-300']],
  },
  { columns: 'k FLOAT PRIMARY KEY', values: [['-3.4e38', '-0.1', '0', '0.1', '0.30000001', '16777215', '16777216']] },
  { columns: 'k BIT(40) PRIMARY KEY', values: [['0', '1', '255', '256', '1099511627775']] },
  { columns: 'k YEAR PRIMARY KEY', values: [['1901', '1999', '2000', '2155']] },
  { columns: 'k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY', values: [WORDS] },
  { columns: 'k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY', values: [WORDS] },
  {
    columns: 'k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci PRIMARY KEY',
    values: [WORDS],
    server: 'mysql',
  },
  {
    columns: 'k CHAR(10) CHARACTER SET latin1 COLLATE latin1_german1_ci PRIMARY KEY',
    values: [["''", "'a'", "'ä'", "'z'", "'ß'", "'s'"]],
  },
  { columns: 'k VARCHAR(10) CHARACTER SET sjis PRIMARY KEY', values: [["'a'", "'表'", "'ソ'", "'漢'"]] },
  {
    columns: 'k VARBINARY(8) PRIMARY KEY',
    values: [["x''", "x'00'", "x'0000'", "x'01'", "x'7f'", "x'80'", "x'ff00'", "x'ff'"]],
  },
  { columns: 'k BINARY(3) PRIMARY KEY', values: [["x''", "x'01'", "x'0100ff'", "x'ffffff'"]] },
  {
    columns: 'k DATETIME(6) PRIMARY KEY',
    values: [
      ["'0000-00-00'", "'1000-01-01'", "'2024-02-29 23:59:59.999999'", "'2024-03-01'", "'9999-12-31 23:59:59.5'"],
    ],
  },
  {
    columns: 'k TIMESTAMP(3) PRIMARY KEY',
    values: [["'1970-01-01 00:00:01'", "'2024-02-29 23:59:59.999'", "'2038-01-19 03:14:07'"]],
  },
  {
    columns: 'k TIME(3) PRIMARY KEY',
    values: [["'-838:59:59'", "'-00:00:00.5'", "'00:00:00'", "'00:00:00.001'", "'100:00:00'"]],
  },
  { columns: 'k DATE PRIMARY KEY', values: [["'0000-00-00'", "'1000-01-01'", "'2024-02-29'", "'9999-12-31'"]] },
  { columns: "e ENUM('z','y','a'), k INT, PRIMARY KEY (e, k)", values: [["'z'", "'y'", "'a'"], SMALL] },
  {
    columns: "e SET('z','y','a'), k INT, PRIMARY KEY (k, e)",
    values: [
      ["''", "'z'", "'z,a'", "'y'"],
      ['1', '2'],
    ],
  },
  {
    columns: 'a VARCHAR(5), b INT, c DATE, PRIMARY KEY (a, b, c)',
    values: [["'x'", "'Y'", "'ä'"], SMALL, ["'2020-01-01'", "'2020-01-02'"]],
  },
  { columns: 'a INT, b INT NOT NULL, c INT NOT NULL, UNIQUE KEY `u u` (c, b)', values: [['1'], SMALL, SMALL] },
  {
    columns: 'a INT PRIMARY KEY AUTO_INCREMENT, g INT NOT NULL',
    values: [['NULL'], ['3', '3', '3', '1', '1', '1', '7']],
    surrogate: 'g',
  },
  {
    columns: 'k UUID PRIMARY KEY',
    server: 'mariadb',
    values: [
      [
        "'123e4567-e89b-12d3-a456-426655440000'",
        "'00000000-0000-0000-0000-000000000001'",
        "'ffffffff-e89b-12d3-a456-426655440000'",
      ],
    ],
  },
  {
    columns: 'k INET6 PRIMARY KEY',
    server: 'mariadb',
    values: [["'::1'", "'::'", "'fe80::1'", "'::ffff:1.2.3.4'", "'2001:db8::'"]],
  },
]

/** The rows of all chunks, in the order of reading. */
async function readChunks(
  connection: MySqlConnection,
  query: ChunkQuery,
  expressions: string,
  { size, condition }: { readonly size: number; readonly condition: string | null },
): Promise<readonly string[]> {
  const point = async (sql: string): Promise<KeyPoint | null> => {
    const [row] = await connection.query(sql)
    return row === undefined ? null : row.map((value) => value ?? '')
  }
  const maximum = await point(query.lastKey(condition))
  const rows: string[] = []
  let after: KeyPoint | null = null
  while (maximum !== null && after?.join() !== maximum.join()) {
    const upTo: KeyPoint = (await point(query.border({ after, upTo: maximum, condition }, size))) ?? maximum
    assert.ok(query.isPoint(upTo), String(upTo))
    for (const row of await connection.query(query.rows(expressions, { after, upTo, condition })))
      rows.push(row.join(' '))
    after = upTo
  }
  return rows
}

function combinations(values: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = values
  if (others.length === 0) return first
  return first.flatMap((value) => combinations(others).map((rest) => `${value}, ${rest}`))
}

for (const [title, use, flavor] of [
  ['MySQL', useMySql, mysqlFlavor],
  ['MariaDB', useMariaDb, mariadbFlavor],
] as const) {
  test(`${title}: chunks of any key have each row once, in the order of the key`, async () => {
    const database = await use()
    const schema = uniqueName('chunks')
    await database.query(`CREATE DATABASE ${schema}`)
    const options = connectionOf(database)
    await using connection = await openSession(options, new AbortController().signal)
    const info = await flavor.readServerInfo(connection)
    const interpreter = createInterpreter({ flavor, info }, { includesComments: false, skipsUnparseable: false })
    const reader = new SchemaReader(options, systemClock)
    for (const [i, { columns, values, server, surrogate = null }] of cases.entries()) {
      if (server !== undefined && server !== database.flavor) continue
      const id = TableId.of(schema, `t${i}`)
      const name = `${schema}.t${i}`
      const rows = combinations(values).map((row) => `(${row})`)
      await database.query(`SET SESSION sql_mode = '', time_zone = '+00:00'; SET NAMES utf8mb4; CREATE TABLE ${name} (${columns});
        INSERT IGNORE INTO ${name} VALUES ${rows.join(', ')}`)
      const table = interpreter.derive(id, (await reader.createStatement(id)) ?? '')
      assert.ok(table !== null)
      const choice = chunkKeyOf(table, { surrogate, messageKey: null })
      assert.ok(choice.tag === 'key', columns)
      const { key }: { readonly key: ChunkKey } = choice
      assert.equal(key.index === null, surrogate !== null)
      const query = new ChunkQuery(table, key)
      const expressions = table.columns.map((column) => `HEX(\`${column.name}\`)`).join(', ')
      const order = key.parts.map(({ column }) => column).join(', ')
      const expected = (await connection.query(`SELECT ${expressions} FROM ${name} ORDER BY ${order}`)).map((row) =>
        row.join(' '),
      )
      assert.ok(expected.length > 2, columns)
      for (const size of [1, 2, 3, 100]) {
        const found = await readChunks(connection, query, expressions, { size, condition: null })
        if (surrogate === null) assert.deepEqual(found, expected, `${columns}, chunks of ${size}`)
        else assert.deepEqual(found.toSorted(), expected.toSorted(), `${columns}, chunks of ${size}`)
      }
      const filtered = await readChunks(connection, query, expressions, { size: 2, condition: '1 = 0 -- nothing' })
      assert.deepEqual(filtered, [], columns)
    }
  })
}

test('the range of a chunk is one of the index, and not a scan of the table', async () => {
  const database = await useMySql()
  const schema = uniqueName('chunks')
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (a INT, b VARCHAR(5), c INT, PRIMARY KEY (a, b), KEY (a, b, c))`,
  )
  const parts = ['a', 'b'].map((name) => ({
    name,
    column: name,
    compared: name,
    select: name,
    literal: (value: string) => value,
    type: { name: 'INT' } as never,
  }))
  const query = new ChunkQuery({ id: TableId.of(schema, 't') }, { parts, index: 'PRIMARY' })
  const sql = query.rows('c', { after: ['1', "'x'"], upTo: ['3', "'y'"], condition: null })
  const options = connectionOf(database)
  await using connection = await openSession(options, new AbortController().signal)
  const plan = await connection.queryRow(`EXPLAIN FORMAT=TRADITIONAL ${sql}`)
  assert.deepEqual([plan?.['type'], plan?.['key'], plan?.['Extra']], ['range', 'PRIMARY', 'Using where'])
})
