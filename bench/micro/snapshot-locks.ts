/**
 * Compares the initial snapshot with and without a lock, of a table with narrow rows: rows per second, and the longest
 * wait of a writer that inserts a row into another table every 10 ms.
 *
 *     npm run exec -- bench/micro/snapshot-locks.ts [rows, default 1000000] [mysql|mariadb] [mode=value …]
 *
 * The modes take turns, two runs each. `mode=value` sets a property of the connector.
 */
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@tributary/support'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
} from '@tributary/testkit'

const rows = Number(process.argv[2] ?? 1_000_000)
const start = process.argv[3] === 'mariadb' ? startMariaDb : startMySql
const properties = Object.fromEntries(process.argv.slice(4).map((each) => each.split('=') as [string, string]))

await using database = await start({ profile: 'bench' })
await using kafka = await startKafka({ profile: 'bench' })
await using service = await startService({ bootstrapServers: kafka.bootstrapServers })

await database.query(
  `CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, amount INT, note VARCHAR(20));
   CREATE TABLE shop.probe (id INT PRIMARY KEY AUTO_INCREMENT)`,
)
const PART = 20_000
for (let from = 0; from < rows; from += PART) {
  const count = Math.min(PART, rows - from)
  const values = Array.from({ length: count }, (_, i) => `(${from + i},${i},'note ${i % 100}')`)
  await database.query(`INSERT INTO shop.orders VALUES ${values.join()}`)
}

for (let round = 0; round < 2; round++) {
  for (const mode of ['minimal', 'none']) await measure(mode, `${mode}${round}`)
}

async function measure(mode: string, prefix: string): Promise<void> {
  const stop = new AbortController()
  const probing = probe(database, stop.signal)
  const more = { 'snapshot.locking.mode': mode, ...properties }
  const { bootstrapServers } = kafka
  const startMs = systemClock.monotonicMs()
  await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: 'shop', more }))
  const client = kafkaClient(bootstrapServers)
  await using admin = client.admin()
  let firstMs: number | null = null
  await eventually(
    'the topic has all rows',
    async () => {
      const topic = `${prefix}.shop.orders`
      const end = (await admin.describeTopic(topic)) === null ? 0 : await endOf(client, topic)
      if (end > 0) firstMs ??= systemClock.monotonicMs()
      return end >= rows
    },
    { timeoutMs: 600_000, everyMs: 100 },
  )
  const seconds = (systemClock.monotonicMs() - startMs) / 1000
  stop.abort()
  const { longestMs, count } = await probing
  await service.rest('DELETE', `/connectors/${prefix}`)
  const toFirst = ((firstMs ?? startMs) - startMs).toFixed(0)
  console.log(
    `${database.flavor} ${mode}: ${Math.round(rows / seconds)} rows/s; first rows after ${toFirst} ms; longest wait of ${count} inserts ${longestMs.toFixed(1)} ms`,
  )
}

async function endOf(client: ReturnType<typeof kafkaClient>, topic: string): Promise<number> {
  await using reader = await client.reader({ topic, from: 'latest' })
  return Number((await reader.endOffsets()).get(0) ?? 0n)
}

async function probe(on: Database, signal: AbortSignal): Promise<{ longestMs: number; count: number }> {
  const connection = await on.connect()
  let longestMs = 0
  let count = 0
  while (!signal.aborted) {
    const sinceMs = systemClock.monotonicMs()
    await connection.query('INSERT INTO shop.probe VALUES ()')
    longestMs = Math.max(longestMs, systemClock.monotonicMs() - sinceMs)
    count += 1
    await setTimeout(10)
  }
  await connection.end()
  return { longestMs, count }
}
