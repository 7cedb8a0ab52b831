import { kafkaErrors } from '@tributary/kafka'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicCreation } from '../../config/topic-creation.ts'
import { MemoryAdmin } from '../../testing/memory-admin.ts'
import { MemoryProducer } from '../../testing/memory-producer.ts'
import { TopicOpener } from './topic-opener.ts'

const signal = new AbortController().signal
const defaults = { name: 'orders', partitions: -1, replicationFactor: -1 }

interface Fixture {
  readonly admin: MemoryAdmin
  readonly producer: MemoryProducer
  readonly opened: string[]
  readonly opener: TopicOpener
}

/** Brokers without topics. `autoCreation`: their setting; null: the account may not read it. */
function fixture(autoCreation: 'true' | 'false' | null, creation: TopicCreation | null = null): Fixture {
  const [admin, producer, opened] = [new MemoryAdmin(), new MemoryProducer(), [] as string[]]
  if (autoCreation !== null) admin.brokerSettings.set('auto.create.topics.enable', autoCreation)
  producer.missingTopicError = kafkaErrors.UNKNOWN_TOPIC({ topic: 'orders', waited: '' })
  const opener = new TopicOpener({
    producer,
    admin,
    creation,
    codecs: { codecFor: () => Promise.resolve(undefined) },
    onOpened: (topic) => opened.push(topic),
    logger: captureLogger(),
  })
  return { admin, producer, opened, opener }
}

test('a topic that exists, or that the broker creates, is not created here', async () => {
  const { admin, opener, opened } = fixture('true')
  assert.equal((await opener.open('orders', signal)).name, 'orders')
  assert.deepEqual([admin.calls, opened], [['brokerConfig auto.create.topics.enable'], ['orders']])
})

test('preload reads the setting that the first topic needs', async () => {
  const { admin, opener } = fixture('true')
  opener.preload(signal)
  assert.deepEqual(admin.calls, ['brokerConfig auto.create.topics.enable'])
  await opener.open('orders', signal)
  assert.equal(admin.calls.length, 1)
})

