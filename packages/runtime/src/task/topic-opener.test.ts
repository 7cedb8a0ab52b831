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

test('what a topic needs first can be asked before there is one', async () => {
  const { admin, opener } = fixture('true')
  opener.prepare(signal)
  assert.deepEqual(admin.calls, ['brokerConfig auto.create.topics.enable'])
  await opener.open('orders', signal)
  assert.equal(admin.calls.length, 1)
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

/** Look-ups that wait until the test answers them. */
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

test('topics are opened ahead beside one another, 64 at a time; each is told when its turn comes, and asked for once', async () => {
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

test('a topic that cannot be opened ahead fails the record whose turn it is, once', async () => {
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

test('one that cannot be opened ahead ends it for those that wait behind it; they are opened in their turn, and ahead again', async () => {
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
  // Two places are free again.
  opener.openAhead(['t64', 't65', 't66'], signal)
  await turn()
  assert.deepEqual([...held.keys()].slice(64), ['t64', 't65'])
  const turned = opener.open('t69', signal)
  await turn()
  held.get('t69')?.resolve()
  await turned
  assert.deepEqual(opened, ['t69'])
})

test('whether the broker creates topics is asked again when it could not be asked', async () => {
  const { admin, opener, opened } = fixture('false')
  admin.errors.set('brokerConfig', kafkaErrors.NOT_AUTHORIZED({ request: 'R', subject: 's', error: 'E' }))
  opener.openAhead(['a', 'b'], signal)
  await assert.rejects(opener.open('a', signal), { code: 'NOT_AUTHORIZED' })
  admin.errors.clear()
  await opener.open('a', signal)
  assert.deepEqual(opened, ['a'])
})
