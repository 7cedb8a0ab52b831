/**
 * Tables that enter the captured ones while a connector runs: by PUT config, under a pattern when they are created, and by
 * a rename. All of their rows arrive, and the log has what happened. Reports the longest pause of another table's events
 * in each step.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  connectorConfig,
  type Database,
  eventually,
  readTopic,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'

const ROWS = 10_000
const WAITING = { timeoutMs: 180_000, everyMs: 1_000 } as const

for (const [title, open] of [['MySQL', useMySql] as const, ['MariaDB', useMariaDb] as const]) {
  test(`${title}: tables that are added by PUT config, by a pattern and by a rename arrive as a whole`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    const name = uniqueName('added')
    await fill(database, name)
    await using service = await startService({ bootstrapServers })
    const more = { 'snapshot.new.tables': 'renamed', 'incremental.snapshot.chunk.size': '2048' }
    const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more })
    const listed = { ...config, 'table.include.list': `${name}.ticks,${name}.p_.*` }
    await service.register(name, listed)
    const stop = new AbortController()
    const ticking = tick(database, name, stop.signal)
    const scene: Scene = { database, name, service, bootstrapServers, t }
    await eventually('ticks arrive', async () => (await timesOf(scene)).length > 20, WAITING)

    await step(scene, 'PUT config', 'big', async () => {
      const lists = { ...listed, 'table.include.list': `${name}.ticks,${name}.p_.*,${name}.big` }
      assert.equal((await service.rest('PUT', `/connectors/${name}/config`, lists)).status, 200)
    })
    await step(scene, 'created under a pattern', 'p_new', () =>
      database.query(
        `CREATE TABLE ${name}.p_new (id INT PRIMARY KEY, v INT); INSERT INTO ${name}.p_new SELECT * FROM ${name}.big`,
      ),
    )
    await step(scene, 'renamed into the set', 'p_other', () =>
      database.query(`RENAME TABLE ${name}.other TO ${name}.p_other`),
    )

    stop.abort()
    const last = await ticking
    await eventually('all ticks arrive', async () => (await timesOf(scene)).length >= last, WAITING)
    assert.equal((await timesOf(scene)).length, last)
  })
}

interface Scene {
  readonly database: Database
  readonly name: string
  readonly service: Service
  readonly bootstrapServers: readonly string[]
  readonly t: TestContext
}

/** Adds a table, changes a row of it meanwhile, and waits until its topic has what SELECT returns. */
async function step(scene: Scene, what: string, table: string, add: () => Promise<unknown>): Promise<void> {
  const { database, name, service, t } = scene
  const before = (await timesOf(scene)).length
  const logged = service.log.length
  await add()
  await database.query(
    `UPDATE ${name}.${table} SET v = v + 1 WHERE id = ${ROWS / 2}; DELETE FROM ${name}.${table} WHERE id = ${ROWS}`,
  )
  const expected = new Map(
    (await database.query(`SELECT id, v FROM ${name}.${table}`)).map(({ id, v }) => [Number(id), Number(v)]),
  )
  assert.equal(expected.size, ROWS - 1)
  const isThere = async (): Promise<boolean> => {
    const { rows } = await rowsOf(scene, table)
    return rows.size === expected.size && [...expected].every(([id, v]) => rows.get(id) === v)
  }
  await eventually(`${table} arrives`, isThere, WAITING)
  // The events that the pause would separate have arrived, too.
  const count = (await timesOf(scene)).length
  await eventually('ticks arrive', async () => (await timesOf(scene)).length > count + 5, WAITING)
  const times = (await timesOf(scene)).slice(Math.max(0, before - 1))
  const pauses = times.slice(1).map((at, i) => at - (times[i] ?? at))
  const { ops } = await rowsOf(scene, table)
  const lines = service.log
    .slice(logged)
    .split('\n')
    .filter((line) => /Added to the captured|Incremental snapshot of table .* is complete|captured/i.test(line))
  t.diagnostic(
    `${what}: ${JSON.stringify(Object.fromEntries(ops))}; longest pause of other events ${Math.max(...pauses)} ms; log: ${lines
      .map((line) => /"(?:msg|message)":"([^"]*)"/.exec(line)?.[1] ?? line.slice(-200))
      .join(' | ')}`,
  )
}

async function fill(database: Database, name: string): Promise<void> {
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.ticks (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
    CREATE TABLE ${name}.big (id INT PRIMARY KEY, v INT); CREATE TABLE ${name}.other (id INT PRIMARY KEY, v INT)`)
  for (let from = 1; from <= ROWS; from += 10_000) {
    const values = Array.from({ length: 10_000 }, (_, i) => `(${from + i}, ${i})`).join()
    await database.query(`INSERT INTO ${name}.big VALUES ${values}; INSERT INTO ${name}.other VALUES ${values}`)
  }
}

/** Inserts a row every 20 ms. Returns the number of rows. */
async function tick(database: Database, name: string, signal: AbortSignal): Promise<number> {
  const connection = await database.connect()
  let count = 0
  while (!signal.aborted) {
    await connection.query(`INSERT INTO ${name}.ticks (v) VALUES (${count})`)
    count += 1
    await setTimeout(20)
  }
  await connection.end()
  return count
}

/** When the connector has sent the events of the ticks, in milliseconds since 1970. */
async function timesOf({ bootstrapServers, name }: Scene): Promise<readonly number[]> {
  return (await readTopic(bootstrapServers, `${name}.${name}.ticks`)).map(({ timestamp }) => timestamp)
}

interface Topic {
  readonly rows: ReadonlyMap<number, number>
  /** How many events have each operation. */
  readonly ops: ReadonlyMap<string, number>
}

async function rowsOf({ bootstrapServers, name }: Scene, table: string): Promise<Topic> {
  const rows = new Map<number, number>()
  const ops = new Map<string, number>()
  for (const { value } of await readTopic(bootstrapServers, `${name}.${name}.${table}`)) {
    if (value === null) continue
    const { op, before, after } = (JSON.parse(value.toString()) as { payload: Payload }).payload
    ops.set(op, (ops.get(op) ?? 0) + 1)
    if (after !== null) rows.set(after.id, after.v)
    else if (before !== null) rows.delete(before.id)
  }
  return { rows, ops }
}

interface Payload {
  readonly op: string
  readonly before: { readonly id: number } | null
  readonly after: { readonly id: number; readonly v: number } | null
}