test('where the broker does not create topics, missing ones are created with its defaults; its setting is read once', async () => {
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

test('a topic that is opened again causes no request and no report, except after forgetTopics', async () => {
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

test('when the setting may not be read, the broker gets time to create the topic; then it is created here', async () => {
  const { admin, producer, opener } = fixture(null)
  producer.topics = new Set()
  admin.onCreate = () => {
    producer.topics = null
  }
  await opener.open('orders', signal)
  assert.deepEqual(admin.topics.get('orders'), defaults)
})

test('another client may create the topic first', async () => {
  const { admin, opener, opened } = fixture('false')
  admin.onCreate = ({ name }) => void admin.topics.set(name, { ...defaults, name, partitions: 6 })
  await opener.open('orders', signal)
  assert.deepEqual([admin.topics.get('orders')?.partitions, opened], [6, ['orders']])
})

test('other errors are thrown, and the topic does not count as opened', async () => {
  const { admin, producer, opener, opened } = fixture('true')
  producer.topics = new Set()
  producer.missingTopicError = kafkaErrors.NOT_AUTHORIZED({ request: 'METADATA', subject: 'orders', error: 'TOPIC' })
  await assert.rejects(opener.open('orders', signal), { code: 'NOT_AUTHORIZED' })
  assert.deepEqual([admin.topics.size, opened], [0, []])
})

/** Look-ups that wait for the test's answer. */
function heldLookUps(producer: MemoryProducer): Map<string, PromiseWithResolvers<void>> {
  const held = new Map<string, PromiseWithResolvers<void>>()
  producer.onLookUp = (name) => {
    const answer = Promise.withResolvers<void>()
    held.set(name, answer)
    return answer.promise
  }
  return held
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('topics are opened ahead side by side, 64 at a time; each is requested once, and reported in its turn', async () => {
  const { admin, producer, opener, opened } = fixture('true')
  const held = heldLookUps(producer)
  const names = Array.from({ length: 66 }, (_, i) => `t${i}`)
  opener.openAhead(names, signal)
  opener.openAhead(names, signal)
  await turn()
  assert.deepEqual([...held.keys()], names.slice(0, 64))

  held.get('t7')?.resolve()
  await turn()
  assert.deepEqual([...held.keys()], names.slice(0, 65))
  assert.deepEqual([opened, admin.calls], [[], ['brokerConfig auto.create.topics.enable']])

  for (const { resolve } of held.values()) resolve()
  await turn()
  held.get('t65')?.resolve()
  for (const name of names) await opener.open(name, signal)
  assert.deepEqual([opened, held.size], [names, 66])
})

test('the failure of an opening ahead is thrown once, in the turn of its record', async () => {
  const { producer, opener, opened } = fixture('true')
  producer.onLookUp = (name) =>
    name === 'b' ? Promise.reject(kafkaErrors.INVALID_TOPIC({ topic: 'b' })) : Promise.resolve()
  opener.openAhead(['a', 'b', 'c'], signal)
  await turn()
  await opener.open('a', signal)
  await assert.rejects(opener.open('b', signal), { code: 'INVALID_TOPIC' })
  producer.onLookUp = () => Promise.resolve()
  await opener.open('b', signal)
  assert.deepEqual(opened, ['a', 'b'])
})

test('a failed opening ahead empties the queue; its topics are opened in their turn, or ahead again', async () => {
  const { producer, opener, opened } = fixture('true')
  const held = heldLookUps(producer)
  const names = Array.from({ length: 70 }, (_, i) => `t${i}`)
  opener.openAhead(names, signal)
  await turn()
  held.get('t3')?.reject(kafkaErrors.INVALID_TOPIC({ topic: 't3' }))
  await turn()
  held.get('t4')?.resolve()
  await turn()
  assert.equal(held.size, 64)
  await assert.rejects(opener.open('t3', signal), { code: 'INVALID_TOPIC' })
  // Two of the 64 places are free again.
  opener.openAhead(['t64', 't65', 't66'], signal)
  await turn()
  assert.deepEqual([...held.keys()].slice(64), ['t64', 't65'])
  const turned = opener.open('t69', signal)
  await turn()
  held.get('t69')?.resolve()
  await turned
  assert.deepEqual(opened, ['t69'])
})

test('the setting is read again after a failure', async () => {
  const { admin, opener, opened } = fixture('false')
  admin.errors.set('brokerConfig', kafkaErrors.NOT_AUTHORIZED({ request: 'R', subject: 's', error: 'E' }))
  opener.openAhead(['a', 'b'], signal)
  await assert.rejects(opener.open('a', signal), { code: 'NOT_AUTHORIZED' })
  admin.errors.clear()
  await opener.open('a', signal)
  assert.deepEqual(opened, ['a'])
})

const creation = TopicCreation.of({
  'topic.creation.groups': 'orders',
  'topic.creation.default.partitions': '-1',
  'topic.creation.default.replication.factor': '-1',
  'topic.creation.orders.include': 'shop\\.orders.*',
  'topic.creation.orders.partitions': '6',
  'topic.creation.orders.cleanup.policy': 'compact',
})

test('with settings of its own, a connector creates missing topics before the broker can, whatever its setting is', async () => {
  const { admin, opener, opened } = fixture('true', creation)
  opener.preload(signal)
  admin.topics.set('shop.orders.old', { ...defaults, name: 'shop.orders.old', partitions: 2 })
  for (const name of ['shop.orders', 'shop.orders.old', 'shop']) await opener.open(name, signal)

  assert.deepEqual(admin.topics.get('shop.orders'), {
    name: 'shop.orders',
    partitions: 6,
    replicationFactor: -1,
    configs: { 'cleanup.policy': 'compact' },
  })
  assert.equal(admin.topics.get('shop.orders.old')?.partitions, 2)
  assert.deepEqual(admin.topics.get('shop'), { ...defaults, name: 'shop', configs: {} })
  assert.deepEqual(
    admin.calls.filter((call) => !call.startsWith('describeTopic')),
    ['createTopic shop.orders', 'createTopic shop'],
  )
  assert.deepEqual(opened, ['shop.orders', 'shop.orders.old', 'shop'])
})

test('a topic that may not be created fails the task with the text of Connect, and is not left to the broker', async () => {
  const { admin, opener, opened } = fixture('true', creation)
  const denied = { request: 'CreateTopics', subject: 'topic shop.orders', error: 'TOPIC_AUTHORIZATION_FAILED' }
  admin.errors.set('createTopic', kafkaErrors.NOT_AUTHORIZED(denied))
  await assert.rejects(opener.open('shop.orders', signal), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'TOPIC_CREATION_DENIED')
    assert.ok(
      error.message.startsWith(
        'Task failed to create new topic (name=shop.orders, numPartitions=6, replicationFactor=-1, replicasAssignments=null, configs={cleanup.policy=compact}). Ensure that the task is authorized to create topics or that the topic exists and restart the task (',
      ),
    )
    return true
  })
  assert.deepEqual([admin.topics.size, opened], [0, []])
})

test('settings that the brokers refuse fail the task with their reason', async () => {
  const { admin, opener } = fixture('true', creation)
  const refused = {
    request: 'CreateTopics',
    subject: 'topic t',
    error: 'INVALID_CONFIG',
    reason: 'Unknown topic config',
  }
  admin.errors.set('createTopic', kafkaErrors.REQUEST_REFUSED(refused))
  await assert.rejects(opener.open('t', signal), {
    code: 'TOPIC_NOT_CREATED',
    message: /^Unable to create topic\(s\) 't': .*Unknown topic config.*topic\.creation\.default\.…/,
  })
})
