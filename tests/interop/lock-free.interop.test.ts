/**
 * Kafka Connect with Debezium takes over from Tributary in the middle of an initial snapshot without a lock, whose rows
 * are copied beside the stream. With a signal table in the configuration it continues the copy; otherwise it would ignore
 * that, so the stored offset lets it begin the snapshot again. In the end the topic has what SELECT returns.
 *
 *     RELAY_SEED=7 npm run interop -- lock-free
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Database, eventually, readTopic, useKafka, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import { type Side, sideOf } from './side.ts'

interface Event {
  readonly id: number
  readonly op: string
  /** Null: the row was deleted. */
  readonly v: number | null
  readonly side: Side
}

const ROWS = 10_000
const WAITING = { timeoutMs: 180_000, everyMs: 200 } as const
const MORE = {
  'snapshot.locking.mode': 'none',
  'incremental.snapshot.chunk.size': '10',
  'offset.flush.interval.ms': '500',
  'producer.override.linger.ms': '0',
}

for (const hasSignals of [true, false]) {
  const does = hasSignals ? 'continues the copy' : 'begins the snapshot again'
  test(`Debezium ${does} ${hasSignals ? 'with' : 'without'} a signal table`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using stack = new AsyncDisposableStack()
    const more = (name: string): Readonly<Record<string, string>> => ({
      ...MORE,
      ...(hasSignals ? { 'signal.data.collection': `${name}.signals` } : {}),
    })
    const relay = stack.use(await Relay.open({ database, bootstrapServers, random: runSeed(t), more }))
    await fill(database, relay)
    const events = async (): Promise<readonly Event[]> =>
      (await readTopic(bootstrapServers, relay.topic('bulk'))).flatMap(eventOf)
    const copied = async (side: Side): Promise<number> =>
      (await events()).filter((event) => event.op === 'r' && event.side === side).length

    const worker = await relay.start('tributary')
    await worker.register(relay.name, relay.config)
    // Debezium has no events for rows that are deleted before its new snapshot.
    const writing = new AbortController()
    const written = hasSignals ? change(database, relay.name, writing.signal) : Promise.resolve()
    await eventually('Tributary copies rows', async () => (await copied('tributary')) > 200, WAITING)
    await eventually(
      'the copy is in the stored offset',
      async () => (await relay.storedOffset())?.['incremental_snapshot_primary_key'] !== undefined,
      WAITING,
    )
    await relay.halt('kill')
    const stored = await relay.storedOffset()
    assert.match(String(stored?.['incremental_snapshot_collections']), /bulk/)
    assert.equal(stored?.['snapshot'], hasSignals ? undefined : 'INITIAL')

    const connect = await relay.start('connect')
    await connect.waitUntilRunning(relay.name, 120_000)
    const isOver = async (): Promise<boolean> => {
      const offset = (await relay.storedOffset()) ?? {}
      return hasSignals
        ? offset['incremental_snapshot_collections'] === undefined
        : offset['snapshot'] === undefined && (await copied('connect')) >= ROWS
    }
    await eventually('Debezium has all rows', isOver, WAITING)
    writing.abort()
    await written
    await eventually('the topic has what SELECT returns', () => isEqual(database, relay.name, events), WAITING)
    const figures = { tributary: await copied('tributary'), connect: await copied('connect') }
    t.diagnostic(JSON.stringify(figures))
    if (hasSignals) assert.ok(figures.connect > 0 && figures.connect < ROWS)
    else assert.equal(figures.connect, ROWS)
  })
}

async function isEqual(database: Database, name: string, events: () => Promise<readonly Event[]>): Promise<boolean> {
  const rows = await database.query(`SELECT id, v FROM ${name}.bulk`)
  const expected = new Map(rows.map((row) => [Number(row['id']), Number(row['v'])]))
  const state = new Map((await events()).map(({ id, v }) => [id, v]))
  const found = new Map([...state].filter(([, v]) => v !== null))
  return found.size === expected.size && [...expected].every(([id, v]) => found.get(id) === v)
}

async function fill(database: Database, relay: Relay): Promise<void> {
  const { name } = relay
  await relay.createTopic('bulk')
  await database.query(`CREATE TABLE ${name}.signals (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT);
    GRANT INSERT, DELETE ON ${name}.signals TO 'debezium'@'%';
    CREATE TABLE ${name}.bulk (id INT PRIMARY KEY, v INT)`)
  const values = Array.from({ length: ROWS }, (_row, i) => `(${i}, 0)`)
  await database.query(`INSERT INTO ${name}.bulk VALUES ${values.join(', ')}`)
}

async function change(database: Database, name: string, stop: AbortSignal): Promise<void> {
  for (let i = 0; !stop.aborted; i++) {
    const at = (i * 997) % ROWS
    await database.query(`UPDATE ${name}.bulk SET v = v + 1 WHERE id BETWEEN ${at} AND ${at + 3};
      DELETE FROM ${name}.bulk WHERE id = ${(i * 1_301) % ROWS}; INSERT IGNORE INTO ${name}.bulk VALUES (${at}, ${i})`)
    await setTimeout(20)
  }
}

function eventOf({ key, value }: { readonly key: Buffer | null; readonly value: Buffer | null }): Event[] {
  if (key === null || value === null) return []
  const { payload: id } = JSON.parse(key.toString()) as { payload: { id: number } }
  const { payload } = JSON.parse(value.toString()) as {
    payload: { op: string; after: { v: number } | null; source: Readonly<Record<string, unknown>> }
  }
  const { source, op, after } = payload
  return [{ id: id.id, op, v: after === null ? null : after.v, side: sideOf(String(source['version'])) }]
}
