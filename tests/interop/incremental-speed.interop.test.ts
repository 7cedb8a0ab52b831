/**
 * Tributary and Kafka Connect with Debezium copy the same table by the same signal, one after the other, beside the same
 * changes: the records must be the same. Prints the rows per second of both.
 *
 *     SPEED_ROWS=1000000 npm run interop -- incremental-speed
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  type Service,
  startConnect,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
} from '@tributary/testkit'
import type { Side } from './side.ts'

const ROWS = Number(process.env['SPEED_ROWS'] ?? 100_000)
const WAITING = { timeoutMs: 500_000, everyMs: 50 } as const
const SIDES: readonly Side[] = ['tributary', 'connect']

for (const [title, open] of [['MySQL', () => startMySql()] as const, ['MariaDB', () => startMariaDb()] as const]) {
  test(`${title}: an incremental snapshot has the records of Debezium`, async (t) => {
    await using database = await open()
    await using kafka = await startKafka()
    const { bootstrapServers } = kafka
    await using tributary = await startService({ bootstrapServers })
    await using connect = await startConnect({ bootstrapServers, javaArgs: ['-Xms512m', '-Xmx1g'] })
    const workers: Readonly<Record<Side, Service>> = { tributary, connect }
    await fill(database)
    for (const side of SIDES) await begin(workers[side], side, database, bootstrapServers)
    await database.query('UPDATE speed.bulk SET v = v + 1 WHERE id IN (0, 5, 77)')
    const seconds = new Map<Side, number>()
    for (const side of SIDES) seconds.set(side, await copy(side, database, bootstrapServers))
    await database.query('UPDATE speed.bulk SET v = v + 1 WHERE id IN (0, 5, 77); DELETE FROM speed.bulk WHERE id = 6')
    const [own, others] = [await recordsOf('tributary', bootstrapServers), await recordsOf('connect', bootstrapServers)]
    const figures = Object.fromEntries([...seconds].map(([side, each]) => [side, Math.round(ROWS / each)]))
    t.diagnostic(`rows/s ${JSON.stringify(figures)}`)
    assert.equal(own.length, ROWS + 3 + 3 + 2)
    // Rows of a chunk may be in another order, and chunks are others: keys are in order for both.
    assert.deepEqual(own, others)
  })
}

async function begin(
  worker: Service,
  side: Side,
  database: Database,
  bootstrapServers: readonly string[],
): Promise<void> {
  const more = {
    'table.include.list': `speed.bulk,speed.signals_${side}`,
    'snapshot.mode': 'no_data',
    'signal.data.collection': `speed.signals_${side}`,
    'source.struct.version': 'v2',
  }
  const { 'source.struct.version': _version, ...forConnect } = more
  const properties = side === 'tributary' ? more : forConnect
  await worker.register(
    side,
    connectorConfig({ database, bootstrapServers, prefix: side, includes: 'speed', more: properties }),
  )
  await worker.waitUntilRunning(side, 180_000)
  // It streams when the first change arrives.
  const isStreaming = async (): Promise<boolean> => {
    await database.query('UPDATE speed.bulk SET w = w + 1 WHERE id = 99')
    return (await sizeOf(bootstrapServers, side)) > 0
  }
  await eventually(`${side} streams`, isStreaming, { timeoutMs: 180_000, everyMs: 500 })
}

/** Returns the seconds from the signal until the topic has all rows. */
async function copy(side: Side, database: Database, bootstrapServers: readonly string[]): Promise<number> {
  const before = await sizeOf(bootstrapServers, side)
  const startMs = systemClock.monotonicMs()
  const data = JSON.stringify({ 'data-collections': ['speed.bulk'], type: 'incremental' })
  await database.query(`INSERT INTO speed.signals_${side} VALUES ('copy', 'execute-snapshot', '${data}')`)
  const hasAll = async (): Promise<boolean> => (await sizeOf(bootstrapServers, side)) >= before + ROWS
  await eventually(`${side} has copied all rows`, hasAll, WAITING)
  return (systemClock.monotonicMs() - startMs) / 1000
}

async function sizeOf(bootstrapServers: readonly string[], side: Side): Promise<number> {
  const client = await kafkaClient(bootstrapServers)
  await using admin = client.admin()
  const topic = `${side}.speed.bulk`
  if ((await admin.describeTopic(topic)) === null) return 0
  await using reader = await client.reader({ topic, from: 'latest' })
  return Number((await reader.endOffsets()).get(0) ?? 0n)
}

async function fill(database: Database): Promise<void> {
  await database.query(`CREATE DATABASE speed;
    CREATE TABLE speed.signals_tributary (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT);
    CREATE TABLE speed.signals_connect (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32), data TEXT);
    GRANT INSERT, DELETE ON speed.* TO 'debezium'@'%';
    CREATE TABLE speed.bulk (id INT PRIMARY KEY, v INT, w INT, price DECIMAL(10, 2), note VARCHAR(30), at DATETIME(6))`)
  const PART = 10_000
  for (let from = 0; from < ROWS; from += PART) {
    const values = Array.from({ length: Math.min(PART, ROWS - from) }, (_, i) => from + i)
    const rows = values.map((i) => `(${i}, ${i}, 0, ${i % 1000}.25, 'note ä ${i % 97}', '2026-01-02 03:04:05.000006')`)
    await database.query(`INSERT INTO speed.bulk VALUES ${rows.join()}`)
  }
}

/** What does not depend on the side, the time or the position; without what the test made to see that it streams. */
async function recordsOf(side: Side, bootstrapServers: readonly string[]): Promise<readonly string[]> {
  const records: string[] = []
  const isComplete = async (): Promise<boolean> => {
    records.length = 0
    for (const { key, value } of await readTopic(bootstrapServers, `${side}.speed.bulk`)) {
      const id = key === null ? null : (JSON.parse(key.toString()) as { payload: { id: number } }).payload.id
      const payload = value === null ? null : (JSON.parse(value.toString()) as { payload: Payload }).payload
      if (id === 99) {
        if (payload?.op === 'r') records.push(JSON.stringify([id, 'r']))
        continue
      }
      records.push(
        JSON.stringify([id, payload && [payload.op, payload.before, payload.after, payload.source.snapshot]]),
      )
    }
    return records.at(-1) === '[6,null]'
  }
  await eventually(`${side} has sent the last change`, isComplete, { timeoutMs: 120_000, everyMs: 1_000 })
  return records
}

interface Payload {
  readonly op: string
  readonly before: unknown
  readonly after: unknown
  readonly source: { readonly snapshot: unknown }
}
