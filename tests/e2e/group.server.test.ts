/**
 * Two workers never run the same connector: one that cannot share the group refuses to start, and a lost membership
 * stops tasks. `workers.server.test.ts` has workers that share a group. On Apache Kafka in every tier: its coordinator
 * decides who is a member. On the development broker, a worker that was frozen added 224 records when it woke, once, on
 * a machine that was too busy for the broker to read what was sent; whether that can happen with Kafka too is not known.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  freePort,
  idOf,
  kafkaClient,
  Service,
  startKafka,
  startService,
  storageTopics,
  uniqueName,
  useMySql,
  useRealKafka,
  waitForRecords,
  type StartServiceOptions,
} from '@tributary/testkit'

/** Exit code of a worker that another one excludes. */
const TAKEN = 4
/** The shortest session that brokers allow by default. */
const SHORT_SESSION = { CONNECT_SESSION_TIMEOUT_MS: '6000', CONNECT_HEARTBEAT_INTERVAL_MS: '1000' }

/** Rows of a transaction that a worker needs seconds for. */
const ROWS = 60_000

/** Starts a worker that has to refuse its start; returns its last line. */
async function refusalOf(options: StartServiceOptions): Promise<string> {
  await using service = new Service(options, await freePort())
  await assert.rejects(service.start(), new RegExp(`exit code ${TAKEN}\\b`))
  return service.log.trimEnd().split('\n').at(-1) ?? ''
}

/** Settings of a worker with these internal topics. */
function topicsOf(name: string): Readonly<Record<string, string>> {
  const { configs, offsets, statuses } = storageTopics(name)
  return { CONFIG_STORAGE_TOPIC: configs, OFFSET_STORAGE_TOPIC: offsets, STATUS_STORAGE_TOPIC: statuses }
}

async function createTable(): Promise<string> {
  const schema = uniqueName('group')
  const database = await useMySql()
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY, note TEXT); INSERT INTO ${schema}.t VALUES (1, '')`,
  )
  return schema
}

/** The member ids of a worker's group. */
async function membersOf(bootstrapServers: readonly string[], groupId: string): Promise<readonly string[]> {
  await using group = kafkaClient(bootstrapServers).group({ ...ANY_MEMBER, groupId })
  return (await group.describe()).members.map(({ memberId }) => memberId)
}

const ANY_MEMBER = {
  protocolType: 'connect',
  protocols: [{ name: 'other', metadata: Buffer.alloc(0) }],
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
}

test('a worker of the group with other topics, or of another group on the topics, refuses to start', async () => {
  const { bootstrapServers } = await useRealKafka()
  await using service = await startService({ bootstrapServers })
  const { name, port } = service
  const other = uniqueName('other')
  const [otherTopics, otherGroup] = await Promise.all([
    refusalOf({ bootstrapServers, name, env: topicsOf(other) }),
    refusalOf({ bootstrapServers, name: uniqueName('other'), env: topicsOf(name) }),
  ])
  const address = `http://127.0.0.1:${port}/`
  const first = `worker ${address} (client connect-127.0.0.1:${port} at 127.0.0.1)`
  const ofGroup = `Group ${name} (group.id) already has a running worker with other internal topics: `
  assert.ok(otherTopics.includes(ofGroup), otherTopics)
  assert.match(otherTopics, new RegExp(`worker ${address}.* in ${name}_configs, .*, this worker in ${other}_configs, `))
  const ofTopic = `Worker cannot start: The config topic ${name}_configs belongs to a running worker of group ${name}: ${first}.`
  assert.ok(otherGroup.includes(ofTopic), otherGroup)
  assert.equal((await service.rest('GET', '/health')).status, 200)

  // The first leaves the group when it stops, so the next start waits for nothing.
  await service.stop()
  await using next = await startService({ bootstrapServers, name })
  assert.doesNotMatch(next.log, /Waiting for the worker|has ended without leaving/)
})

test('of three workers of different groups that start on the same topics at the same time, exactly one runs', async () => {
  const { bootstrapServers } = await useRealKafka()
  const name = uniqueName('race')
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const services = ports.map(
    (port) => new Service({ bootstrapServers, name: uniqueName('race'), env: topicsOf(name) }, port),
  )
  await using stack = new AsyncDisposableStack()
  for (const service of services) stack.use(service)

  const starts = await Promise.allSettled(services.map((service) => service.start()))

  const running = services.filter((_, i) => starts[i]?.status === 'fulfilled')
  const logs = services.map(({ log }) => log).join('\n')
  assert.equal(running.length, 1, logs)
  const refusals = logs.match(new RegExp(`The config topic ${name}_configs belongs to a running worker .*`, 'g')) ?? []
  assert.equal(refusals.length, 2, logs)
  for (const refusal of refusals) assert.match(refusal, new RegExp(`connect-127\\.0\\.0\\.1:${running[0]?.port}\\b`))
})

