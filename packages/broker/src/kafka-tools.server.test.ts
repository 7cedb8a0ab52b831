import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKafkaTool } from '@tributary/testkit'
import { startBroker } from './shell/start-broker.ts'

// Judged by Kafka's own tools, that is by its Java clients; kafka-tools.full.test.ts runs more of them.

const tool = async (name: string, args: readonly string[], input?: string): Promise<string> => {
  const { code, stdout, stderr } = await runKafkaTool(name, args, input === undefined ? {} : { input })
  assert.equal(code, 0, stderr)
  return stdout
}

test("Kafka's console producer and consumer write to a topic and read it in a group", async () => {
  await using broker = await startBroker()
  const server = ['--bootstrap-server', broker.bootstrapServers, '--topic', 'orders']
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`)
  const producer = 'org.apache.kafka.tools.ConsoleProducer'
  await tool(producer, [...server, '--compression-codec', 'lz4'], `${lines.join('\n')}\n`)

  const consumer = 'org.apache.kafka.tools.consumer.ConsoleConsumer'
  const group = ['--group', 'readers', '--from-beginning', '--max-messages', '500']
  const read = await tool(consumer, [...server, ...group])
  assert.deepEqual(read.trim().split('\n').toSorted(), lines.toSorted())
})
