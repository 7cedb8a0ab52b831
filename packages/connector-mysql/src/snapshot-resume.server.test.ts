/** Initial snapshots that are interrupted continue with what is left of their tables, on both servers. */
import type { OffsetDocument } from '@tributary/connect-api'
import {
  casesOfTier,
  type Database,
  fullTest,
  seededRandom,
  type SeededRandom,
  startMySql,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, type TaskEvent, TaskRun } from './testing/task-run.ts'

const ROWS = 1_500
/** Of each table: its columns, and what its key is in an event. `spread` is read in parts when there are threads. */
const TABLES: Readonly<Record<string, { readonly columns: string; readonly keys: number }>> = {
  spread: { columns: 'id BIGINT PRIMARY KEY, v INT', keys: 1 },
  texts: { columns: 'id VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, v INT', keys: 1 },
  pairs: { columns: 'a VARCHAR(5) CHARACTER SET latin1, b INT, v INT, PRIMARY KEY (a, b)', keys: 2 },
  decimals: { columns: 'id DECIMAL(10,2) PRIMARY KEY, v INT', keys: 1 },
  loose: { columns: 'id INT NOT NULL, v INT, UNIQUE KEY (id)', keys: 1 },
}
const NAMES = Object.keys(TABLES)

function keyOf(table: string, n: number): string {
  switch (table) {
    case 'spread':
      return String(n * 1_000 - 700_000)
    case 'texts':
      return `'k${['ä', 'B', 'z', 'ß'][n % 4] ?? ''}${n}'`
    case 'pairs':
      return `'${['x', 'ü', 'Z'][n % 3] ?? ''}', ${n}`
    case 'decimals':
      return `${n}.25`
    default:
      return String(n)
  }
}

function isKey(table: string, n: number): string {
  return table === 'pairs' ? `(a, b) = (${keyOf(table, n)})` : `id = ${keyOf(table, n)}`
}

async function filledScene(database: Database): Promise<Scene> {
  const statements = NAMES.flatMap((table) => [
    `CREATE TABLE ${table} (${TABLES[table]?.columns ?? ''})`,
    `INSERT INTO ${table} VALUES ${Array.from({ length: ROWS }, (_, n) => `(${keyOf(table, n)}, ${n})`).join()}`,
  ])
  return sceneOf(database, [...statements, 'CREATE TABLE zz_end (id INT PRIMARY KEY)'].join(';'))
}

async function write({ database, schema }: Scene, random: SeededRandom, end: AbortSignal): Promise<void> {
  const session = await database.connect()
  while (!end.aborted) {
    const [table, n] = [random.pick(NAMES), random.integer(0, ROWS * 1.3)]
    const statement = random.pick([
      `UPDATE ${schema}.${table} SET v = v + 1 WHERE ${isKey(table, n)}`,
      `DELETE FROM ${schema}.${table} WHERE ${isKey(table, n)}`,
      `REPLACE INTO ${schema}.${table} VALUES (${keyOf(table, n)}, ${random.integer(0, 9_999)})`,
    ])
    await session.query(statement)
  }
  await session.end()
}

/** What a consumer has that keeps the last event of each key. */
class Topics {
  readonly rows = new Map<string, string>()

  apply({ table, op, before, after }: TaskEvent): void {
    const row = after ?? before ?? []
    const key = [table, ...row.slice(0, TABLES[table]?.keys ?? 1)].join(' ')
    if (op === 'd') this.rows.delete(key)
    else this.rows.set(key, row.join(' '))
  }

  of(table: string): readonly string[] {
    return Array.from(this.rows)
      .filter(([key]) => key.startsWith(`${table} `))
      .map(([, row]) => row)
      .toSorted()
  }
}

async function selected({ database, schema }: Scene, table: string): Promise<readonly string[]> {
  const rows = await database.query(`SELECT * FROM ${schema}.${table}`)
  return rows.map((row) => Object.values(row).map(String).join(' ')).toSorted()
}

/** The keys of the rows that were read by a snapshot. */
function readKeys(events: readonly TaskEvent[]): readonly string[] {
  return events
    .filter(({ op }) => op === 'r')
    .map(({ table, after }) => [table, ...(after ?? []).slice(0, TABLES[table]?.keys ?? 1)].join(' '))
}

type Properties = Readonly<Record<string, string>>

