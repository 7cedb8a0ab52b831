/**
 * The table of docs/15-avro.md, "When the registry is unreachable", row by row: a real registry behind a proxy that
 * cuts and stalls connections, and a front that answers instead of it. Each fault affects a running connector: rows
 * with a known schema continue; the row of a new table and all after it wait, or the task fails; the log or the trace
 * reports it; and nothing is missing when the fault is fixed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AvroReader } from '@tributary/converters'
import {
  connectorConfig,
  readTopic,
  startFaultProxy,
  startRegistry,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
  type FaultProxy,
} from '@tributary/testkit'
import { avroProperties } from './avro/memory-registry.ts'
import { FRONT_AUTHORITY, RegistryFront } from './avro/registry-front.ts'

interface Fault {
  readonly name: string
  readonly begin: (proxy: FaultProxy, front: RegistryFront) => void
  /** In the log of a task that continues, or in the trace of a failed one. */
  readonly message: RegExp
  readonly failsTask: boolean
}

const answers =
  (status: number, body: string): Fault['begin'] =>
  (_proxy, front) => {
    front.fault = { status, body }
  }

const FAULTS: readonly Fault[] = [
  {
    name: 'no_connection',
    begin: (proxy) => proxy.refuse(),
    message:
      /Records for \S+no_connection wait for their schema: .* subject \S+no_connection-key: 127\.0\.0\.1:\d+: .*(ECONNRESET|hang up).* Retrying until it succeeds/,
    failsTask: false,
  },
  {
    name: 'silence',
    begin: (proxy) => proxy.stall(),
    message:
      /Records for \S+silence wait for their schema: .* subject \S+silence-key: 127\.0\.0\.1:\d+ has received the request and has not answered for [5-9] s\. .*that key\.converter\.schema\.registry\.url is its address.* Retrying until it succeeds/,
    failsTask: false,
  },
  {
    name: 'trouble',
    begin: answers(500, '{"error_code":50003,"message":"Error while forwarding the request to the primary"}'),
    message:
      /Records for \S+trouble wait for their schema: .* answered 500 \(Error while forwarding the request to the primary\)/,
    failsTask: false,
  },
  {
    name: 'too_many',
    begin: answers(429, '{"error_code":429,"message":"slow down"}'),
    message: /Records for \S+too_many wait for their schema: .* answered 429 \(slow down\)/,
    failsTask: false,
  },
  {
    name: 'no_login',
    begin: answers(401, '{"error_code":40101,"message":"who are you"}'),
    message:
      /denies this client access to subject \S+no_login-key: status 401 \(who are you\)\. Correct key\.converter\.basic\.auth\.user\.info/,
    failsTask: true,
  },
  {
    name: 'no_right',
    begin: answers(403, '{"error_code":40301,"message":"User is denied operation Write"}'),
    message: /denies this client access to subject \S+no_right-key: status 403 \(User is denied operation Write\)/,
    failsTask: true,
  },
  {
    name: 'wrong_path',
    begin: answers(404, '<html>nothing here</html>'),
    message:
      /There is no schema registry at http:\/\/127\.0\.0\.1:\d+\/subjects\/\S+wrong_path-key\/versions: status 404 .* Set key\.converter\.schema\.registry\.url/,
    failsTask: true,
  },
  {
    name: 'invalid',
    begin: answers(422, '{"error_code":42201,"message":"Invalid schema"}'),
    message: /refuses the schema of subject \S+invalid-key: status 422 \(Invalid schema\)/,
    failsTask: true,
  },
  {
    name: 'a_page',
    begin: answers(200, '<html>Sign in</html>'),
    message:
      /sends an answer that this client cannot read: the body is not a JSON document\. Check that key\.converter\.schema\.registry\.url/,
    failsTask: true,
  },
]

