import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName, useRealKafka } from '@tributary/testkit'
import { part, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { assertCodecOfJava } from '../testing/codec-of-java.ts'

// Apache Kafka: the codecs are those of Java's producer on its own broker.
const { bootstrapServers } = await useRealKafka()
const kafka = testKafka(bootstrapServers)

test('the codec of the last batches is that of the Java producer that wrote them', () =>
  assertCodecOfJava(bootstrapServers, 'zstd'))

test('a topic without records, and one that does not exist, have no codec, and neither is created', async () => {
  await using reader = kafka.codecReader()
  await using admin = kafka.admin()
  const topic = uniqueName('empty')
  await admin.createTopic({ name: topic, partitions: 1, replicationFactor: 1 })
  assert.equal(await reader.lastCodecs(topic), null)
  assert.equal(await reader.lastCodecs(`${topic}-missing`), null)
  assert.equal(await admin.describeTopic(`${topic}-missing`), null)
})

test('a topic of this producer has LZ4, whatever tombstones follow; a codec may be chosen for one topic', async () => {
  await using reader = kafka.codecReader()
  await using producer = await kafka.producer(silent())
  const names = { own: uniqueName('own'), chosen: uniqueName('chosen') }
  const prefix = Buffer.from('{"schema":'.padEnd(500, 'x'))
  const value = part('}', prefix)
  const own = await producer.topic(names.own)
  const chosen = await producer.topic(names.chosen, { compression: 'none' })
  for (const topic of [own, chosen]) {
    topic.send(valueRecord('', { value }))
    await producer.flush()
    topic.send(valueRecord('', { key: part('k'), value: null }))
    await producer.flush()
  }
  assert.deepEqual([...((await reader.lastCodecs(names.own))?.codecs ?? [])], ['lz4'])
  const sample = await reader.lastCodecs(names.chosen)
  assert.equal(sample?.last, 'none')
  assert.ok(sample.lz4Share < 0.5, String(sample.lz4Share))
})
