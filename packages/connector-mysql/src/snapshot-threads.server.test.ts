/** Several connections read one snapshot: all see the moment of its position, whatever is written meanwhile. */
import { casesOfTier, type Database, eventually, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, sceneOf, type TaskEvent, TaskRun } from './testing/task-run.ts'

const ACCOUNTS = 30_000
const CENTS_EACH = 100

/** The keys of the first table are far apart, so it is read in parts; the others are read as a whole. */
const BANK = `CREATE TABLE numbers (n INT PRIMARY KEY);
  INSERT INTO numbers WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 299)
    SELECT a.n * 300 + b.n FROM s a JOIN s b WHERE a.n * 300 + b.n < ${ACCOUNTS};
  CREATE TABLE spread (id BIGINT PRIMARY KEY, cents INT NOT NULL);
  INSERT INTO spread SELECT n * 1000 - 5000000, ${CENTS_EACH} FROM numbers;
  CREATE TABLE pairs (a INT, b INT, cents INT NOT NULL, PRIMARY KEY (a, b));
  INSERT INTO pairs SELECT n DIV 10, n MOD 10, ${CENTS_EACH} FROM numbers;
  CREATE TABLE few (id VARCHAR(10) PRIMARY KEY, cents INT NOT NULL); INSERT INTO few VALUES ('x', ${CENTS_EACH});
  CREATE TABLE none (id INT PRIMARY KEY); DROP TABLE numbers`
const CENTS_OF_ALL = (2 * ACCOUNTS + 1) * CENTS_EACH

interface Transfers {
  readonly end: AbortSignal
  readonly count: () => void
}

/** Moves money between accounts of two tables, and closes and opens accounts, until the signal fires. */
async function transfer(database: Database, schema: string, { end, count }: Transfers, seed: number): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  for (let n = seed; !end.aborted; n = (n * 48_271) % 2_147_483_647) {
    const from = (n % ACCOUNTS) * 1000 - 5_000_000
    const [a, b] = [n % (ACCOUNTS / 10), n % 10]
    await session.query('START TRANSACTION')
    if (n % 7 === 0) {
      // An account that changes its key takes its money along.
      await session.query(`UPDATE IGNORE spread SET id = id + 1 + ${n % 900} WHERE id = ${from}`)
    } else {
      await session.query(`UPDATE spread SET cents = cents - 7 WHERE id = ${from}`)
      const [result] = await session.query('SELECT ROW_COUNT() AS changed')
      const changed = Number((result as { changed: number }[])[0]?.changed)
      if (changed > 0) await session.query(`UPDATE pairs SET cents = cents + 7 WHERE a = ${a} AND b = ${b}`)
    }
    await session.query('COMMIT')
    count()
  }
  await session.end()
}

function centsOf(events: readonly TaskEvent[]): number {
  return events.reduce((sum, { after }) => sum + Number(after?.at(-1)), 0)
}

/** Applies the events; each must find the row as the previous event left it. */
function replay(events: readonly TaskEvent[]): ReadonlyMap<string, string> {
  const rows = new Map<string, string>()
  const keyOf = (table: string, row: readonly string[]): string => [table, ...row.slice(0, -1)].join(' ')
  for (const { op, table, before, after } of events) {
    if (before !== null) {
      const key = keyOf(table, before)
      assert.equal(rows.get(key), before.at(-1), `${op} of ${key}`)
      rows.delete(key)
    }
    if (after !== null) {
      const key = keyOf(table, after)
      assert.ok(!rows.has(key), `${op} of ${key}`)
      rows.set(key, String(after.at(-1)))
    }
  }
  return rows
}

