/** What operators do with an existing connector over REST: pause and resume, stop, change, restart after a failure. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  connectorConfig,
  type Database,
  eventually,
  fullTest,
  idOf,
  readTopic,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** Keys of the rows in a topic, in order. */
async function idsOf(bootstrapServers: readonly string[], topic: string): Promise<readonly number[]> {
  const records = await readTopic(bootstrapServers, topic)
  return records.map(idOf)
}

/** Creates a database with two tables of one row and returns its name. */
async function createTables(database: Database): Promise<string> {
  const schema = uniqueName('lifecycle')
  const table = (name: string): string =>
    `CREATE TABLE ${schema}.${name} (id INT PRIMARY KEY); INSERT INTO ${schema}.${name} VALUES (1);`
  await database.query(`CREATE DATABASE ${schema}; ${table('t')} ${table('u')}`)
  return schema
}

/** Sends a request, such as `GET /`, expects that status, and returns the document. */
async function ask(service: Service, request: string, status: number, body?: unknown): Promise<unknown> {
  const [method = '', path = ''] = request.split(' ')
  const answer = await service.rest(method, path, body)
  assert.equal(answer.status, status, `${request}: ${answer.text}`)
  return answer.json
}

/** State of the connector and of its tasks. */
async function statesOf(service: Service, name: string): Promise<unknown> {
  const status = (await ask(service, `GET /connectors/${name}/status`, 200)) as {
    readonly connector: { readonly state: string }
    readonly tasks: readonly { readonly state: string }[]
  }
  return [status.connector.state, ...status.tasks.map(({ state }) => state)]
}

test('changes during a pause, and while the connector is stopped, are sent afterwards, once', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createTables(database)
  const topic = `${schema}.${schema}.t`
  // No commit by the interval while the test runs: pause and stop store the offsets.
  await using service = await startService({ bootstrapServers, env: { OFFSET_FLUSH_INTERVAL_MS: '600000' } })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, topic, 1)
  await service.waitForLog(/Connected to binlog at/)
  await database.query(`INSERT INTO ${schema}.t VALUES (2)`)
  await waitForRecords(bootstrapServers, topic, 2)

  await ask(service, `PUT /connectors/${schema}/pause`, 202)
  await service.waitForTask(schema, ['PAUSED'])
  assert.deepEqual(await statesOf(service, schema), ['PAUSED', 'PAUSED'])
  await database.query(`INSERT INTO ${schema}.t VALUES (3); INSERT INTO ${schema}.t VALUES (4)`)
  assert.deepEqual(await idsOf(bootstrapServers, topic), [1, 2])
  await ask(service, `PUT /connectors/${schema}/resume`, 202)
  await waitForRecords(bootstrapServers, topic, 4)

  await ask(service, `PUT /connectors/${schema}/stop`, 204)
  await service.waitForTask(schema, ['NONE'])
  assert.deepEqual(await statesOf(service, schema), ['STOPPED'])
  assert.deepEqual(await ask(service, `GET /connectors/${schema}/tasks`, 200), [])
  await database.query(`INSERT INTO ${schema}.t VALUES (5)`)
  // The next worker does not start it either.
  await service.stop()
  await service.start()
  assert.deepEqual(await statesOf(service, schema), ['STOPPED'])
  await ask(service, `PUT /connectors/${schema}/resume`, 202)
  await service.waitUntilRunning(schema)
  await waitForRecords(bootstrapServers, topic, 5)
  await database.query(`INSERT INTO ${schema}.t VALUES (6)`)
  await waitForRecords(bootstrapServers, topic, 6)
  assert.deepEqual(await idsOf(bootstrapServers, topic), [1, 2, 3, 4, 5, 6])
})

fullTest('another configuration takes effect at once: events of the added table arrive', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createTables(database)
  const [t, u] = [`${schema}.${schema}.t`, `${schema}.${schema}.u`]
  const config = connectorConfig({
    database,
    bootstrapServers,
    prefix: schema,
    includes: schema,
    more: { 'table.include.list': `${schema}.t` },
  })
  await using service = await startService({ bootstrapServers })
  const path = `/connectors/${schema}/config`
  await ask(service, `PUT ${path}`, 201, config)
  await waitForRecords(bootstrapServers, t, 1)
  await service.waitForLog(/Connected to binlog at/)
  await database.query(`INSERT INTO ${schema}.u VALUES (2); INSERT INTO ${schema}.t VALUES (2)`)
  await waitForRecords(bootstrapServers, t, 2)

  const logged = service.log.length
  await ask(service, `PUT ${path}`, 200, { ...config, 'table.include.list': `${schema}.t,${schema}.u` })
  await service.waitForLog(/Connected to binlog at/, logged)
  await database.query(`INSERT INTO ${schema}.u VALUES (3); INSERT INTO ${schema}.t VALUES (3)`)
  await waitForRecords(bootstrapServers, t, 3)
  // The rows of the added table are copied; a row that has just changed may be sent twice.
  await eventually('the added table is copied', async () => new Set(await idsOf(bootstrapServers, u)).size === 3)
  assert.deepEqual(await idsOf(bootstrapServers, t), [1, 2, 3])

  await ask(service, `PUT ${path}`, 400, { ...config, 'snapshot.mode': 'sometimes' })
  await ask(service, `PATCH ${path}`, 400, { 'snapshot.mode': 'sometimes' })
  assert.deepEqual(await statesOf(service, schema), ['RUNNING', 'RUNNING'])
})

