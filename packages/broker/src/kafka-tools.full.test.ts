import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from './shell/start-broker.ts'
import { assertSameOnBoth } from './testing/client-work.ts'
import { kafkaTool } from './testing/kafka-tool.ts'
import { CURRENT_TOOLS, OLD_TOOLS, toolsWork } from './testing/tools-work.ts'

for (const tools of [CURRENT_TOOLS, OLD_TOOLS]) {
  const name = tools.version ?? '4.3'
  test(`the command line tools of ${name} have the same outputs as with Kafka`, async () => {
    await assertSameOnBoth(toolsWork(tools))
  })
}

test("Kafka's console producer and consumer write to a topic and read it in a group", async () => {
  await using broker = await startBroker()
  const server = ['--bootstrap-server', broker.bootstrapServers, '--topic', 'orders']
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`)
  const producer = 'org.apache.kafka.tools.ConsoleProducer'
  await kafkaTool(producer, [...server, '--compression-codec', 'lz4'], `${lines.join('\n')}\n`)

  const consumer = 'org.apache.kafka.tools.consumer.ConsoleConsumer'
  const group = ['--group', 'readers', '--from-beginning', '--max-messages', '500']
  const read = await kafkaTool(consumer, [...server, ...group])
  assert.deepEqual(read.trim().split('\n').toSorted(), lines.toSorted())
})
