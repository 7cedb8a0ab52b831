import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { GroupClient } from '@tributary/kafka'
import { retry, silentLogger, systemClock } from '@tributary/support'
import {
  eventually,
  kafkaClient,
  startConnect,
  startKafka,
  storageTopics,
  uniqueName,
  type KafkaServer,
} from '@tributary/testkit'
import { parseWorkerConfig } from './config/worker-config.ts'
import { assignIncrementally } from './group/assignor/incremental-assignor.ts'
import { NO_MEMORY, type AssignorMember } from './group/assignor/assignor.ts'
import { encodeAssignment } from './group/protocol/assignment.ts'
import { decodeMemberState, offeredProtocols, versionOfProtocol } from './group/protocol/member-state.ts'
import type { OwnData } from './group/protocol/own-data.ts'
import { NO_WORK } from './group/protocol/work.ts'
import { startFollower } from './rest/forward/testing/follower.ts'
import { LeaderClient } from './rest/forward/leader-client.ts'
import { WorkerClient } from './rest/forward/worker-client.ts'
import { signatureHeaders } from './session-key/request-signature.ts'
import { generateSessionKey, type SessionKey } from './session-key/session-key.ts'
import { WorkerStorage } from './storage/worker-storage.ts'
import { soleInternal } from './testing/sole-internal.ts'

/*
 * A real worker of Kafka Connect 4.3.1 as the leader, and as a follower, of this code. It cannot reach the database of
 * its connector, which needs none to compute task configurations.
 */

const settings = soleInternal().sessionKeys
const client = new WorkerClient({ tls: () => ({ checkHostName: true }), clock: systemClock, timeoutMs: 30_000 })

function connectorConfig(name: string, { bootstrapServers }: KafkaServer): Readonly<Record<string, string>> {
  return {
    name,
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    'topic.prefix': name,
    'database.hostname': '127.0.0.1',
    'database.port': '1',
    'schema.history.internal.kafka.bootstrap.servers': bootstrapServers.join(','),
    'schema.history.internal.kafka.topic': `history-${name}`,
  }
}

async function openStorage(name: string, { bootstrapServers }: KafkaServer): Promise<WorkerStorage> {
  const { configs, offsets, statuses } = storageTopics(name)
  const config = parseWorkerConfig({
    'bootstrap.servers': bootstrapServers.join(','),
    'group.id': name,
    'config.storage.topic': configs,
    'offset.storage.topic': offsets,
    'status.storage.topic': statuses,
    'offset.storage.partitions': '1',
    'status.storage.partitions': '1',
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  })
  const kafka = await kafkaClient(bootstrapServers)
  return WorkerStorage.open({ kafka, config, logger: silentLogger, clock: systemClock })
}

function leaderClient(key: SessionKey | null): LeaderClient {
  return new LeaderClient({ client, sign: (body) => (key === null ? {} : signatureHeaders(body, key, settings)) })
}

test('a worker of Kafka Connect leads: it accepts what we sign with its key, and nothing else, and what we forward', async () => {
  await using kafka = await startKafka()
  const name = uniqueName('java-leads')
  await using java = await startConnect({ bootstrapServers: kafka.bootstrapServers, name })
  await using storage = await openStorage(name, kafka)
  await storage.configs.putConnector('c', connectorConfig('c', kafka), 'STARTED')
  const key = await eventually('the leader has stored a session key', () => storage.configs.sessionKey ?? undefined)

  const marked = [
    { ...connectorConfig('c', kafka), 'task.class': 'io.debezium.connector.mysql.MySqlConnectorTask', marked: 'by us' },
  ]
  const put = (by: SessionKey | null): Promise<void> => leaderClient(by).putTaskConfigs(java.url, 'c', marked)
  await eventually('the leader has read the connector', async () => {
    await put(key)
    return true
  })
  await eventually('it has stored the task', () => storage.configs.get('c')?.taskConfigs?.[0]?.['marked'] === 'by us')
  const forged = { ...key, key: createSecretKey(randomBytes(32)) }
  await assert.rejects(put(forged), { status: 403, message: 'Internal request contained invalid signature.' })
  await assert.rejects(put(null), { status: 400, message: 'Internal request missing required signature' })
  const fence = (by: SessionKey): Promise<void> => leaderClient(by).fenceZombies(java.url, 'c')
  await assert.rejects(fence(forged), { status: 403 })
  await fence(key)

  await using follower = await startFollower({ tag: 'not leader', leaderUrl: java.url })
  const send = async (method: string, path: string, body?: unknown): Promise<readonly [number, string]> => {
    const headers = { 'Content-Type': 'application/json' }
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(follower.server.url + path, init)
    return [answer.status, await answer.text()]
  }
  assert.deepEqual(await send('PUT', '/connectors/c/stop'), [204, ''])
  assert.deepEqual(await send('DELETE', '/connectors/nope'), [
    404,
    '{"error_code":404,"message":"Connector nope not found"}',
  ])
  assert.deepEqual(
    await send('POST', '/connectors/c/restart?includeTasks=true&onlyFailed=false').then(([status]) => status),
    202,
  )
  assert.deepEqual(await send('DELETE', '/connectors/c/offsets').then(([status]) => status), 200)
  assert.deepEqual(await send('DELETE', '/connectors/c'), [204, ''])
  await eventually('the connector is gone', () => storage.configs.get('c') === null)
})