for (const [flavor, open] of casesOfTier('threads', [['MySQL', useMySql] as const, ['MariaDB', useMariaDb] as const])) {
  test(`${flavor}: four connections read one moment, and the stream continues exactly from it`, async () => {
    const database = await open()
    const scene = await sceneOf(database, BANK)
    const { schema } = scene
    const end = new AbortController()
    let transfers = 0
    const work: Transfers = { end: end.signal, count: () => (transfers += 1) }
    const writers = [1, 77, 4711].map((seed) => transfer(database, schema, work, seed))
    await eventually('money moves', () => Promise.resolve(transfers > 10))
    await using run = await TaskRun.start(scene, { 'snapshot.max.threads': '4' })

    await run.until(isCompleted)
    const snapshot = [...run.events]
    await run.until(isStreaming)
    const later = transfers + 100
    await eventually('more money moves', () => Promise.resolve(transfers > later))
    end.abort()
    await Promise.all(writers)
    await database.query(`INSERT INTO ${schema}.few VALUES ('end', 0)`)
    await run.until(({ events }) => events.at(-1)?.after?.[0] === 'end')

    assert.deepEqual(new Set(snapshot.map(({ op }) => op)), new Set(['r']))
    assert.equal(snapshot.length, 2 * ACCOUNTS + 1)
    assert.equal(centsOf(snapshot), CENTS_OF_ALL)
    assert.ok(run.events.length > snapshot.length)
    const rows = replay(run.events)
    const found = await database.query(`SELECT CONCAT('spread ', id) AS k, cents FROM ${schema}.spread
      UNION ALL SELECT CONCAT('pairs ', a, ' ', b), cents FROM ${schema}.pairs UNION ALL SELECT CONCAT('few ', id), cents FROM ${schema}.few`)
    assert.deepEqual(new Map(found.map(({ k, cents }) => [String(k), String(cents)])), rows)
    assertMarkers(snapshot)
  })
}

/** One first and one last row of all; else the first and the last of each table, by Debezium's order of precedence. */
function assertMarkers(snapshot: readonly TaskEvent[]): void {
  const tables = Map.groupBy(snapshot, ({ table }) => table)
  for (const [i, { marker, table }] of snapshot.entries()) {
    const ofTable = tables.get(table) ?? []
    const expected =
      i === snapshot.length - 1
        ? 'last'
        : i === 0
          ? 'first'
          : snapshot[i] === ofTable.at(-1)
            ? 'last_in_data_collection'
            : snapshot[i] === ofTable[0]
              ? 'first_in_data_collection'
              : 'true'
    assert.equal(marker, expected, `row ${i}, of ${table}`)
  }
}

test('a snapshot that loses one connection closes the others, continues, and yields every row once', async () => {
  const database = await useMySql()
  const name = uniqueName('big')
  const tables = ['a', 'b', 'c'].map(
    (letter) => `CREATE TABLE ${name}_${letter} (id INT PRIMARY KEY, text VARCHAR(4000));
    INSERT INTO ${name}_${letter} WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 59)
      SELECT a.n * 60 + b.n, REPEAT('x', 4000) FROM s a JOIN s b`,
  )
  const scene = await sceneOf(database, tables.join(';'))
  // Not the statements that find the range of keys before: those end by themselves.
  const running = async (): Promise<readonly unknown[]> => {
    const sessions = await database.query(
      `SELECT id AS id FROM information_schema.processlist WHERE id <> CONNECTION_ID()
        AND info LIKE 'SELECT %FROM%${name}%' AND info NOT LIKE 'SELECT MIN(%'`,
    )
    return sessions.map(({ id }) => id)
  }
  await using run = await TaskRun.start(scene, { 'snapshot.max.threads': '3' })
  await run.untilChanges(1)

  // Far more than the sockets hold: none of the statements ends without a poll.
  let first: readonly unknown[] = []
  await eventually('three statements are running', async () => (first = await running()).length === 3)
  await database.query(`KILL ${String(first[1])}`)
  await run.until(({ logger }) => logger.matching('The snapshot continues in').length > 0)
  await run.until(isCompleted)

  assert.deepEqual(
    (await running()).filter((id) => first.includes(id)),
    [],
  )
  const rows = run.events.map(({ table, after }) => `${table} ${after?.[0]}`)
  assert.deepEqual([rows.length, new Set(rows).size], [3 * 3600, 3 * 3600])
})
