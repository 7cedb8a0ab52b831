/**
 * The address of the database changes to another server: a replica that has everything, one that lacks the current
 * transaction, and, without GTIDs, one with other binlog files.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  connectorConfig,
  type DatabaseServer,
  eventually,
  type FaultProxy,
  type Service,
  startFaultProxy,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  waitForRecords,
} from '@tributary/testkit'

const LARGE_ROWS = 20_000

interface Scene {
  readonly source: DatabaseServer
  readonly replica: DatabaseServer
  readonly schema: string
  readonly topic: string
  readonly bootstrapServers: readonly string[]
  readonly service: Service
  readonly proxy: FaultProxy
}

test('a replica is promoted: the connector continues by GTID, with every row once', async (t) => {
  const { source, schema, topic, bootstrapServers, proxy, replica } = await captured(t, true)
  await source.query(`INSERT INTO ${schema}.pets VALUES (1, ''), (2, '')`)
  await waitForRecords(bootstrapServers, topic, 3)
  await untilReplicated(source, replica)

  await source.kill('SIGKILL')
  await promoted(t, replica, proxy)
  await replica.query(`INSERT INTO ${schema}.pets VALUES (3, ''); INSERT INTO ${schema}.pets VALUES (4, '')`)

  assert.deepEqual(await ids(bootstrapServers, topic, 5), [0, 1, 2, 3, 4])
})

test('a replica that never got the current transaction is promoted: nothing of the next one is skipped', async (t) => {
  const { source, schema, topic, bootstrapServers, service, proxy, replica } = await captured(t, true)
  await untilReplicated(source, replica)
  await replica.query('STOP REPLICA; RESET REPLICA ALL')

  proxy.cutAfterBytes(10e6, 'fromTarget')
  await source.query(insertMany(schema, 100, 100 + LARGE_ROWS))
  await service.waitForLog(/The binlog connection is opened again/)
  proxy.refuse()
  await source.kill('SIGKILL')
  await promoted(t, replica, proxy)
  await replica.query(insertMany(schema, 1, 100))

  await service.waitForLog(/is not the next one on this server|this is another server/)
  const all = await eventually('the rows of the next transaction have arrived', async () => {
    const read = await ids(bootstrapServers, topic, 100)
    return read.includes(99) && read
  })
  assert.deepEqual(
    all.filter((id) => id < 100),
    Array.from({ length: 100 }, (_, id) => id),
  )
})

test('the task waits for a replica that lags the events already sent', async (t) => {
  const { source, schema, topic, bootstrapServers, service, proxy, replica } = await captured(t, true)
  await untilReplicated(source, replica)
  await replica.query('STOP REPLICA')
  await source.query(`INSERT INTO ${schema}.pets VALUES (1, '')`)
  await waitForRecords(bootstrapServers, topic, 2)

  await promoted(t, replica, proxy)
  await service.waitForLog(/lacks what was read already: it needs a server that has executed the GTIDs/)
  await replica.query('START REPLICA')
  await untilReplicated(source, replica)
  await replica.query(`INSERT INTO ${schema}.pets VALUES (2, '')`)

  assert.deepEqual(await ids(bootstrapServers, topic, 3), [0, 1, 2])
})

test('without GTIDs another server is refused until the address leads to the right one again', async (t) => {
  const { source, schema, topic, bootstrapServers, service, proxy, replica } = await captured(t, false)
  await replica.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.pets (id INT PRIMARY KEY, note VARCHAR(1000) NOT NULL);
     ${insertMany(schema, 1000, 1100)}`,
  )

  const wrong = await promoted(t, replica, proxy)
  await service.waitForLog(/is another server \(.*\) than the one that was read from/)
  await source.query(`INSERT INTO ${schema}.pets VALUES (1, '')`)
  await promoted(t, source, wrong)

  assert.deepEqual(await ids(bootstrapServers, topic, 2), [0, 1])
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
})

/** A table with one row on a server that the connector reads through a proxy; with GTIDs, a replica of that server. */
async function captured(t: TestContext, gtid: boolean): Promise<Scene> {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const [source, replica] = await Promise.all([startMySql({ gtid }), startMySql({ gtid })])
  stack.use(source)
  stack.use(replica)
  if (gtid) {
    await replica.query(`CHANGE REPLICATION SOURCE TO SOURCE_HOST = '${source.host}', SOURCE_PORT = ${source.port},
      SOURCE_USER = 'root', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`)
  }
  const schema = uniqueName('failover')
  await source.query(`CREATE DATABASE ${schema};
    CREATE TABLE ${schema}.pets (id INT PRIMARY KEY, note VARCHAR(1000) NOT NULL); INSERT INTO ${schema}.pets VALUES (0, '')`)
  const { bootstrapServers } = await useKafka()
  const proxy = stack.use(await startFaultProxy({ target: source }))
  const service = stack.use(await startService({ bootstrapServers }))
  const more = { 'database.hostname': proxy.host, 'database.port': String(proxy.port) }
  await service.register(
    schema,
    connectorConfig({ database: source, bootstrapServers, prefix: schema, includes: schema, more }),
  )
  await service.waitForLog(/Connected to binlog at/)
  return { source, replica, schema, topic: `${schema}.${schema}.pets`, bootstrapServers, service, proxy }
}

/** The address leads to that server from now on. */
async function promoted(t: TestContext, target: DatabaseServer, proxy: FaultProxy): Promise<FaultProxy> {
  const { port } = proxy
  await proxy.close()
  const next = await startFaultProxy({ target, port })
  t.after(() => next.close())
  return next
}

function insertMany(schema: string, from: number, to: number): string {
  return `SET SESSION cte_max_recursion_depth = ${LARGE_ROWS + 1};
    INSERT INTO ${schema}.pets WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})
      SELECT i, REPEAT('x', 1000) FROM n`
}

async function untilReplicated(source: DatabaseServer, replica: DatabaseServer): Promise<void> {
  const executed = async (server: DatabaseServer): Promise<unknown> =>
    (await server.query('SELECT @@global.gtid_executed AS gtids'))[0]?.['gtids']
  const wanted = await executed(source)
  await eventually('the replica has everything', async () => (await executed(replica)) === wanted)
}

async function ids(bootstrapServers: readonly string[], topic: string, count: number): Promise<readonly number[]> {
  const records = await waitForRecords(bootstrapServers, topic, count)
  return records.map(({ key }) => (JSON.parse(key?.toString() ?? '') as { payload: { id: number } }).payload.id)
}
