import { isRetriable } from '@tributary/support'
import { eventually, fullTest, type KafkaServer, startKafka, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { GroupClient, GroupOptions, JoinedGroup, JoinResult } from '../api/group.ts'
import { testKafka } from '../testing/clients.ts'

/** The shortest that brokers allow by default (group.min.session.timeout.ms). */
const SESSION_MS = 6_000

/** Apache Kafka, whose coordinator waits for further members of an empty group, behind a proxy. */
let slow: KafkaServer
before(async () => {
  slow = await startKafka({ behindProxy: true, config: { 'group.initial.rebalance.delay.ms': '3000' } })
})
after(() => slow[Symbol.asyncDispose]())

function optionsOf(groupId: string, protocol: string): GroupOptions {
  return {
    groupId,
    protocolType: 'connect',
    protocols: [{ name: protocol, metadata: Buffer.from(`metadata of ${protocol}`) }],
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: 10_000,
    requestTimeoutMs: 5_000,
    clientId: `client of ${protocol}`,
  }
}

/** The coordinator of a fresh cluster creates the topic of the groups first. */
function whenReady<T>(work: () => Promise<T>): Promise<T> {
  return eventually('the coordinator answers', async () => {
    try {
      return { result: await work() }
    } catch (error) {
      if (isRetriable(error)) return false
      throw error
    }
  }).then(({ result }) => result)
}

async function assignedId(client: GroupClient): Promise<string> {
  const answer = await whenReady(() => client.join(''))
  assert.ok(answer.tag === 'id assigned', answer.tag)
  return answer.memberId
}

async function joined(client: GroupClient): Promise<JoinedGroup> {
  const answer = await client.join(await assignedId(client))
  assert.ok(answer.tag === 'joined', answer.tag)
  const { group } = answer
  const assignments = [{ memberId: group.memberId, assignment: Buffer.from('all') }]
  assert.deepEqual(await client.sync(group, assignments), { tag: 'alive', assignment: Buffer.from('all') })
  return group
}

test('a member joins, is described with its metadata, sends heartbeats and leaves at once', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  await using client = kafka.group(optionsOf(uniqueName('group'), 'p'))

  const group = await joined(client)

  assert.equal(group.leaderId, group.memberId)
  assert.equal(group.protocol, 'p')
  assert.deepEqual(group.members, [{ memberId: group.memberId, metadata: Buffer.from('metadata of p') }])
  assert.equal(await client.heartbeat(group), 'alive')
  const { state, protocolType, members } = await client.describe()
  assert.deepEqual({ state, protocolType }, { state: 'Stable', protocolType: 'connect' })
  const [member] = members
  assert.deepEqual(members, [
    { memberId: group.memberId, clientId: 'client of p', host: '127.0.0.1', metadata: Buffer.from('metadata of p') },
  ])
  assert.match(member?.memberId ?? '', /^client of p-/)
  await client.leave(group.memberId)
  await client.leave(group.memberId)
  assert.deepEqual((await client.describe()).members, [])
  assert.equal(await client.heartbeat(group), 'lost')
  assert.deepEqual(await client.join(group.memberId), { tag: 'unknown member' })
})

test('a member that shares no protocol is refused, changes nothing, and may enter when the other was removed', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const groupId = uniqueName('group')
  await using first = kafka.group(optionsOf(groupId, 'one'))
  await using second = kafka.group(optionsOf(groupId, 'two'))
  // Both get an id while the group is empty; only one of them may use it.
  const idOfSecond = await assignedId(second)
  const group = await joined(first)

  assert.deepEqual(await second.join(''), { tag: 'conflict' })
  assert.deepEqual(await second.join(idOfSecond), { tag: 'conflict' })

  assert.equal(await first.heartbeat(group), 'alive')
  await second.leave(group.memberId)
  assert.equal(await first.heartbeat(group), 'lost')
  await joined(second)
  assert.deepEqual(await first.join(''), { tag: 'conflict' })
})

test('a group without members does not exist, and members of another kind are in conflict', async () => {
  const { bootstrapServers } = await useKafka()
  const kafka = testKafka(bootstrapServers)
  const groupId = uniqueName('group')
  await using client = kafka.group(optionsOf(groupId, 'p'))
  await using stranger = kafka.group({ ...optionsOf(groupId, 'p'), protocolType: 'stranger' })
  assert.deepEqual(await whenReady(() => client.describe()), { state: 'Dead', protocolType: '', members: [] })
  await joined(stranger)
  assert.deepEqual(await client.join(''), { tag: 'conflict' })
})

fullTest(
  'an expired member adds two generations when it joins again, and more if another was a member meanwhile',
  async () => {
    const kafka = testKafka((await useKafka()).bootstrapServers)
    const groupId = uniqueName('group')
    await using client = kafka.group(optionsOf(groupId, 'one'))
    await using other = kafka.group(optionsOf(groupId, 'two'))
    const before = await joined(client)
    await eventually('the session has expired', async () => (await client.describe()).members.length === 0)
    assert.equal(await client.heartbeat(before), 'lost')

    const after = await joined(client)
    assert.equal(after.generationId, before.generationId + 2)

    await client.leave(after.memberId)
    const { memberId } = await joined(other)
    await other.leave(memberId)
    const last = await joined(client)
    assert.equal(last.generationId, after.generationId + 4)
  },
)

test('an empty group makes the join wait, but the coordinator knows the member and refuses others at once', async () => {
  const kafka = testKafka(slow.bootstrapServers)
  const groupId = uniqueName('group')
  await using client = kafka.group(optionsOf(groupId, 'one'))
  await using other = kafka.group(optionsOf(groupId, 'two'))
  const memberId = await assignedId(client)
  let answer: JoinResult | null = null
  const pending = client.join(memberId).then((result) => (answer = result))

  await eventually('the member is listed', async () => (await client.describe()).members.length === 1)

  assert.equal(answer, null)
  assert.deepEqual(await other.join(''), { tag: 'conflict' })
  const { state, members } = await other.describe()
  assert.deepEqual([state, members[0]?.memberId], ['PreparingRebalance', memberId])
  assert.equal((await pending).tag, 'joined')
})

test('a join does not outlive the connections to its coordinator, also when nothing reports their end', async () => {
  const groupId = uniqueName('group')
  // The first member sends no heartbeats: the coordinator waits for it all the same.
  const options = { ...optionsOf(groupId, 'p'), sessionTimeoutMs: 60_000, rebalanceTimeoutMs: 60_000 }
  await using first = testKafka(slow.internalServers).group(options)
  const { memberId } = await joined(first)
  await using second = testKafka(slow.bootstrapServers).group({ ...options, requestTimeoutMs: 1_000 })
  const idOfSecond = await assignedId(second)
  const waiting = second.join(idOfSecond)
  waiting.catch(() => undefined)
  await eventually('it is listed', async () => (await second.describe()).members.length === 2)

  for (const proxy of slow.proxies) proxy.stall()

  await assert.rejects(second.describe(), isRetriable)
  await assert.rejects(waiting, isRetriable)
  for (const proxy of slow.proxies) proxy.resume()
  await first.leave(memberId)
  const answer = await whenReady(() => second.join(idOfSecond))
  assert.equal(answer.tag, 'joined')
})