test('a worker of Kafka Connect follows: it runs what we assign, signs what it sends to us, and forwards to us', async () => {
  await using kafka = await startKafka()
  const name = uniqueName('java-follows')
  await using storage = await openStorage(name, kafka)
  await storage.configs.putSessionKey(generateSessionKey(settings, systemClock.now()))
  await storage.configs.putConnector('c', connectorConfig('c', kafka), 'STARTED')
  await using us = await startFollower(null)
  us.herder.sessionKey = storage.configs.sessionKey

  const stop = new AbortController()
  const leading = lead(kafka, name, `${us.server.url}/`, stop.signal)
  await using _stopped = {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await leading.catch(() => undefined)
    },
  }
  await using java = await startConnect({ bootstrapServers: kafka.bootstrapServers, name })
  const sent = await eventually(
    'the follower sends its task configurations, signed',
    () => us.herder.recorded.find((each) => each.startsWith('tasks of c: ')),
    { timeoutMs: 60_000 },
  )
  const [task] = JSON.parse(sent.slice('tasks of c: '.length)) as readonly Readonly<Record<string, string>>[]
  assert.deepEqual([task?.['name'], task?.['task.class']], ['c', 'io.debezium.connector.mysql.MySqlConnectorTask'])
  const status = await eventually('the follower runs the connector', async () => {
    const answer = await fetch(`${java.url}/connectors/c/status`)
    return answer.ok ? ((await answer.json()) as { readonly connector: { readonly state: string } }) : undefined
  })
  assert.equal(status.connector.state, 'RUNNING')
  const stopped = await fetch(`${java.url}/connectors/c/stop`, { method: 'PUT' })
  assert.equal(stopped.status, 204)
  assert.ok(us.herder.recorded.includes('stop c'))
})

/** A member of the group, and its leader as the first one. It runs nothing; the other member gets everything. */
async function lead(kafka: KafkaServer, groupId: string, url: string, signal: AbortSignal): Promise<void> {
  const own: OwnData = {
    version: 'test',
    features: [],
    group: groupId,
    configTopic: 'c',
    offsetTopic: 'o',
    statusTopic: 's',
    sessionTimeoutMs: 10_000,
    process: null,
    loads: [],
    isLeaving: false,
  }
  await using group = (await kafkaClient(kafka.bootstrapServers)).group({
    groupId,
    protocolType: 'connect',
    protocols: offeredProtocols({ url, configOffset: 0n, allocation: null, own }, 'sessioned'),
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 30_000,
    requestTimeoutMs: 10_000,
  })
  let memberId = ''
  while (!signal.aborted) {
    const joined = await retry(() => group.join(memberId, signal), {
      clock: systemClock,
      initialMs: 100,
      maxMs: 500,
      signal,
    })
    if (joined.tag === 'id assigned') memberId = joined.memberId
    if (joined.tag !== 'joined') continue
    memberId = joined.group.memberId
    await assignAll(group, joined.group, url, signal)
    while ((await group.heartbeat(joined.group, signal)) === 'alive') await systemClock.sleep(200, signal)
  }
}

type Joined = Parameters<GroupClient['sync']>[0]

async function assignAll(group: GroupClient, joined: Joined, url: string, signal: AbortSignal): Promise<void> {
  const states = joined.members.map(({ memberId, metadata }) => ({ memberId, state: decodeMemberState(metadata) }))
  const members: readonly AssignorMember[] = states.map(({ memberId, state }) => ({
    memberId,
    worker: state.url,
    running: state.allocation?.assigned ?? NO_WORK,
    loads: null,
    isLeaving: false,
    canRun: () => state.own === null,
  }))
  const configured = { connectors: ['c'], tasks: [] }
  const { assignments } = assignIncrementally({ members, configured, memory: NO_MEMORY, nowMs: 0, maxDelayMs: 0 })
  const configOffset = states.reduce((most, { state }) => (state.configOffset > most ? state.configOffset : most), 0n)
  const version = versionOfProtocol(joined.protocol)
  assert.equal(version, 2)
  const list = members.map(({ memberId }) => {
    const { assigned = NO_WORK, revoked = NO_WORK } = assignments.get(memberId) ?? {}
    const assignment = {
      version,
      error: 0,
      leader: joined.leaderId,
      leaderUrl: url,
      configOffset,
      assigned,
      revoked,
      delayMs: 0,
    }
    return { memberId, assignment: encodeAssignment(assignment) }
  })
  await group.sync(joined, list, signal)
}
