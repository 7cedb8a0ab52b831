/**
 * Compares the initial snapshot with and without a lock, of a table with narrow rows: rows per second, and the longest
 * wait of a writer that inserts a row into another table every 10 ms.
 *
 *     npm run exec -- bench/micro/snapshot-locks.ts [rows, default 1000000] [mysql|mariadb] [property=value …]
 *
 * The modes take turns, two runs each. `property=value` sets a property of the connector; `modes=none` measures one mode,
 * `profile=20` prints the functions with the most time of the busiest thread. `against=` the entry file of another build
 * (`packages/cli/src/main.ts` of another checkout): both take turns.
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
  type Service,
  startService,
  temporaryFolder,
} from '@tributary/testkit'
import { processorSeconds } from '../measure/process-usage.ts'
import { largestEntries } from '../measure/profile.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const start = process.argv[3] === 'mariadb' ? startMariaDb : startMySql
const given = Object.fromEntries(process.argv.slice(4).map((each) => each.split('=') as [string, string]))
const { modes = 'minimal,none', profile = '0', against = '', ...properties } = given

await using profiles = temporaryFolder('profile')
await using database = await start({ profile: 'bench' })
await using kafka = await startKafka({ profile: 'bench' })
const nodeArgs = profile === '0' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles.path}`]
const { bootstrapServers } = kafka
await using service = await startService({ bootstrapServers, nodeArgs })
await using other = against === '' ? null : await startService({ bootstrapServers, entry: against })

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
  for (const mode of modes.split(',')) {
    await measure(service, mode, `${mode}${round}`)
    if (other !== null) await measure(other, mode, `other${mode}${round}`)
  }
}
if (profile !== '0') {
  await service.stop()
  for (const { what, share } of largestEntries(profiles.path, Number(profile)))
    console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${what}`)
}

async function measure(worker: Service, mode: string, prefix: string): Promise<void> {
  const stop = new AbortController()
  const probing = probe(database, stop.signal)
  const more = { 'snapshot.locking.mode': mode, ...properties }
  const startMs = systemClock.monotonicMs()
  const startCpu = processorSeconds(worker.pid)
  await worker.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: 'shop', more }))
  const client = await kafkaClient(bootstrapServers)
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
  await worker.rest('DELETE', `/connectors/${prefix}`)
  const toFirst = (firstMs ?? startMs) - startMs
  const afterFirst = Math.round(rows / (seconds - toFirst / 1000))
  const cpu = (((processorSeconds(worker.pid) - startCpu) / rows) * 1e6).toFixed(2)
  console.log(
    `${database.flavor} ${prefix}: ${Math.round(rows / seconds)} rows/s (${afterFirst} from the first one on, after ${toFirst.toFixed(0)} ms); ${cpu} µs of the worker per row; longest wait of ${count} inserts ${longestMs.toFixed(1)} ms`,
  )
}

async function endOf(client: Awaited<ReturnType<typeof kafkaClient>>, topic: string): Promise<number> {
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
