/**
 * A connector whose database becomes unreachable does not fail: it waits and continues where it was, whatever it was
 * doing. The database is behind a proxy, which stops and starts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  connectorConfig,
  type Database,
  eventually,
  fullTest,
  readTopic,
  startFaultProxy,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

interface Event {
  readonly op: string
  readonly after: { readonly id: number } | null
}

/** Operation and key of each event: `c3`. */
function eventsOf(records: readonly LogRecord[]): readonly string[] {
  return records.map(({ value }) => {
    const { payload } = JSON.parse(value?.toString() ?? 'null') as { payload: Event }
    return `${payload.op}${payload.after?.id}`
  })
}

/** Creates a database with a table of some rows and returns its name. */
async function createPets(rows: number, database: Database): Promise<string> {
  const schema = uniqueName('unreachable')
  await database.query(`
    CREATE DATABASE ${schema}; USE ${schema};
    CREATE TABLE pets (id INT NOT NULL PRIMARY KEY, note VARCHAR(1000) NOT NULL);
    SET SESSION cte_max_recursion_depth = 100000;
    INSERT INTO pets WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      SELECT i, REPEAT('x', 1000) FROM n`)
  return schema
}

fullTest('the task waits for a database that is unreachable in the stream or when the service starts', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createPets(1, database)
  const insert = (id: number): Promise<unknown> => database.query(`INSERT INTO ${schema}.pets VALUES (${id}, '')`)
  const topic = `${schema}.${schema}.pets`
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await startService({ bootstrapServers }))
  const first = stack.use(await startFaultProxy({ target: database }))
  const { port } = first
  const config = connectorConfig({
    database: { ...database, port },
    bootstrapServers,
    prefix: schema,
    includes: schema,
  })
  await service.register(schema, config)
  await service.waitForLog(/Connected to binlog at/)
  await insert(2)
  await waitForRecords(bootstrapServers, topic, 2)

  // In the stream.
  await first.close()
  await service.waitForLog(
    /The binlog connection is opened again in \d+ ms from \S+:\d+.*\n.*Unable to connect to the database at .*ECONNREFUSED/,
  )
  await insert(3)
  const second = stack.use(await startFaultProxy({ target: database, port }))
  await waitForRecords(bootstrapServers, topic, 3)

  // When the service starts.
  await service.stop()
  await second.close()
  await insert(4)
  const logged = service.log.length
  await service.start()
  const { state } = await service.waitForTask(schema, ['RUNNING', 'FAILED'])
  const waiting = await service.waitForLog(/MySQL\|.*\|task {2}Cannot begin yet.*\n/, logged)
  assert.equal(state, 'RUNNING')
  assert.equal(
    waiting.replace(/in \d+ ms/, 'in … ms'),
    `MySQL|${schema}|task  Cannot begin yet; trying again in … ms: Unable to connect to the database at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}. Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.\n`,
  )
  stack.use(await startFaultProxy({ target: database, port }))
  await insert(5)

  const records = await waitForRecords(bootstrapServers, topic, 5)
  assert.deepEqual(eventsOf(records), ['r1', 'c2', 'c3', 'c4', 'c5'])
  assert.doesNotMatch(service.log, / ERROR /)
})

test('a snapshot whose database becomes unreachable continues, and every row is sent', async () => {
  const rows = 8000
  // Its own server: on the shared one, the checks before the snapshot read what many other tests have created.
  await using database = await startMySql()
  const [{ bootstrapServers }, schema] = await Promise.all([useKafka(), createPets(rows, database)])
  const topic = `${schema}.${schema}.pets`
  await using service = await startService({ bootstrapServers })
  await using proxy = await startFaultProxy({ target: database })
  const config = connectorConfig({
    database,
    bootstrapServers,
    prefix: schema,
    includes: schema,
    more: { 'database.port': String(proxy.port) },
  })

  // Five of the eight megabytes of rows: more than one poll returns, so that some are sent.
  proxy.cutAfterBytes(5 << 20)
  await service.register(schema, config)
  await service.waitForLog(/The snapshot continues in \d+ ms\n.*was lost while /)
  proxy.refuse()
  const logged = service.log.length
  await service.waitForLog(/The snapshot continues in \d+ ms\n.*Unable to connect to the database at /, logged)
  proxy.resume()
  await service.waitForLog(/SnapshotResult \[status=COMPLETED/, logged)
  await database.query(`INSERT INTO ${schema}.pets VALUES (100000, 'afterwards')`)

  const events = await eventually(
    'the last event has arrived',
    async () => {
      const all = eventsOf(await readTopic(bootstrapServers, topic))
      return all.at(-1) === 'c100000' && all
    },
    { timeoutMs: 60_000, everyMs: 200 },
  )
  assert.deepEqual(
    // Without rows that were sent again.
    [...new Set(events.slice(0, -1))],
    Array.from({ length: rows }, (_, i) => `r${i + 1}`),
  )
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
})
