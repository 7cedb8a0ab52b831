import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually, type SharedKafkaAddress, uniqueName, useKafka, useRealKafka } from '@tributary/testkit'
import { testKafka } from '../testing/clients.ts'

// Apache Kafka in every tier, and what `useKafka()` is: settings and refusals are what the two brokers can differ in.
const brokers = { 'the broker of the tier': await useKafka(), 'Apache Kafka': await useRealKafka() }
for (const [name, server] of Object.entries(brokers)) {
  describe(name, () => {
    testTopics(server)
    testDescriptions(server)
  })
}

function testTopics(server: SharedKafkaAddress): void {
  const kafka = testKafka(server.bootstrapServers)

  test('creating and deleting a topic is visible at once in its description and in the list of topics', async () => {
    await using admin = kafka.admin()
    const name = uniqueName('admin')
    assert.equal(await admin.describeTopic(name), null)

    assert.equal(await admin.createTopic({ name, partitions: 3, replicationFactor: 1 }), true)

    assert.equal(await admin.createTopic({ name, partitions: 3, replicationFactor: 1 }), false)
    const replicas = [0, 1, 2].map((index) => ({ index, leader: 1, replicas: [1] }))
    assert.deepEqual(await admin.describeTopic(name), { name, partitions: replicas })
    assert.ok((await admin.listTopics()).includes(name))
    assert.equal(await admin.deleteTopic(name), true)
    assert.equal(await admin.deleteTopic(name), false)
    assert.equal(await admin.describeTopic(name), null)
  })

  test('-1 means the default of the broker', async () => {
    await using admin = kafka.admin()
    const name = uniqueName('defaults')

    await admin.createTopic({ name, partitions: -1, replicationFactor: -1 })

    assert.equal(
      (await admin.describeTopic(name))?.partitions.length,
      Number(await admin.brokerConfig('num.partitions')),
    )
  })

  test('settings of a topic are set, read and changed', async () => {
    await using admin = kafka.admin()
    const name = uniqueName('settings')
    const configs = { 'cleanup.policy': 'compact', 'retention.ms': '9223372036854775807' }
    await admin.createTopic({ name, partitions: 1, replicationFactor: 1, configs })

    await admin.alterTopicConfig(name, { 'retention.ms': '5000' })

    // The controller has applied the change; the broker that answers may apply it a moment later.
    const settings = await eventually('the broker has the new setting', async () => {
      const read = await admin.topicConfig(name)
      return read.get('retention.ms') === '5000' && read
    })
    assert.equal(settings.get('cleanup.policy'), 'compact')
    assert.equal(settings.get('retention.ms'), '5000')
    assert.ok(settings.has('max.message.bytes'))
  })
}

function testDescriptions(server: SharedKafkaAddress): void {
  const kafka = testKafka(server.bootstrapServers)

  test('a setting of the broker is read; an unknown one is null', async () => {
    await using admin = kafka.admin()

    assert.match((await admin.brokerConfig('message.max.bytes')) ?? '', /^\d+$/)
    assert.equal(await admin.brokerConfig('no.such.setting'), null)
  })

  test('the description of the cluster has its id and its brokers', async () => {
    await using admin = kafka.admin()

    const { clusterId, brokers } = await admin.cluster()

    assert.equal(clusterId.length, 22)
    assert.deepEqual(
      brokers.map(({ id, host, port }) => [id, `${host}:${port}`]),
      [[1, server.bootstrapServers[0]]],
    )
  })

  test('the error of a refused request names the request, the topic and the reason', async () => {
    await using admin = kafka.admin()
    const name = uniqueName('refused')

    await assert.rejects(admin.createTopic({ name, partitions: 1, replicationFactor: 5 }), {
      code: 'REQUEST_REFUSED',
      message: new RegExp(`CreateTopics of topic ${name}: INVALID_REPLICATION_FACTOR .*replication factor`),
    })
    await assert.rejects(
      admin.createTopic({ name, partitions: 1, replicationFactor: 1, configs: { 'retention.ms': 'x' } }),
      {
        code: 'REQUEST_REFUSED',
        message: /INVALID_CONFIG .*retention\.ms/,
      },
    )
    await assert.rejects(admin.topicConfig(name), { code: 'UNKNOWN_TOPIC' })
    await assert.rejects(admin.alterTopicConfig(name, { 'retention.ms': '1' }), { code: 'UNKNOWN_TOPIC' })
    await assert.rejects(admin.describeTopic('not/valid'), { code: 'INVALID_TOPIC' })
  })
}