interface Figures {
  kills: number
  repeated: number
  continued: number
}

async function runKilled(database: Database, random: SeededRandom, threads: number): Promise<Figures> {
  const scene = await filledScene(database)
  const properties = { 'max.batch.size': '150', 'max.queue.size': '300', 'snapshot.max.threads': String(threads) }
  const writers = new AbortController()
  const writing = Promise.all([1, 2].map(() => write(scene, random, writers.signal)))
  const topics = new Topics()
  const read: string[] = []
  const figures: Figures = { kills: 0, repeated: 0, continued: 0 }
  let stored: OffsetDocument | null = null
  while (figures.kills < 4) {
    await using run: TaskRun = await TaskRun.start(scene, properties, stored)
    const offsets: OffsetDocument[] = []
    run.onRecord = ({ sourceOffset }) => offsets.push(sourceOffset.toDocument())
    const enough = random.integer(100, 2_500)
    await run.until((each) => each.events.length >= enough || isCompleted(each))
    for (const event of run.events) topics.apply(event)
    figures.continued += run.logger.matching('The snapshot continues with').length
    read.push(...readKeys(run.events))
    // Any part of what was sent may have been acknowledged.
    stored = offsets[random.integer(Math.max(0, offsets.length - 200), offsets.length)] ?? stored
    figures.kills += 1
  }
  await using last = await TaskRun.start(scene, properties, stored)
  await last.until(isStreaming)
  writers.abort()
  await writing
  await database.query(`INSERT INTO ${scene.schema}.zz_end VALUES (1)`)
  await last.until(({ events }) => events.some(({ table }) => table === 'zz_end'))
  for (const event of last.events) topics.apply(event)
  read.push(...readKeys(last.events))
  figures.repeated = read.length - new Set(read).size
  for (const table of NAMES) assert.deepEqual(topics.of(table), await selected(scene, table), table)
  return figures
}

for (const [flavor, open, threads] of casesOfTier('a snapshot that continues', [
  ['MySQL', useMySql, 1] as const,
  ['MariaDB', useMariaDb, 3] as const,
])) {
  test(`${flavor}: a snapshot that is killed again and again, while rows change, leads to what SELECT has`, async (context) => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    context.diagnostic(`seed ${seed}, threads ${threads}`)
    const figures = await runKilled(await open(), seededRandom(seed), threads)
    context.diagnostic(JSON.stringify(figures))
    assert.ok(figures.continued > 0)
    // A batch of 150 and what was not acknowledged, and the table without a primary key.
    assert.ok(figures.repeated <= figures.kills * (200 + 2 * 150 * threads + ROWS), `${figures.repeated} repeated`)
  })
}

/** The offset in the middle of the first table. */
async function interrupted(
  scene: Scene,
  count: number,
  more: Properties = {},
  from: OffsetDocument | null = null,
): Promise<OffsetDocument> {
  await using run = await TaskRun.start(scene, { 'max.batch.size': '150', 'max.queue.size': '300', ...more }, from)
  await run.until(({ events }) => events.length >= count)
  assert.ok(run.stored?.['snapshot_progress'] !== undefined)
  assert.equal(run.stored['snapshot'], 'INITIAL')
  return run.stored
}

test('a snapshot continues after the last row that was stored, and repeats none', async () => {
  const scene = await filledScene(await useMySql())
  const stored = await interrupted(scene, 400)
  await using run = await TaskRun.start(scene, {}, stored)
  await run.until(isStreaming)
  const rest = run.events.filter(({ table }) => table === 'decimals')
  // decimals is the first table by name; its last row of the batch waits for its marker.
  assert.ok(rest.length > 0 && rest.length <= ROWS - 250, `${rest.length} rows`)
  const first = Number(rest[0]?.after?.[1])
  assert.deepEqual(
    rest.map(({ after }) => Number(after?.[1])),
    Array.from({ length: ROWS - first }, (_, i) => first + i),
  )
  assert.equal(run.events.length, rest.length + 4 * ROWS)
  assert.equal(run.stored?.['snapshot_progress'], undefined)
  assert.deepEqual([run.stored?.['pos'], run.stored?.['file']], [stored['pos'], stored['file']])
})

