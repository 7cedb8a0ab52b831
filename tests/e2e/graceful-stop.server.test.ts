/**
 * SIGTERM: the worker stores offsets, repeats nothing after the next start, and exits in time whatever is unreachable.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  fullTest,
  idOf,
  kafkaClient,
  readTopic,
  startKafka,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** Rows of each transaction: more than a second of work. */
const ROWS = 20_000

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, i) => i + 1)
}

/** Creates a database with a table of one row and returns its name. */
async function createTable(): Promise<string> {
  const schema = uniqueName('graceful')
  const database = await useMySql()
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY AUTO_INCREMENT, note VARCHAR(200)); INSERT INTO ${schema}.t VALUES (1, '')`,
  )
  return schema
}

test('stops in the middle of a stream of changes: every change is sent once, in order', async () => {
  const [database, { bootstrapServers }, schema] = await Promise.all([useMySql(), useKafka(), createTable()])
  const topic = `${schema}.${schema}.t`
  // No commit by itself while the test runs: what is stored was stored by the stops.
  await using service = await startService({ bootstrapServers, env: { OFFSET_FLUSH_INTERVAL_MS: '600000' } })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, topic, 1)
  await using kafka = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
  const size = async (): Promise<bigint> => (await kafka.endOffsets()).get(0) ?? 0n
  let rows = 1
  for (let stop = 1; stop <= 2; stop++) {
    const before = await size()
    // One large transaction: the stops fall into the middle of it, and the offset has to contain which row is next.
    await database.query(`
      SET SESSION cte_max_recursion_depth = 100000;
      INSERT INTO ${schema}.t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
        SELECT ${rows} + i, REPEAT('x', 200) FROM n`)
    rows += ROWS
    await eventually('the first rows have arrived', async () => (await size()) > before, { everyMs: 5 })
    // A terminal and npm both forward Ctrl-C: the second signal must not abort the shutdown of the first.
    process.kill(service.pid, 'SIGTERM')
    await service.stop()
    assert.match(service.log.trimEnd().split('\n').at(-1) ?? '', /Worker stopped$/)
    const logged = service.log.length
    await service.start()
    await service.waitForLog(/Connected to binlog at .*, skipping \d+ events plus \d+ rows/, logged)
    await eventually('all rows have arrived', async () => (await size()) >= rows, { timeoutMs: 60_000 })
  }
  const ids = (await readTopic(bootstrapServers, topic)).map(idOf)
  assert.deepEqual(ids, upTo(rows))
  assert.doesNotMatch(service.log, / ERROR |not acknowledged|could not be stored/)
})

fullTest(
  'stops in time while the brokers are unreachable, reports what was not stored, and continues with it',
  async () => {
    const [database, schema] = await Promise.all([useMySql(), createTable()])
    await using kafka = await startKafka({ behindProxy: true })
    const { bootstrapServers, internalServers, proxies } = kafka
    const topic = `${schema}.${schema}.t`
    const env = { OFFSET_FLUSH_TIMEOUT_MS: '2000', CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS: '4000' }
    await using service = await startService({ bootstrapServers, env })
    await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
    await waitForRecords(internalServers, topic, 1)
    for (const proxy of proxies) proxy.stall()
    const passed = proxies[0]?.bytes.fromTarget
    await service.waitForLog(/Connected to binlog at/)
    await database.query(`INSERT INTO ${schema}.t VALUES (2, 'while the brokers are unreachable')`)
    await eventually('the row has left for the broker', () =>
      proxies.some((proxy) => proxy.heldBack().includes('while the brokers are unreachable')),
    )

    // Without a limit it would be killed after half a minute and would not have reported this.
    await service.stop()
    assert.match(service.log.trimEnd().split('\n').at(-1) ?? '', /Worker stopped$/)
    assert.match(
      service.log,
      /WARN .* 1 records were not acknowledged in time; they are sent again when the task starts/,
    )
    assert.equal(proxies[0]?.bytes.fromTarget, passed)

    for (const proxy of proxies) proxy.resume()
    await service.start()
    const ids = (await waitForRecords(internalServers, topic, 2)).map(idOf)
    assert.deepEqual([...new Set(ids)], [1, 2])
  },
)
