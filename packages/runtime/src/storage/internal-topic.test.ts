import { kafkaErrors } from '@tributary/kafka'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAdmin } from '../testing/memory-admin.ts'
import { ensureInternalTopic, type InternalTopic } from './internal-topic.ts'

const configTopic: InternalTopic = {
  name: 'my_configs',
  property: 'config.storage.topic',
  partitions: 1,
  replicationFactor: null,
  servers: 'broker:9092',
  configs: {},
}
const offsetTopic: InternalTopic = {
  ...configTopic,
  name: 'my_offsets',
  property: 'offset.storage.topic',
  partitions: 25,
}
const statusTopic: InternalTopic = {
  ...configTopic,
  name: 'my_statuses',
  property: 'status.storage.topic',
  partitions: 5,
}

function exists(admin: MemoryAdmin, name: string, policy: string, partitions = 1): void {
  admin.topics.set(name, { name, partitions, replicationFactor: 1, configs: { 'cleanup.policy': policy } })
}

test('a missing topic is created compacted, with three replicas or as many as there are brokers; offsets in small segments', async () => {
  for (const [brokerCount, replicationFactor] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [7, 3],
  ] as const) {
    const admin = new MemoryAdmin()
    admin.brokerCount = brokerCount
    await ensureInternalTopic(admin, offsetTopic, captureLogger())
    assert.deepEqual(admin.topics.get('my_offsets'), {
      name: 'my_offsets',
      partitions: 25,
      replicationFactor,
      configs: { 'segment.bytes': '52428800', 'cleanup.policy': 'compact' },
    })
  }
})

test('the other two are written rarely and keep the broker’s segment size', async () => {
  const admin = new MemoryAdmin()
  await ensureInternalTopic(admin, configTopic, captureLogger())
  await ensureInternalTopic(admin, statusTopic, captureLogger())
  assert.deepEqual(admin.topics.get('my_configs')?.configs, { 'cleanup.policy': 'compact' })
  assert.deepEqual(admin.topics.get('my_statuses')?.configs, { 'cleanup.policy': 'compact' })
})

test('settings of the worker are kept, except for the cleanup policy', async () => {
  const admin = new MemoryAdmin()
  const configs = { 'segment.bytes': '1048576', 'cleanup.policy': 'delete' }
  await ensureInternalTopic(admin, { ...offsetTopic, partitions: -1, replicationFactor: 2, configs }, captureLogger())
  assert.deepEqual(admin.topics.get('my_offsets'), {
    name: 'my_offsets',
    partitions: -1,
    replicationFactor: 2,
    configs: { 'segment.bytes': '1048576', 'cleanup.policy': 'compact' },
  })
})

test('an existing compacted topic is accepted', async () => {
  const admin = new MemoryAdmin()
  exists(admin, 'my_configs', 'compact')
  exists(admin, 'my_offsets', 'compact', 50)
  await ensureInternalTopic(admin, configTopic, captureLogger())
  await ensureInternalTopic(admin, offsetTopic, captureLogger())
  assert.equal(
    admin.calls.some((call) => call.startsWith('createTopic')),
    false,
  )
})

test('a topic that deletes old records is refused with Connect’s text', async () => {
  const content = new Map([
    [configTopic, 'connector configurations'],
    [offsetTopic, 'source connector offsets'],
    [statusTopic, 'connector and task statuses'],
  ])
  for (const [topic, what] of content) {
    for (const policy of ['delete', 'compact,delete']) {
      const admin = new MemoryAdmin()
      exists(admin, topic.name, policy)
      await assert.rejects(ensureInternalTopic(admin, topic, captureLogger()), (error: Error) => {
        const begin = `Topic '${topic.name}' supplied via the '${topic.property}' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of ${what}, but found the topic currently has 'cleanup.policy=${policy}'. Continuing would likely result in eventually losing ${what} and problems restarting this Connect cluster in the future. Change the '${topic.property}' property`
        assert.ok(error.message.startsWith(begin), error.message)
        return true
      })
    }
  }
})

test('the config topic must have one partition; others may have any number', async () => {
  const admin = new MemoryAdmin()
  exists(admin, 'my_configs', 'compact', 3)
  await assert.rejects(ensureInternalTopic(admin, configTopic, captureLogger()), {
    code: 'INTERNAL_TOPIC_PARTITIONS',
    message:
      /^Topic 'my_configs' supplied via the 'config\.storage\.topic' property is required to have a single partition in order to guarantee consistency of connector configurations, but found 3 partitions\./,
  })
})

