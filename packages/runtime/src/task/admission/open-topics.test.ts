import { Schema } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryProducer } from '../../testing/memory-producer.ts'
import { RegisteringConverter } from '../testing/registering-converter.ts'
import { recordAt } from '../testing/test-record.ts'
import { TextConverter } from '../testing/text-converter.ts'
import { OpenTopics } from './open-topics.ts'

const producer = new MemoryProducer()
const plain = { keyConverter: new TextConverter(), valueConverter: new TextConverter() }

function names(topics: OpenTopics, ...wanted: readonly string[]): readonly (string | null)[] {
  return wanted.map((name) => topics.find(name)?.topic.name ?? null)
}

test('topics are found by name until all are closed', () => {
  const topics = new OpenTopics(plain)
  assert.deepEqual(names(topics, 'a'), [null])
  for (const name of ['a', 'b']) topics.add(producer.knownTopic(name))
  assert.deepEqual(names(topics, 'a', 'b', 'b', 'a', 'c'), ['a', 'b', 'b', 'a', null])
  topics.clear()
  assert.deepEqual(names(topics, 'a', 'b'), [null, null])
})

test('above the limit, the topic that was opened first is closed', () => {
  const topics = new OpenTopics(plain, 2)
  topics.add(producer.knownTopic('first'))
  assert.deepEqual(names(topics, 'first'), ['first'])
  for (const name of ['second', 'third']) topics.add(producer.knownTopic(name))
  assert.deepEqual(names(topics, 'first', 'second', 'third'), [null, 'second', 'third'])
})

test('a topic is ready for a record when its schemas are registered for that topic', async () => {
  const valueConverter = new RegisteringConverter()
  const topics = new OpenTopics({ ...plain, valueConverter })
  topics.add(producer.knownTopic('orders'))
  const topic = topics.find('orders')
  const [first, second] = ['first', 'second'].map((name) =>
    recordAt(1, { valueSchema: Schema.of('string', { name }) }),
  ) as [ReturnType<typeof recordAt>, ReturnType<typeof recordAt>]
  assert.equal(topic?.isReadyFor(first), false)
  await valueConverter.register(first.valueSchema, 'orders', new AbortController().signal)
  assert.equal(topic?.isReadyFor(first), true)
  topic?.valueEncoder(first.valueSchema)
  assert.deepEqual([topic?.isReadyFor(first), topic?.isReadyFor(second)], [true, false])
})
