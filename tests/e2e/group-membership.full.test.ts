/**
 * How the membership of a group begins and ends: races, killed workers, members of which nothing is known, and brokers
 * that cannot be reached for longer than a session. On Apache Kafka: its coordinator decides who is a member.
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
  uniqueName,
  useMySql,
  useRealKafka,
  waitForRecords,
} from '@tributary/testkit'
import { ANY_MEMBER, createTable, membersOf, SHORT_SESSION, topicsOf } from './group/members.ts'

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
    await using group = (await kafkaClient(bootstrapServers)).group({ ...ANY_MEMBER, groupId })
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
  await using group = (await kafkaClient(internalServers)).group({ ...ANY_MEMBER, groupId: service.name })
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
  await using group = (await kafkaClient(bootstrapServers)).group({ ...ANY_MEMBER, groupId: service.name })
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
  await using group = (await kafkaClient(bootstrapServers)).group({
    ...ANY_MEMBER,
    groupId: name,
    sessionTimeoutMs: 300_000,
  })
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
