/**
 * How long the REST interface takes to answer while a snapshot runs at full speed: 1,000 times GET /connectors, one after the other.
 *
 *     npm run bench -- rest [--rows 1000000] [--requests 1000] [--mariadb]
 */
import { parseArgs } from 'node:util'
import {
  connectorConfig,
  type Database,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  type Service,
} from '@tributary/testkit'

export interface RestLatencyResult {
  readonly rows: number
  /** Requests that were answered while rows were being read; the figures are of these. */
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Of the table that was read meanwhile. */
  readonly rowsPerSecond: number
}

const DATABASE = 'bench'
const READING = /Exporting data from table/
const READ = /Finished exporting \d+ records for table '[^']+' in (\d+) ms/

export async function restLatency(args: readonly string[]): Promise<RestLatencyResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '1000' },
      mariadb: { type: 'boolean', default: false },
    },
  })
  const rows = Number(values.rows)
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = stack.use(await startKafka({ profile: 'bench' }))
  const database = stack.use(
    values.mariadb ? await startMariaDb({ profile: 'bench' }) : await startMySql({ profile: 'bench' }),
  )
  console.error(`making ${rows} rows …`)
  await makeRows(database, rows)
  const service = stack.use(await startService({ bootstrapServers }))
  await service.register('bench', connectorConfig({ database, bootstrapServers, prefix: DATABASE, includes: DATABASE }))
  await service.waitForLog(READING)
  console.error('asking …')
  const latencies = await ask(service, Number(values.requests))
  if (latencies.length === 0) throw new Error('the snapshot was over before the first answer: take more --rows')
  await service.waitForLog(READ, 0, 600_000)
  const readMs = Number(READ.exec(service.log)?.[1])
  return { rows, requests: latencies.length, ...summary(latencies), rowsPerSecond: Math.round((rows / readMs) * 1000) }
}

/** Milliseconds per request, as long as the snapshot runs. */
async function ask(service: Service, requests: number): Promise<readonly number[]> {
  const latencies: number[] = []
  for (let i = 0; i < requests; i++) {
    const begin = performance.now()
    await service.rest('GET', '/connectors')
    const latency = performance.now() - begin
    // Reading the log is no part of what is measured.
    if (i % LOOK_EVERY === 0 && READ.test(service.log)) break
    latencies.push(latency)
  }
  return latencies
}

const LOOK_EVERY = 50

function summary(latencies: readonly number[]): Pick<RestLatencyResult, 'p50Ms' | 'p99Ms' | 'maxMs'> {
  const sorted = latencies.toSorted((a, b) => a - b)
  const quantile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  return { p50Ms: rounded(quantile(0.5)), p99Ms: rounded(quantile(0.99)), maxMs: rounded(quantile(1)) }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}

/** Doubled until there are enough: statements of a size that the server takes in one transaction. */
async function makeRows(database: Database, rows: number): Promise<void> {
  await database.query(`
    CREATE DATABASE ${DATABASE};
    CREATE TABLE ${DATABASE}.customers (
      id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, first_name VARCHAR(255) NOT NULL,
      last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL);
    INSERT INTO ${DATABASE}.customers VALUES (1, 'Sally', 'Thomas', 'sally.thomas@acme.com')`)
  for (let made = 1; made < rows; made *= 2) {
    await database.query(`
      INSERT INTO ${DATABASE}.customers (first_name, last_name, email)
        SELECT first_name, last_name, email FROM ${DATABASE}.customers LIMIT ${Math.min(made, rows - made)}`)
  }
}