test('each fault of a registry is reported by its kind, and nothing is lost', async () => {
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await startRegistry())
  const front = stack.use(await RegistryFront.start(registry.confluentUrl))
  const proxy = stack.use(await startFaultProxy({ target: { host: '127.0.0.1', port: front.port } }))
  const { bootstrapServers } = await useKafka()
  const mysql = await useMySql()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('regfaults')
  const topicOf = (table: string): string => `${schema}.${schema}.${table}`
  await mysql.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.known (id INT PRIMARY KEY);
    INSERT INTO ${schema}.known VALUES (0)`)
  const url = `http://127.0.0.1:${proxy.port}`
  const config = connectorConfig({
    database: mysql,
    bootstrapServers,
    prefix: schema,
    includes: schema,
    // Records of schema changes have schemas, too, and precede the rows of a new table.
    more: { ...avroProperties(url), 'include.schema.changes': 'false' },
  })
  const fix = (): void => {
    front.fault = null
    proxy.resume()
  }

  // Unreachable at the registration: it is refused.
  proxy.refuse()
  const refused = await service.rest('POST', '/connectors', { name: schema, config })
  assert.equal(refused.status, 400)
  assert.match(
    refused.text,
    /The schema registry at the address in value\.converter\.schema\.registry\.url does not answer/,
  )
  fix()
  await service.register(schema, config)
  await waitForRecords(bootstrapServers, topicOf('known'), 1)
  await service.waitForLog(new RegExp(`${schema}.streaming {2}Connected to binlog`))

  const ids = [0]
  const insertKnown = async (): Promise<void> => {
    ids.push(ids.length)
    await mysql.query(`INSERT INTO ${schema}.known VALUES (${ids.length - 1})`)
  }
  for (const { name, begin, message, failsTask } of FAULTS) {
    const from = service.log.length
    begin(proxy, front)
    await insertKnown()
    await waitForRecords(bootstrapServers, topicOf('known'), ids.length)
    await mysql.query(`CREATE TABLE ${schema}.${name} (id INT PRIMARY KEY); INSERT INTO ${schema}.${name} VALUES (1)`)
    await insertKnown()
    if (failsTask) {
      const { trace } = await service.waitForTask(schema, ['FAILED'])
      assert.match(trace, message, name)
    } else {
      await service.waitForLog(message, from)
      assert.equal((await service.taskState(schema)).state, 'RUNNING', name)
    }
    // Records after it wait as well.
    assert.equal((await readTopic(bootstrapServers, topicOf('known'))).length, ids.length - 1, name)
    fix()
    if (failsTask) await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
    await waitForRecords(bootstrapServers, topicOf(name), 1, { timeoutMs: 60_000 })
    await waitForRecords(bootstrapServers, topicOf('known'), ids.length)
  }

  // Unreachable when the task starts: no id is known yet, so all records wait; the connector is RUNNING.
  await service.stop()
  proxy.refuse()
  await insertKnown()
  const from = service.log.length
  await service.start()
  await service.waitForLog(/Records for \S+known wait for their schema: .* Retrying until it succeeds/, from)
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
  fix()
  const records = await waitForRecords(bootstrapServers, topicOf('known'), ids.length, { timeoutMs: 60_000 })
  await service.waitForLog(/Records for \S+known wait for their schema: works again after/, from)

  // No event is missing or repeated, and the order is that of the changes.
  const keys = new AvroReader({ 'schema.registry.url': registry.confluentUrl }, true)
  const { signal } = new AbortController()
  await keys.loadSchemas(
    records.map(({ key }) => key),
    signal,
  )
  assert.deepEqual(
    records.map(({ key }) => keys.read(key)),
    ids.map((id) => `{"id":${id}}`),
  )
  for (const { name } of FAULTS) assert.equal((await readTopic(bootstrapServers, topicOf(name))).length, 1, name)
})

test('the registration reports an untrusted certificate with the property; with the property set, TLS works', async () => {
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await startRegistry())
  const front = stack.use(await RegistryFront.start(registry.confluentUrl))
  const { bootstrapServers } = await useKafka()
  const mysql = await useMySql()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('regtls')
  await mysql.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY); INSERT INTO ${schema}.t VALUES (1)`,
  )
  const configWith = (more: Readonly<Record<string, string>>): Record<string, string> =>
    connectorConfig({
      database: mysql,
      bootstrapServers,
      prefix: schema,
      includes: schema,
      more: { ...avroProperties(front.tlsUrl), ...more },
    })
  const refused = await service.rest('POST', '/connectors', { name: schema, config: configWith({}) })
  assert.equal(refused.status, 400)
  assert.match(
    refused.text,
    /its certificate is not trusted \(unable to \S+ .*\): set value\.converter\.schema\.registry\.ssl\.truststore\.location/,
  )
  const trusting = Object.fromEntries(
    ['key', 'value'].map((role) => [`${role}.converter.schema.registry.ssl.truststore.location`, FRONT_AUTHORITY]),
  )
  await service.register(schema, configWith(trusting))
  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 1)
})
