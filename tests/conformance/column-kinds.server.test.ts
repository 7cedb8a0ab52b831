/**
 * Generated and invisible columns, columns that ALTER TABLE adds and drops without rewriting rows, and the primary key
 * that MySQL generates: rows of snapshot and stream equal the result of SELECT.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  casesOfTier,
  connectorConfig,
  type Database,
  type Service,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { type ExactJson, member, parseExactJson } from './exact-json.ts'
import { recordText, rowDifferences, rowFields, selectTexts } from './server-text.ts'

interface Scenario {
  readonly what: string
  readonly server: 'mysql' | 'mariadb' | 'both'
  /** Before the snapshot, and while the connector streams. `id` identifies the rows of `t`. */
  readonly before: string
  readonly after: string
  readonly columns: readonly string[]
}

const scenarios: readonly Scenario[] = [
  {
    what: 'generated columns',
    server: 'both',
    before: `CREATE TABLE t (id INT PRIMARY KEY, a INT, v INT AS (a * 2) VIRTUAL, s VARCHAR(20) AS (CONCAT('s', a)) STORED,
      d DECIMAL(10,2) AS (a / 3) VIRTUAL, b INT); INSERT INTO t (id, a, b) VALUES (1, 5, 6), (2, NULL, 7)`,
    after: `INSERT INTO t (id, a, b) VALUES (3, -7, 8); UPDATE t SET a = 9 WHERE id = 1;
      ALTER TABLE t ADD w INT AS (b + 1) VIRTUAL AFTER a; INSERT INTO t (id, a, b) VALUES (4, 1, 2)`,
    columns: ['id', 'a', 'w', 'v', 's', 'd', 'b'],
  },
  {
    what: 'invisible columns',
    server: 'both',
    before: `CREATE TABLE t (id INT PRIMARY KEY, a INT, h INT INVISIBLE DEFAULT 5, z VARCHAR(5) DEFAULT 'z');
      INSERT INTO t (id, a) VALUES (1, 5); INSERT INTO t (id, a, h) VALUES (2, 6, 7)`,
    after: `INSERT INTO t (id, a, h) VALUES (3, -7, NULL); UPDATE t SET h = 9 WHERE id = 1;
      ALTER TABLE t ADD i INT INVISIBLE DEFAULT 3 AFTER a; INSERT INTO t (id, a) VALUES (4, 1)`,
    columns: ['id', 'a', 'i', 'h', 'z'],
  },
  {
    what: 'columns that are added and dropped at once',
    server: 'both',
    before: `CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9)); INSERT INTO t VALUES (1, 5, 'x'), (2, 6, 'y');
      ALTER TABLE t ADD c INT DEFAULT 7, ALGORITHM = INSTANT; INSERT INTO t VALUES (3, 7, 'z', 8);
      ALTER TABLE t DROP a, ALGORITHM = INSTANT; INSERT INTO t VALUES (4, 'v', 9)`,
    after: `INSERT INTO t VALUES (5, 'w', 10); UPDATE t SET b = 'xx' WHERE id IN (1, 3);
      ALTER TABLE t ADD f INT NOT NULL DEFAULT 4 FIRST, ALGORITHM = INSTANT; UPDATE t SET b = 'yy' WHERE id IN (2, 4);
      ALTER TABLE t DROP c, ALGORITHM = INSTANT; INSERT INTO t VALUES (11, 6, 'end')`,
    columns: ['f', 'id', 'b'],
  },
  {
    what: 'a generated invisible primary key',
    server: 'mysql',
    before: `SET SESSION sql_generate_invisible_primary_key = ON; CREATE TABLE t (id INT, a VARCHAR(9));
      INSERT INTO t VALUES (1, 'one'), (2, 'two')`,
    after: `INSERT INTO t VALUES (3, 'three'); UPDATE t SET a = 'TWO' WHERE id = 2;
      CREATE TABLE u (x INT); DROP TABLE u; SET SESSION sql_generate_invisible_primary_key = OFF`,
    columns: ['my_row_id', 'id', 'a'],
  },
]

let service: Service

before(async () => {
  service = await startService(await useKafka())
})
after(() => service[Symbol.asyncDispose]())

for (const [flavor, use] of casesOfTier('column kinds', [
  ['mysql', useMySql],
  ['mariadb', useMariaDb],
] as const)) {
  for (const scenario of scenarios.filter(({ server }) => server === 'both' || server === flavor)) {
    test(`${flavor}: ${scenario.what}`, { timeout: 120_000 }, async () => {
      await compareWithSelect(await use(), scenario)
    })
  }
}

test(
  'mysql: a generated primary key that SHOW CREATE TABLE hides is found all the same',
  { timeout: 120_000 },
  async () => {
    await using database = await startMySql()
    const [scenario] = scenarios.filter(({ server }) => server === 'mysql')
    assert.ok(scenario !== undefined)
    await database.query('SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF')
    await compareWithSelect(database, scenario)
  },
)

async function compareWithSelect(
  database: Database,
  { before: earlier, after: later, columns }: Scenario,
): Promise<void> {
  const { bootstrapServers } = await useKafka()
  const schema = uniqueName('kinds')
  await database.query(
    `CREATE DATABASE ${schema} CHARACTER SET utf8mb4; USE ${schema}; ${earlier}; CREATE TABLE done (id INT)`,
  )
  await service.register(
    schema,
    connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more: {} }),
  )
  const session = await database.connect()
  try {
    const early = await selectTexts(session, schema, 't')
    const snapshot = await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, early.length)
    assertRows(
      snapshot.map(({ value }) => value),
      early,
    )

    await database.query(`USE ${schema}; ${later}; INSERT INTO done VALUES (1)`)
    await waitForRecords(bootstrapServers, `${schema}.${schema}.done`, 1)
    const late = await selectTexts(session, schema, 't')
    const records = await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, early.length + 1)
    const last = new Map(records.map(({ value }) => [idOf(value), value]))
    // Each row has the columns of the time of its change.
    const streamed = late.filter((row) => opOf(last.get(textOfId(row)) ?? null) !== 'r')
    assert.ok(streamed.length > 0)
    assertRows(
      streamed.map((row) => last.get(textOfId(row)) ?? null),
      streamed,
    )
    const [newest] = records.slice(-1)
    assert.deepEqual([...rowFields(parse(newest?.value ?? null), 'after').keys()], columns)
  } finally {
    session.destroy()
  }
}

function assertRows(values: readonly (Buffer | null)[], rows: Awaited<ReturnType<typeof selectTexts>>): void {
  const byId = new Map(rows.map((row) => [textOfId(row), row]))
  for (const value of values) {
    const document = parse(value)
    const row = byId.get(idOf(value))
    assert.ok(row !== undefined, `no row ${idOf(value)}`)
    const after = member(member(document, 'payload'), 'after')
    assert.deepEqual(rowDifferences(after, rowFields(document, 'after'), row), [])
  }
}

function parse(value: Buffer | null): ExactJson {
  return parseExactJson(value?.toString() ?? 'null')
}

function idOf(value: Buffer | null): string {
  return recordText(undefined, member(member(member(parse(value), 'payload'), 'after'), 'id') ?? null)
}

function opOf(value: Buffer | null): unknown {
  return member(member(parse(value), 'payload'), 'op')
}

function textOfId(row: Awaited<ReturnType<typeof selectTexts>>[number]): string {
  return row.find(({ column }) => column === 'id')?.text ?? ''
}