test('a snapshot begins again when a table that is left was altered or dropped, and the log has the reason', async () => {
  for (const sql of [
    'ALTER TABLE texts ADD COLUMN more INT',
    'DROP TABLE texts',
    'ALTER TABLE texts MODIFY id VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL',
  ]) {
    const scene = await filledScene(await useMySql())
    // In the middle of `texts`, the last but one table by name.
    const stored = await interrupted(scene, 4 * ROWS + 300)
    await scene.database.query(`USE ${scene.schema}; ${sql}`)
    await using run = await TaskRun.start(scene, {}, stored)
    await run.until(isStreaming)
    const left = sql.startsWith('DROP') ? 4 : 5
    assert.equal(run.events.length, left * ROWS, sql)
    assert.equal(run.logger.matching('The snapshot begins again in').length, 1)
  }
})

test('a snapshot begins again when its position was purged', async () => {
  await using database = await startMySql()
  const scene = await filledScene(database)
  const stored = await interrupted(scene, 400)
  await database.query(`INSERT INTO ${scene.schema}.zz_end VALUES (1); FLUSH BINARY LOGS`)
  const files = await database.query('SHOW BINARY LOGS')
  await database.query(`PURGE BINARY LOGS TO '${String(files.at(-1)?.['Log_name'])}'`)
  await using run = await TaskRun.start(scene, {}, stored)
  await run.until(isStreaming)
  assert.equal(run.events.length, 5 * ROWS + 1)
  assert.equal(run.logger.matching('does not continue where it was: the changes after its position').length, 1)
})

test('a snapshot whose connections are cut continues by itself', async () => {
  await using database = await startMySql()
  const scene = await filledScene(database)
  const properties = { 'max.batch.size': '150', 'max.queue.size': '300' }
  await using run = await TaskRun.start(scene, properties)
  await run.until(({ events }) => events.length >= 400)
  const sessions = await database.query("SELECT id FROM information_schema.processlist WHERE user = 'debezium'")
  for (const { id, ID = id } of sessions) {
    await database.query(`KILL ${String(ID)}`).catch((error: unknown) => {
      // The session that estimates rows may have ended by itself.
      if (!String(error).includes('Unknown thread id')) throw error
    })
  }
  await database.query(`UPDATE ${scene.schema}.decimals SET v = -1 WHERE id = 1499.25`)
  await run.until((each) => isStreaming(each) && each.events.at(-1)?.op === 'u')
  const keys = readKeys(run.events)
  // Rows that had arrived before the cut are read.
  assert.ok(keys.length - new Set(keys).size <= 300, `${keys.length} rows`)
  assert.equal(new Set(keys).size, 5 * ROWS)
  assert.equal(run.logger.matching('The snapshot continues in').length, 1)
})

test('a snapshot begins again when the collation of a partitioned table was converted in the middle of it', async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => `('${i < ROWS / 2 ? 'K' : 'a'}${i}', ${i})`).join()
  const scene = await sceneOf(
    await useMariaDb(),
    `CREATE TABLE t (id VARCHAR(20) NOT NULL PRIMARY KEY, v INT) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
      PARTITION BY KEY (id) PARTITIONS 2; INSERT INTO t VALUES ${rows}`,
  )
  const stored = await interrupted(scene, 400)
  await scene.database.query(
    `ALTER TABLE ${scene.schema}.t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`,
  )
  await using run = await TaskRun.start(scene, {}, stored)
  await run.until(isStreaming)
  assert.equal(run.events.length, ROWS)
})

for (const [flavor, open] of casesOfTier('a snapshot with changes of structure', [
  ['MySQL', useMySql] as const,
  ['MariaDB', useMariaDb] as const,
])) {
  for (const sql of ['DROP DATABASE OTHER', 'ALTER TABLE OWN.t DROP PRIMARY KEY, ADD UNIQUE KEY (id)']) {
    test(`${flavor}: a snapshot begins again after ${sql}`, async () => {
      const server = await open()
      const other = `zz${uniqueName('other')}`
      await server.query(`CREATE DATABASE ${other}; CREATE TABLE ${other}.x (id INT PRIMARY KEY)`)
      const rows = Array.from({ length: ROWS }, (_, i) => `(${i})`).join()
      const scene = await sceneOf(server, `CREATE TABLE t (id INT NOT NULL PRIMARY KEY); INSERT INTO t VALUES ${rows}`)
      const databases = { 'database.include.list': `${scene.schema},${other}` }
      const stored = await interrupted(scene, 400, databases)
      await server.query(sql.replace('OTHER', other).replace('OWN', scene.schema))
      await using run = await TaskRun.start(scene, databases, stored)
      await run.until(isStreaming)
      assert.equal(run.events.length, ROWS, sql)
      assert.equal(run.logger.matching('The snapshot begins again in').length, 1, sql)
    })
  }
}

