/**
 * Two workers never run the same connector: one that cannot share the group refuses to start, and one that was frozen
 * sends nothing. `group-membership.full.test.ts` has more of it, `workers.server.test.ts` workers that share a group. On
 * Apache Kafka in every tier: its coordinator decides who is a member.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  freePort,
  fullTest,
  kafkaClient,
  Service,
  startService,
  type StartServiceOptions,
  uniqueName,
  useMySql,
  useRealKafka,
  waitForRecords,
} from '@tributary/testkit'
import { createTable, membersOf, SHORT_SESSION, topicsOf } from './group/members.ts'

/** Exit code of a worker that another one excludes. */
const TAKEN = 4

/** Rows of a transaction that a worker needs seconds for. */
const ROWS = 60_000

/** Starts a worker that has to refuse its start; returns its last line. */
async function refusalOf(options: StartServiceOptions): Promise<string> {
  await using service = new Service(options, await freePort())
  await assert.rejects(service.start(), new RegExp(`exit code ${TAKEN}\\b`))
  return service.log.trimEnd().split('\n').at(-1) ?? ''
}

fullTest('a worker of the group with other topics, or of another group on the topics, refuses to start', async () => {
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

test('a frozen worker sends nothing when it wakes after another has taken over, and joins the group again', async () => {
  const [database, { bootstrapServers }, schema] = await Promise.all([useMySql(), useRealKafka(), createTable()])
  const topic = `${schema}.${schema}.t`
  await using frozen = await startService({ bootstrapServers, env: SHORT_SESSION })
  const { name } = frozen
  await frozen.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, topic, 1)
  await frozen.waitForLog(/Connected to binlog at/)
  await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
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
