/** Records that exceed an old or assumed limit: the producer asks the brokers before it refuses them. */
import { eventually, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicRequests } from '../cluster/topic-requests.ts'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { noise } from '../testing/test-records.ts'

const server = await useKafka()
const prefix = uniqueName('offer')
const kafka = testKafka(server.bootstrapServers)

async function createTopic(name: string, bytesMax: number): Promise<void> {
  await using admin = kafka.admin()
  const configs = { 'max.message.bytes': String(bytesMax) }
  await admin.createTopic({ name, partitions: 1, replicationFactor: 1, configs })
}

async function sizes(name: string): Promise<readonly number[]> {
  return (await readAll(kafka, name)).map(({ value }) => value?.length ?? 0)
}

test('a record fits when the limit of its topic was raised since it was read', async () => {
  const name = `${prefix}.raised`
  await createTopic(name, 2_000)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name)
  const large = valueRecord(noise(3_000))
  assert.throws(() => topic.send(large), { code: 'RECORD_TOO_LARGE' })

  await using admin = kafka.admin()
  await admin.alterTopicConfig(name, { 'max.message.bytes': '10000' })
  await eventually(
    'the broker knows the new limit',
    async () => (await admin.topicConfig(name)).get('max.message.bytes') === '10000',
  )
  await topic.offer(large)
  topic.send(valueRecord(noise(4_000)))
  await producer.flush()
  await assert.rejects(topic.offer(valueRecord(noise(20_000))), { code: 'RECORD_TOO_LARGE', message: /allows 10000/ })
  assert.deepEqual(await sizes(name), [3_000, 4_000])
})

test('while the limit of a topic cannot be read, its broker decides about each record', async (context) => {
  // As for a user without DESCRIBE_CONFIGS on the topic.
  context.mock.method(TopicRequests.prototype, 'messageBytesMax', () => Promise.resolve(undefined))
  const name = `${prefix}.unknown`
  await createTopic(name, 3_000_000)
  const delivered: number[] = []
  await using producer = await kafka.producer({ onDelivered: (tokens) => delivered.push(...tokens) })
  const topic = await producer.topic(name)
  const record = (bytes: number, token: number): ReturnType<typeof valueRecord> => valueRecord(noise(bytes), { token })
  topic.send(record(10, 0))
  assert.throws(() => topic.send(record(2_000_000, 1)), { code: 'RECORD_TOO_LARGE' })
  await topic.offer(record(2_000_000, 1))
  assert.deepEqual(delivered, [0, 1])

  await assert.rejects(topic.offer(record(4_000_000, 2)), { code: 'RECORD_TOO_LARGE', message: /allows less/ })
  assert.deepEqual([producer.failure, producer.bufferedBytes], [null, 0])
  // The sequence numbers continue.
  topic.send(record(20, 2))
  await topic.offer(record(2_500_000, 3))
  topic.send(record(30, 4))
  await producer.flush()
  assert.deepEqual(delivered, [0, 1, 2, 3, 4])
  assert.deepEqual(await sizes(name), [10, 2_000_000, 20, 2_500_000, 30])
})

test('of a topic with less than the default, a batch is split, and its records are asked for one by one', async (context) => {
  context.mock.method(TopicRequests.prototype, 'messageBytesMax', () => Promise.resolve(undefined))
  const name = `${prefix}.less`
  await createTopic(name, 100_000)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name)
  for (let token = 0; token < 5; token++) topic.send(valueRecord(noise(60_000), { token }))
  await producer.flush()
  assert.equal((await sizes(name)).length, 5)
  // The refused batch has shown that the limit is lower.
  assert.throws(() => topic.send(valueRecord(noise(500_000), { token: 5 })), { code: 'RECORD_TOO_LARGE' })
  await assert.rejects(topic.offer(valueRecord(noise(500_000), { token: 5 })), { code: 'RECORD_TOO_LARGE' })
  assert.equal(producer.failure, null)
})

test('a size that a broker has refused in an earlier run is asked for, whatever the limit says', async () => {
  const name = `${prefix}.earlier`
  await createTopic(name, 100_000)
  await using producer = await kafka.producer({ ...silent(), refusedBytes: { [name]: 50_000 } })
  const topic = await producer.topic(name)
  topic.send(valueRecord(noise(40_000), { token: 0 }))
  const large = valueRecord(noise(60_000), { token: 1 })
  assert.throws(() => topic.send(large), { code: 'RECORD_TOO_LARGE' })
  await topic.offer(large)
  await assert.rejects(topic.offer(valueRecord(noise(200_000), { token: 2 })), { code: 'RECORD_TOO_LARGE' })
  // The broker accepts what it refused, so the limit of the topic counts again.
  topic.send(valueRecord(noise(70_000), { token: 2 }))
  await producer.flush()
  assert.deepEqual(await sizes(name), [40_000, 60_000, 70_000])
})