test('the error has the command that corrects the topic', async () => {
  const admin = new MemoryAdmin()
  exists(admin, 'my_offsets', 'delete')
  exists(admin, 'my_configs', 'compact', 3)
  await assert.rejects(
    ensureInternalTopic(admin, offsetTopic, captureLogger()),
    /or run: kafka-configs\.sh --bootstrap-server broker:9092 --alter --entity-type topics --entity-name my_offsets --add-config cleanup\.policy=compact$/,
  )
  await assert.rejects(
    ensureInternalTopic(admin, configTopic, captureLogger()),
    /run: kafka-topics\.sh --bootstrap-server broker:9092 --delete --topic my_configs$/,
  )
})

test('fewer replicas than the worker asks for are refused, as far as there are brokers; fewer than the default are reported', async () => {
  const admin = new MemoryAdmin()
  exists(admin, 'my_statuses', 'compact', 2)
  admin.brokerCount = 2
  const logger = captureLogger()
  await ensureInternalTopic(admin, { ...statusTopic, replicationFactor: 1 }, logger)
  assert.equal(logger.lines.length, 0)
  await ensureInternalTopic(admin, statusTopic, logger)
  assert.match(logger.lines[0]?.message ?? '', /^Topic 'my_statuses' .* has 1 replicas instead of 2: /)
  await assert.rejects(ensureInternalTopic(admin, { ...statusTopic, replicationFactor: 3 }, logger), {
    code: 'INTERNAL_TOPIC_REPLICAS',
    message:
      /Correct status\.storage\.replication\.factor, or add replicas: echo '\{"version":1,"partitions":\[\{"topic":"my_statuses","partition":0,"replicas":\[0,1\]\},\{"topic":"my_statuses","partition":1,"replicas":\[0,1\]\}\]\}' > my_statuses\.json && kafka-reassign-partitions\.sh --bootstrap-server broker:9092 /,
  })
})

test('a topic that another worker creates meanwhile is checked too', async () => {
  const admin = new MemoryAdmin()
  admin.onCreate = ({ name }) => exists(admin, name, 'delete')
  await assert.rejects(ensureInternalTopic(admin, statusTopic, captureLogger()), { code: 'INTERNAL_TOPIC_POLICY' })
})

test('a policy that the worker may not read is logged, and the worker continues', async () => {
  const [admin, logger] = [new MemoryAdmin(), captureLogger()]
  exists(admin, 'my_offsets', 'delete')
  admin.errors.set('topicConfig', kafkaErrors.NOT_AUTHORIZED({ request: 'r', subject: 's', error: 'e' }))
  await ensureInternalTopic(admin, offsetTopic, logger)
  assert.match(logger.lines[0]?.message ?? '', /^The cleanup policy of my_offsets \(offset\.storage\.topic\) could not/)
})

test('the error for a topic that cannot be created names the topic, its setting and what to do', async () => {
  const admin = new MemoryAdmin()
  const refusal = { request: 'CREATE_TOPICS', subject: 'my_offsets', error: 'INVALID_REPLICATION_FACTOR', reason: 'x' }
  admin.errors.set('createTopic', kafkaErrors.REQUEST_REFUSED(refusal))
  await assert.rejects(ensureInternalTopic(admin, offsetTopic, captureLogger()), {
    code: 'INTERNAL_TOPIC_NOT_CREATED',
    message:
      /^Topic 'my_offsets' supplied via the 'offset\.storage\.topic' property does not exist and cannot be created: .*INVALID_REPLICATION_FACTOR.* Correct offset\.storage\.replication\.factor/,
  })
})

test('a retriable error is thrown unchanged', async () => {
  const admin = new MemoryAdmin()
  const unreachable = kafkaErrors.CLUSTER_UNREACHABLE({
    servers: 'broker:9092',
    reason: 'refused',
    setting: 'bootstrap.servers',
  })
  admin.errors.set('createTopic', unreachable)
  await assert.rejects(ensureInternalTopic(admin, offsetTopic, captureLogger()), unreachable)
})
