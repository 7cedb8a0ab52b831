import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kafkaClient } from '@tributary/testkit'
import { startBroker } from './shell/start-broker.ts'
import { kafkaTool } from './testing/kafka-tool.ts'

// Judged by Kafka's own consumer; kafka-tools.full.test.ts runs more of its tools.

test("Kafka's console consumer reads a topic in a group", async () => {
  await using broker = await startBroker()
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`)
  await using producer = await (await kafkaClient([broker.bootstrapServers])).producer({ onDelivered: () => undefined })
  const orders = await producer.topic('orders', { compression: 'lz4' })
  for (const [token, line] of lines.entries()) {
    const value = { prefix: Buffer.alloc(0), buffer: Buffer.from(line), start: 0, end: line.length }
    orders.send({ key: null, value, headers: [], partition: null, timestamp: null, token })
  }
  await producer.flush()

  const server = ['--bootstrap-server', broker.bootstrapServers, '--topic', 'orders']
  const group = ['--group', 'readers', '--from-beginning', '--max-messages', '500']
  const read = await kafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...server, ...group])
  assert.deepEqual(read.trim().split('\n').toSorted(), lines.toSorted())
})