fullTest(
  'a snapshot begins again when the rows that it reads are chosen otherwise, and the log has the reason',
  async () => {
    const rows = Array.from({ length: ROWS }, (_, i) => `(${i})`).join()
    const scene = await sceneOf(
      await useMySql(),
      `CREATE TABLE aa (id INT PRIMARY KEY); INSERT INTO aa VALUES (1), (2), (3);
    CREATE TABLE big (id INT PRIMARY KEY); INSERT INTO big VALUES ${rows};
    CREATE TABLE zt (id INT PRIMARY KEY); INSERT INTO zt VALUES (1), (2)`,
    )
    const s = scene.schema
    const include = (...names: readonly string[]): Properties => ({
      'snapshot.include.collection.list': names.map((name) => `${s}.${name}`).join(),
    })
    const override = {
      'snapshot.select.statement.overrides': `${s}.aa`,
      [`snapshot.select.statement.overrides.${s}.aa`]: `SELECT * FROM ${s}.aa WHERE id = 1`,
    }
    const began = { ...include('aa', 'big'), ...override }
    const stored = await interrupted(scene, 400, began)
    {
      await using same = await TaskRun.start(scene, began, stored)
      await same.until(isStreaming)
      assert.ok(same.events.length < ROWS)
    }
    for (const [properties, counts] of [
      [{ ...include('aa', 'big', 'zt'), ...override }, [1, ROWS, 2]],
      [include('aa', 'big'), [3, ROWS, 0]],
    ] as const) {
      await using run = await TaskRun.start(scene, properties, stored)
      await run.until(isStreaming)
      const found = ['aa', 'big', 'zt'].map((table) => run.events.filter((event) => event.table === table).length)
      assert.deepEqual(found, counts)
      assert.equal(run.logger.matching('does not continue where it was: snapshot.include.collection.list').length, 1)
    }
  },
)

fullTest('tables that wait after an interruption keep what was read of them over a second one', async () => {
  const rows = Array.from({ length: 120_000 }, (_, i) => `(${i})`).join()
  const tables = ['t1', 't2', 't3'].map(
    (name) => `CREATE TABLE ${name} (id INT PRIMARY KEY); INSERT INTO ${name} VALUES ${rows}`,
  )
  const scene = await sceneOf(await useMySql(), tables.join(';'))
  type Left = readonly [database: string, table: string, ranges?: unknown]
  const leftIn = (offset: OffsetDocument | null): readonly Left[] =>
    JSON.parse(String(offset?.['snapshot_progress'] ?? '[]')) as Left[]
  const properties = { 'max.batch.size': '150', 'max.queue.size': '300', 'snapshot.max.threads': '3' }
  await using first = await TaskRun.start(scene, properties)
  await first.until(({ stored }) => leftIn(stored).filter(([, , ranges]) => ranges !== undefined).length > 1)
  const again = await interrupted(scene, 300, {}, first.stored)
  // The first one is read.
  const [, ...waiting] = leftIn(first.stored)
  for (const left of waiting)
    assert.deepEqual(
      leftIn(again).find(([, table]) => table === left[1]),
      left,
    )
})

fullTest('a snapshot begins again when the history has a part of the structure of a later one', async () => {
  const scene = await filledScene(await useMySql())
  const stored = await interrupted(scene, 400)
  await scene.database.query(`INSERT INTO ${scene.schema}.zz_end VALUES (1)`)
  {
    // Killed before an offset of it was stored.
    await using later = await TaskRun.start(scene, { 'table.exclude.list': `${scene.schema}.spread` }, stored)
    await later.until(({ events }) => events.length > 0)
  }
  await using run = await TaskRun.start(scene, {}, stored)
  await run.until(isStreaming)
  assert.equal(run.events.length, 5 * ROWS + 1)
  assert.equal(run.logger.matching('has records of a snapshot that was begun later').length, 1)
})
