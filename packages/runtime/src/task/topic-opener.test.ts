import { kafkaErrors } from '@tributary/kafka'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAdmin } from '../testing/memory-admin.ts'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { TopicOpener } from './topic-opener.ts'

const signal = new AbortController().signal
const defaults = { name: 'orders', partitions: -1, replicationFactor: -1 }

interface Fixture {
  readonly admin: MemoryAdmin
  readonly producer: MemoryProducer
  readonly opened: string[]
  readonly opener: TopicOpener
}

/** Brokers that have no topics; `autoCreation` as their setting says, null when it may not be read. */
function fixture(autoCreation: 'true' | 'false' | null): Fixture {
  const [admin, producer, opened] = [new MemoryAdmin(), new MemoryProducer(), [] as string[]]
  if (autoCreation !== null) admin.brokerSettings.set('auto.create.topics.enable', autoCreation)
  producer.missingTopicError = kafkaErrors.UNKNOWN_TOPIC({ topic: 'orders', waited: '' })
  const opener = new TopicOpener({
    producer,
    admin,
    onOpened: (topic) => opened.push(topic),
    logger: captureLogger(),
  })
  return { admin, producer, opened, opener }
}

test('a topic that is there, or that the broker creates, is left to the broker', async () => {
  const { admin, opener, opened } = fixture('true')
  assert.equal((await opener.open('orders', signal)).name, 'orders')
  assert.deepEqual([admin.calls, opened], [['brokerConfig auto.create.topics.enable'], ['orders']])
})

test('where the broker does not create topics they are created with its defaults, and it is asked once', async () => {
  const { admin, opener, opened } = fixture('false')
  await opener.open('orders', signal)
  admin.topics.set('customers', { ...defaults, name: 'customers' })
  await opener.open('customers', signal)

  assert.deepEqual(admin.topics.get('orders'), defaults)
  assert.deepEqual(admin.calls, [
    'brokerConfig auto.create.topics.enable',
    'describeTopic orders',
    'createTopic orders',
    'describeTopic customers',
  ])
  assert.deepEqual(opened, ['orders', 'customers'])
})

test('a topic that is opened again is not asked for and not told again, unless it was to be forgotten', async () => {
  const { admin, opener, opened } = fixture('false')
  const first = await opener.open('orders', signal)
  const calls = admin.calls.length
  const second = await opener.open('orders', signal)
  assert.equal(second.name, first.name)
  assert.deepEqual([admin.calls.length, opened], [calls, ['orders']])
  opener.forgetTopics()
  await opener.open('orders', signal)
  assert.deepEqual(opened, ['orders', 'orders'])
})

test('a broker whose setting may not be read is waited for; the topic is created when it does not appear', async () => {
  const { admin, producer, opener } = fixture(null)
  producer.topics = new Set()
  admin.onCreate = () => {
    producer.topics = null
  }
  await opener.open('orders', signal)
  assert.deepEqual(admin.topics.get('orders'), defaults)
})

test('somebody else may create the topic meanwhile', async () => {
  const { admin, opener, opened } = fixture('false')
  admin.onCreate = ({ name }) => void admin.topics.set(name, { ...defaults, name, partitions: 6 })
  await opener.open('orders', signal)
  assert.deepEqual([admin.topics.get('orders')?.partitions, opened], [6, ['orders']])
})

test('other refusals are passed on, and the topic does not count as opened', async () => {
  const { admin, producer, opener, opened } = fixture('true')
  producer.topics = new Set()
  producer.missingTopicError = kafkaErrors.NOT_AUTHORIZED({ request: 'METADATA', subject: 'orders', error: 'TOPIC' })
  await assert.rejects(opener.open('orders', signal), { code: 'NOT_AUTHORIZED' })
  assert.deepEqual([admin.topics.size, opened], [0, []])
})