test('a worker that was killed is recognised as ended, and the next one does not wait for its session', async () => {
  const { bootstrapServers } = await useRealKafka()
  // Longer than a restart on a loaded machine.
  await using service = await startService({ bootstrapServers, env: { CONNECT_SESSION_TIMEOUT_MS: '300000' } })
  // Until a join is complete, which a loaded machine delays, the coordinator does not show what the member has reported.
  for (const groupId of [service.name, `tributary-worker-on-${service.name}_configs`]) {
    await using group = kafkaClient(bootstrapServers).group({ ...ANY_MEMBER, groupId })
    await eventually('the worker has joined', async () => (await group.describe()).state === 'Stable')
  }
  const [ghost] = await membersOf(bootstrapServers, service.name)
  const { pid } = service
  await service.kill()

  await service.start()

  assert.match(service.log, new RegExp(`has ended without leaving group .*: its process ${pid} no longer exists`))
  const members = await membersOf(bootstrapServers, service.name)
  assert.equal(members.length, 1)
  assert.notEqual(members[0], ghost)
})

test('a frozen worker sends nothing when it wakes after another has taken over, and joins the group again', async () => {
  const [database, { bootstrapServers }, schema] = await Promise.all([useMySql(), useRealKafka(), createTable()])
  const topic = `${schema}.${schema}.t`
  await using frozen = await startService({ bootstrapServers, env: SHORT_SESSION })
  const { name } = frozen
  await frozen.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, topic, 1)
  await frozen.waitForLog(/Connected to binlog at/)
  await using reader = await kafkaClient(bootstrapServers).reader({ topic, from: 'earliest' })
  const size = async (): Promise<number> => Number((await reader.endOffsets()).get(0) ?? 0n)
  await database.query(`
    SET SESSION cte_max_recursion_depth = 100000;
    INSERT INTO ${schema}.t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      SELECT 1 + i, REPEAT('x', 500) FROM n`)
  await eventually('the first rows have arrived', async () => (await size()) > 1, { everyMs: 2 })
  process.kill(frozen.pid, 'SIGSTOP')
  // Records of the rest wait in its producer, and rows in its connection to the database.
  assert.ok((await size()) <= ROWS, 'it was frozen in the middle of the rows')
  const hasMembers = async (): Promise<boolean> => (await membersOf(bootstrapServers, name)).length > 0
  await eventually('its session has ended', async () => !(await hasMembers()), { timeoutMs: 60_000 })
  await using successor = await startService({ bootstrapServers, name, env: SHORT_SESSION })
  await eventually('all rows have arrived', async () => (await size()) > ROWS, { timeoutMs: 60_000 })
  // A stop waits for everything in flight, so from now on only the frozen worker could add records.
  await successor.stop()
  const sent = await size()
  await successor.start()

  process.kill(frozen.pid, 'SIGCONT')

  await frozen.waitForLog(/The coordinator has ended the membership of this worker in group/)
  await frozen.waitForLog(/all tasks stop/)
  await frozen.waitForLog(/Joined group .* again/)
  assert.equal(await size(), sent)
  // It may have its share again, and then runs it from the stored offset.
  await successor.waitUntilRunning(schema)
  await database.query(`INSERT INTO ${schema}.t VALUES (${ROWS + 2}, '')`)
  await eventually('the row has arrived', async () => (await size()) > sent)
})

