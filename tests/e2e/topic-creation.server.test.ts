/** Topics that a connector creates with settings of its own, in the cluster of the worker and in another one. */
import {
  connectorConfig,
  fullTest,
  idOf,
  kafkaClient,
  readTopic,
  startOwnBroker,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'

async function databaseWith(name: string, tables: readonly string[]): Promise<void> {
  const database = await useMySql()
  await database.query(`CREATE DATABASE ${name}`)
  for (const table of tables) {
    await database.query(`CREATE TABLE ${name}.${table} (id INT PRIMARY KEY)`)
    await database.query(`INSERT INTO ${name}.${table} VALUES (1)`)
  }
}

// The settings are those of the topics that Kafka Connect 4.3.1 creates for a document like this one
// (tests/interop/topic-creation.interop.test.ts).
test('topics get the settings of the first group that matches; one that exists stays as it is', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('creates')
  await databaseWith(name, ['orders', 'customers', 'existing'])
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.createTopic({ name: `${name}.${name}.existing`, partitions: 2, replicationFactor: 1 })
  await using service = await startService({ bootstrapServers })
  const more = {
    'topic.creation.groups': 'compacted,orders',
    'topic.creation.default.partitions': '3',
    'topic.creation.default.replication.factor': '-1',
    'topic.creation.compacted.include': '.*\\.customers',
    'topic.creation.compacted.cleanup.policy': 'compact',
    'topic.creation.orders.include': '.*\\.(orders|customers)',
    'topic.creation.orders.partitions': '6',
    'producer.override.acks': '1',
    'heartbeat.interval.ms': '500',
  }
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
  const topics = ['existing', 'customers', 'orders'].map((table) => `${name}.${name}.${table}`)
  for (const topic of [...topics, name, `__debezium-heartbeat.${name}`]) {
    await waitForRecords(bootstrapServers, topic, 1)
  }
  const found = async (topic: string): Promise<unknown> => [
    (await admin.describeTopic(topic))?.partitions.length,
    (await admin.topicConfig(topic)).get('cleanup.policy'),
  ]
  assert.deepEqual(await Promise.all([...topics, name, `__debezium-heartbeat.${name}`].map(found)), [
    [2, 'delete'],
    [3, 'compact'],
    [6, 'delete'],
    [3, 'delete'],
    [3, 'delete'],
  ])
  const log = await service.waitForLog(/Settings of Kafka clients without effect: [^\n"]*/)
  assert.match(log, /producer\.override\.acks \(the producer always waits for all replicas\)/)
})

fullTest(
  'records and topics may be in another cluster; the offsets are in that of the worker, so a restart continues',
  async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using other = await startOwnBroker({ createsTopics: false })
    const name = uniqueName('elsewhere')
    await databaseWith(name, ['t'])
    await using service = await startService({ bootstrapServers })
    const servers = other.bootstrapServers.join(',')
    const more = {
      'topic.creation.default.partitions': '2',
      'topic.creation.default.replication.factor': '1',
      'producer.override.bootstrap.servers': servers,
      'admin.override.bootstrap.servers': servers,
    }
    await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
    const topic = `${name}.${name}.t`
    await waitForRecords(other.bootstrapServers, topic, 1)
    await service.stop()
    await database.query(`INSERT INTO ${name}.t VALUES (2)`)
    await service.start()
    const records = await waitForRecords(other.bootstrapServers, topic, 2)

    assert.deepEqual(
      records.map(idOf).toSorted((a, b) => a - b),
      [1, 2],
    )
    assert.deepEqual(await readTopic(bootstrapServers, topic), [])
    await using admin = (await kafkaClient(other.bootstrapServers)).admin()
    assert.equal((await admin.describeTopic(topic))?.partitions.length, 2)
    assert.ok(!(await admin.listTopics()).includes(service.offsetTopic))
  },
)