fullTest('a single property is patched; the topics of a connector are listed, also after a reset', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createTables(database)
  const [t, u] = [`${schema}.${schema}.t`, `${schema}.${schema}.u`]
  await using service = await startService({ bootstrapServers })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, u, 1)
  const topics = (): Promise<unknown> => ask(service, `GET /connectors/${schema}/topics`, 200)
  // The task's thread reports a topic when it opens it: the report may arrive after the first record.
  const noted = (expected: readonly string[]): Promise<true> =>
    eventually(`the topics are ${expected.join()}`, async () =>
      isDeepStrictEqual(await topics(), { [schema]: { topics: expected } }),
    )
  await noted([schema, t, u])

  await service.waitForLog(/Connected to binlog at/)
  await ask(service, `PUT /connectors/${schema}/topics/reset`, 202)
  assert.deepEqual(await topics(), { [schema]: { topics: [] } })
  await database.query(`INSERT INTO ${schema}.t VALUES (2); INSERT INTO ${schema}.t VALUES (3)`)
  await waitForRecords(bootstrapServers, t, 3)
  await noted([t])

  const logged = service.log.length
  await ask(service, `PATCH /connectors/${schema}/config`, 200, { 'tombstones.on.delete': 'false' })
  await service.waitForLog(/Connected to binlog at/, logged)
  await database.query(`DELETE FROM ${schema}.t WHERE id = 1; INSERT INTO ${schema}.t VALUES (4)`)
  await waitForRecords(bootstrapServers, t, 5)
  const records = await readTopic(bootstrapServers, t)
  assert.equal(
    records.some(({ value }) => value === null),
    false,
  )
})

test('a failed task runs again after a restart, once its cause is fixed', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createTables(database)
  const topic = `${schema}.${schema}.t`
  const user = `${schema}_user`
  await database.query(
    `CREATE USER ${user} IDENTIFIED BY 'right'; GRANT SELECT, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO ${user}`,
  )
  const more = { 'database.user': user, 'database.password': 'right' }
  await using service = await startService({ bootstrapServers })
  await service.register(
    schema,
    connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more }),
  )
  await waitForRecords(bootstrapServers, topic, 1)
  await service.waitForLog(/Connected to binlog at/)

  await database.query(`ALTER USER ${user} IDENTIFIED BY 'other'; INSERT INTO ${schema}.t VALUES (2)`)
  await ask(service, `POST /connectors/${schema}/tasks/0/restart`, 204)
  const { trace } = await service.waitForTask(schema, ['FAILED'])
  assert.match(trace, /Access denied for user/)
  // Not automatically, and not when only the connector is restarted.
  await database.query(`ALTER USER ${user} IDENTIFIED BY 'right'; INSERT INTO ${schema}.t VALUES (3)`)
  await ask(service, `POST /connectors/${schema}/restart`, 204)
  assert.deepEqual(await statesOf(service, schema), ['RUNNING', 'FAILED'])

  await ask(service, `POST /connectors/${schema}/tasks/0/restart`, 204)
  await service.waitUntilRunning(schema)
  await waitForRecords(bootstrapServers, topic, 3)
  assert.deepEqual([...new Set(await idsOf(bootstrapServers, topic))], [1, 2, 3])

  await ask(service, `POST /connectors/${schema}/restart?includeTasks=true&onlyFailed=true`, 202)
  const logged = service.log.length
  await ask(service, `POST /connectors/${schema}/restart?includeTasks=true`, 202)
  await service.waitForLog(/Connected to binlog at/, logged)
  assert.deepEqual(await statesOf(service, schema), ['RUNNING', 'RUNNING'])
})

test('offsets are read, and removed while the connector is stopped: then it takes a new snapshot', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = await createTables(database)
  const topic = `${schema}.${schema}.t`
  await using service = await startService({ bootstrapServers })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, topic, 1)
  await service.waitForLog(/Connected to binlog at/)
  const path = `/connectors/${schema}/offsets`
  await ask(service, `DELETE ${path}`, 400)

  await ask(service, `PUT /connectors/${schema}/stop`, 204)
  await service.waitForTask(schema, ['NONE'])
  const { offsets } = (await ask(service, `GET ${path}`, 200)) as { offsets: { partition: unknown; offset: object }[] }
  assert.deepEqual(
    offsets.map(({ partition, offset }) => [partition, 'file' in offset && 'pos' in offset]),
    [[{ server: schema }, true]],
  )
  await ask(service, `DELETE ${path}`, 200)
  assert.deepEqual(await ask(service, `GET ${path}`, 200), { offsets: [] })

  await ask(service, `PUT /connectors/${schema}/resume`, 202)
  await waitForRecords(bootstrapServers, topic, 2)
  assert.deepEqual(await idsOf(bootstrapServers, topic), [1, 1])
})