test('tasks write nothing while the brokers are unreachable for longer than a session, and start again after it', async () => {
  const [database, schema] = await Promise.all([useMySql(), createTable()])
  await using kafka = await startKafka({ behindProxy: true })
  const { bootstrapServers, internalServers, proxies } = kafka
  const topic = `${schema}.${schema}.t`
  await using service = await startService({ bootstrapServers, env: SHORT_SESSION })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(internalServers, topic, 1)
  await service.waitForLog(/Connected to binlog at/)
  for (const proxy of proxies) proxy.stall()
  await database.query(`INSERT INTO ${schema}.t VALUES (2, '')`)
  await service.waitForLog(/could not confirm its membership in group .*: its tasks write nothing until it has/)
  // The worker has noticed it before the coordinator has ended its membership.
  const members = (): Promise<readonly string[]> => membersOf(internalServers, service.name)
  assert.equal((await members()).length, 1)
  await eventually('its session has ended', async () => (await members()).length === 0, { timeoutMs: 60_000 })
  assert.equal((await service.rest('GET', '/connectors')).status, 200)

  for (const proxy of proxies) proxy.resume()
  await service.waitForLog(/The coordinator has ended the membership/)
  await service.waitForLog(/Joined group .* again: the tasks start from stored offsets/)
  await database.query(`INSERT INTO ${schema}.t VALUES (3, '')`)
  const ids = await eventually('the last row arrives', async () => {
    const found = (await waitForRecords(internalServers, topic, 3)).map(idOf)
    return found.includes(3) && found
  })
  // What was not stored is repeated, in order; nothing is missing.
  assert.deepEqual([...new Set(ids)], [1, 2, 3])
  assert.equal(ids.at(-1), 3)
})

test('tasks start from stored offsets when another member was in the group meanwhile', async () => {
  const [database, schema] = await Promise.all([useMySql(), createTable()])
  await using kafka = await startKafka({ behindProxy: true })
  const { bootstrapServers, internalServers, proxies } = kafka
  const topic = `${schema}.${schema}.t`
  await using service = await startService({ bootstrapServers, env: SHORT_SESSION })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(internalServers, topic, 1)
  for (const proxy of proxies) proxy.stall()
  await using group = kafkaClient(internalServers).group({ ...ANY_MEMBER, groupId: service.name })
  const answer = await eventually(
    'another one gets a member id',
    async () => {
      const { tag, ...rest } = await group.join('')
      return tag === 'id assigned' && 'memberId' in rest && rest.memberId
    },
    { timeoutMs: 60_000 },
  )
  assert.equal((await group.join(answer)).tag, 'joined')
  await group.leave(answer)

  for (const proxy of proxies) proxy.resume()
  await service.waitForLog(/all tasks stop/)
  await service.waitForLog(/Joined group .* again: the tasks start from stored offsets/)
  await database.query(`INSERT INTO ${schema}.t VALUES (2, '')`)
  const ids = (await waitForRecords(internalServers, topic, 2)).map(idOf)
  assert.equal(ids.at(-1), 2)
  await service.waitUntilRunning(schema)
})

test('the start does not wait for the delay with which brokers complete the first join of a group', async () => {
  const config = { 'group.initial.rebalance.delay.ms': '15000' }
  await using kafka = await startKafka({ config })
  const { bootstrapServers } = kafka
  await using service = await startService({ bootstrapServers })
  await using group = kafkaClient(bootstrapServers).group({ ...ANY_MEMBER, groupId: service.name })
  // The worker is healthy, although the brokers have not answered its join.
  assert.equal((await group.describe()).state, 'PreparingRebalance')
  // Another one that joins meanwhile waits for the round: only its leader knows what it may run.
  await using second = new Service({ bootstrapServers, name: service.name }, await freePort())
  const start = second.start()
  await second.waitForLog(/Joined group .*: it has other members/)
  assert.equal((await second.rest('GET', '/health')).status, 503)
  assert.equal((await group.describe()).members.length, 2)
  await start
})

test('the start waits for a member of which nothing proves that it has ended, until it is one no longer', async () => {
  const { bootstrapServers } = await useRealKafka()
  const name = uniqueName('ghost')
  await using group = kafkaClient(bootstrapServers).group({ ...ANY_MEMBER, groupId: name, sessionTimeoutMs: 300_000 })
  const answer = await group.join('')
  assert.ok(answer.tag === 'id assigned')
  const joined = await group.join(answer.memberId)
  assert.ok(joined.tag === 'joined')
  const assignments = [{ memberId: answer.memberId, assignment: Buffer.alloc(0) }]
  assert.equal((await group.sync(joined.group, assignments)).tag, 'alive')

  await using service = new Service({ bootstrapServers, name }, await freePort())
  const start = service.start()
  // Handled when it is awaited below.
  start.catch(() => undefined)
  await service.waitForLog(
    /WARN .* Waiting for the worker .* to leave group ghost_\w+\. If it was killed, its membership/,
  )
  assert.equal((await service.rest('GET', '/health')).status, 503)

  await group.leave(answer.memberId)
  await start
})
