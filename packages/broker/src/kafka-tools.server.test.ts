import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKafkaTool } from '@tributary/testkit'
import { startBroker } from './shell/start-broker.ts'

// Judged by Kafka's own command line tools, that is by its Java producer, consumer and administration.

const tool = async (name: string, args: readonly string[], input?: string): Promise<string> => {
  const { code, stdout, stderr } = await runKafkaTool(name, args, input === undefined ? {} : { input })
  assert.equal(code, 0, stderr)
  return stdout
}

test("Kafka's tools create, describe and change a topic, write to it and read it in a group", async () => {
  await using broker = await startBroker()
  const server = ['--bootstrap-server', broker.bootstrapServers]

  const topics = 'org.apache.kafka.tools.TopicCommand'
  await tool(topics, [
    ...server,
    '--create',
    '--topic',
    'orders',
    '--partitions',
    '2',
    '--config',
    'retention.ms=1000000',
  ])
  const described = await tool(topics, [...server, '--describe', '--topic', 'orders'])
  assert.match(described, /PartitionCount: 2\s+ReplicationFactor: 1\s+Configs:.*retention\.ms=1000000/)

  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`)
  const producer = 'org.apache.kafka.tools.ConsoleProducer'
  await tool(producer, [...server, '--topic', 'orders', '--compression-codec', 'lz4'], `${lines.join('\n')}\n`)

  const consumer = 'org.apache.kafka.tools.consumer.ConsoleConsumer'
  const group = ['--group', 'readers', '--from-beginning', '--max-messages', '500']
  const read = await tool(consumer, [...server, '--topic', 'orders', ...group])
  assert.deepEqual(read.trim().split('\n').toSorted(), lines.toSorted())

  const groups = await tool('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', [
    ...server,
    '--describe',
    '--group',
    'readers',
  ])
  const rows = groups.split('\n').filter((line) => line.startsWith('readers'))
  const [committed, lag] = [3, 5].map((column) => rows.reduce((sum, row) => sum + Number(row.split(/\s+/)[column]), 0))
  assert.deepEqual([committed, lag], [500, 0], groups)
})
