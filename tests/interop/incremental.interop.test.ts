/**
 * Tributary and Kafka Connect with Debezium take an incremental snapshot over from each other in the middle: the other
 * side continues after the last key in the stored offset. The table is changed all the time; in the end its topic has
 * what SELECT returns, and consumers cannot see which side wrote a record.
 *
 *     RELAY_SEED=7 npm run interop -- incremental
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { LogRecord } from '@tributary/kafka'
import { type Database, eventually, readTopic, startMySql, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import { type Side, sideOf } from './side.ts'

interface Event {
  readonly key: string
  readonly op: string
  /** Null: the row was deleted. */
  readonly row: string | null
  readonly side: Side
  /** Of an incremental snapshot. */
  readonly isCopied: boolean
  /** Schemas and names, without what depends on the side, the time or the position. */
  readonly form: string
}

/** Tributary copies so many in some seconds: it is killed in the middle. */
const ROWS = 20_000
const MORE = {
  'incremental.snapshot.chunk.size': '10',
  'offset.flush.interval.ms': '500',
  'producer.override.linger.ms': '0',
}
const WAITING = { timeoutMs: 120_000, everyMs: 100 } as const
/** Two thousand chunks, on a busy machine. */
const LONG = { ...WAITING, timeoutMs: 600_000 } as const

const servers: readonly (readonly [string, () => Promise<Database & Partial<AsyncDisposable>>])[] = [
  ['MySQL', useMySql],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', useMariaDb],
]
const orders: readonly (readonly [Side, Side, Side])[] = [
  ['tributary', 'connect', 'tributary'],
  ['connect', 'tributary', 'connect'],
]

for (const [title, open] of servers) {
  for (const sides of orders) {
    test(`${title}: ${sides.join(', then ')}`, async (t) => {
      const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
      await using stack = new AsyncDisposableStack()
      stack.defer(async () => database[Symbol.asyncDispose]?.())
      const more = (name: string): Readonly<Record<string, string>> => ({
        ...MORE,
        'signal.data.collection': `${name}.signals`,
      })
      const relay = stack.use(await Relay.open({ database, bootstrapServers, random: runSeed(t), more }))
      await fill(database, relay)
      const bulk = async (): Promise<readonly Event[]> =>
        (await readTopic(bootstrapServers, relay.topic('bulk'))).flatMap(eventOf)
      const copied = async (side: Side): Promise<number> =>
        (await bulk()).filter((event) => event.isCopied && event.side === side).length

      const [first, ...others] = sides
      await relay.begin(first)
      const writing = new AbortController()
      const written = change(database, relay.name, writing.signal)
      await signal(database, relay.name)
      await eventually('the first side copies rows', async () => (await copied(first)) > 200, WAITING)
      for (const side of others) {
        await relay.halt('kill')
        const stored = await relay.storedOffset()
        assert.match(String(stored?.['incremental_snapshot_collections']), /bulk/)
        assert.match(String(stored?.['incremental_snapshot_primary_key']), /^aced0005/)
        const before = await copied(side)
        await relay.goOn(side)
        await eventually(`${side} copies rows`, async () => (await copied(side)) > before + 200, WAITING)
      }
      const isOver = async (): Promise<boolean> =>
        (await relay.storedOffset())?.['incremental_snapshot_collections'] === undefined
      await eventually('the snapshot is complete', isOver, LONG)
      writing.abort()
      await written
      await relay.change()
      await relay.waitUntilTold()

      const rows = await database.query(`SELECT a, b, v FROM ${relay.name}.bulk`)
      const expected = rows.map(({ a, b, v }) => [`${String(a)} ${String(b)}`, String(v)] as const)
      const isTold = async (): Promise<boolean> => {
        const state = stateOf(await bulk())
        return expected.every(([key, v]) => state.get(key) === v)
      }
      await eventually('the topic has all rows', isTold, WAITING)
      const events = await bulk()
      const state = [...stateOf(events)].filter(([, row]) => row !== null)
      assert.deepEqual(new Map(state), new Map(expected))
      const incremental = events.filter(({ isCopied }) => isCopied)
      const [form] = new Set(incremental.map((event) => event.form))
      assert.deepEqual(new Set(incremental.map((event) => event.form)), new Set([form]))
      const figures = {
        copied: incremental.length,
        tributary: await copied('tributary'),
        connect: await copied('connect'),
      }
      t.diagnostic(JSON.stringify(figures))
      // Had a side begun again, it would be many more. Offsets are stored every 500 ms.
      assert.ok(figures.copied < ROWS * 1.6)
    })
  }
}

async function fill(database: Database, relay: Relay): Promise<void> {
  const { name } = relay
  await relay.createTopic('bulk')
  await database.query(`CREATE TABLE ${name}.signals (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT);
    GRANT INSERT, DELETE ON ${name}.signals TO 'debezium'@'%';
    CREATE TABLE ${name}.bulk (a VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, b INT, v INT, PRIMARY KEY (a, b))`)
  const values = Array.from({ length: ROWS }, (_, i) => `('${['x', 'ü', '漢'][i % 3] ?? ''}', ${i}, 0)`)
  await database.query(`INSERT INTO ${name}.bulk VALUES ${values.join(', ')}`)
}

async function signal(database: Database, name: string): Promise<void> {
  const data = JSON.stringify({ 'data-collections': [`${name}.bulk`], type: 'incremental' })
  await database.query(`INSERT INTO ${name}.signals VALUES ('copy', 'execute-snapshot', '${data}')`)
}

async function change(database: Database, name: string, stop: AbortSignal): Promise<void> {
  for (let i = 0; !stop.aborted; i++) {
    const at = (i * 997) % ROWS
    await database.query(`UPDATE ${name}.bulk SET v = v + 1 WHERE b BETWEEN ${at} AND ${at + 3};
      DELETE FROM ${name}.bulk WHERE b = ${(i * 1_301) % ROWS}; INSERT IGNORE INTO ${name}.bulk VALUES ('x', ${at}, ${i})`)
    await setTimeout(20)
  }
}

function eventOf({ key, value }: LogRecord): Event[] {
  if (key === null || value === null) return []
  const { payload: id } = JSON.parse(key.toString()) as { payload: { a: string; b: number } }
  const { schema, payload } = JSON.parse(value.toString()) as {
    schema: unknown
    payload: { op: string; after: { v: number } | null; source: Readonly<Record<string, unknown>> }
  }
  const { source, op, after } = payload
  return [
    {
      key: `${id.a} ${id.b}`,
      op,
      row: after === null ? null : String(after.v),
      side: sideOf(String(source['version'])),
      isCopied: op === 'r' && source['snapshot'] === 'incremental',
      form: JSON.stringify([Object.keys(source), schema]),
    },
  ]
}

function stateOf(events: readonly Event[]): ReadonlyMap<string, string | null> {
  return new Map(events.map(({ key, row }) => [key, row]))
}
