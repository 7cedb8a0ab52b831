import assert from 'node:assert/strict'
import { runKafkaTool, uniqueName } from '@tributary/testkit'
import type { Compression } from '../api/producer.ts'
import { testKafka } from './clients.ts'

/** Writes a topic with Java's producer; the codec reader must find the codec of that producer. */
export async function assertCodecOfJava(bootstrapServers: readonly string[], codec: Compression): Promise<void> {
  const kafka = testKafka(bootstrapServers)
  await using reader = kafka.codecReader()
  await using admin = kafka.admin()
  const topic = uniqueName(`codec-${codec}`)
  await admin.createTopic({ name: topic, partitions: 2, replicationFactor: 1 })
  await fillWithJava(bootstrapServers, topic, codec)
  const sample = await reader.lastCodecs(topic)
  assert.deepEqual([...(sample?.codecs ?? [])], [codec])
  assert.equal(sample?.last, codec)
  assert.ok(sample.lz4Share > 0.1 && sample.lz4Share < 2, String(sample.lz4Share))
}

/** Records of Java's producer, as Kafka Connect configures it. */
async function fillWithJava(bootstrapServers: readonly string[], topic: string, codec: Compression): Promise<void> {
  const { code, stderr } = await runKafkaTool('org.apache.kafka.tools.ProducerPerformance', [
    '--topic',
    topic,
    '--num-records',
    '40',
    '--record-size',
    '2000',
    '--throughput',
    '-1',
    '--producer-props',
    `bootstrap.servers=${bootstrapServers.join(',')}`,
    `compression.type=${codec}`,
    'enable.idempotence=false',
  ])
  assert.equal(code, 0, stderr)
}
