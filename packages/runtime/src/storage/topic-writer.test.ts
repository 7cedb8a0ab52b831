import type { Kafka, Producer, TransactionalProducer } from '@tributary/kafka'
import { CodedError, StoppedError } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAdmin } from '../testing/memory-admin.ts'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { MemoryTransactionalProducer } from '../testing/memory-transactional-producer.ts'
import { TopicWriter } from './topic-writer.ts'

/** A cluster that returns the producers of a test, one after the other. */
class ScriptedKafka implements Kafka {
  readonly producers: MemoryProducer[] = []
  /** Rejects or delays the next connection. */
  connecting: Promise<void> = Promise.resolve()

  async producer(): Promise<Producer> {
    await this.connecting
    const producer = new MemoryProducer()
    this.producers.push(producer)
    return producer
  }

  readonly transactional: MemoryTransactionalProducer[] = []
  /** Called with each transactional producer, before it is used. */
  onTransactional: (producer: MemoryTransactionalProducer) => void = () => undefined

  transactionalProducer(): Promise<TransactionalProducer> {
    const producer = new MemoryTransactionalProducer()
    this.transactional.push(producer)
    this.onTransactional(producer)
    return Promise.resolve(producer)
  }

  reader(): Promise<never> {
    return Promise.reject(new Error('a writer reads nothing'))
  }

  admin(): MemoryAdmin {
    return new MemoryAdmin()
  }

  group(): never {
    throw new Error('a writer joins no group')
  }

  codecReader(): never {
    throw new Error('a writer reads nothing')
  }
}

function fixture(): { kafka: ScriptedKafka; writer: TopicWriter } {
  const kafka = new ScriptedKafka()
  return { kafka, writer: new TopicWriter({ kafka, topic: 'internal' }) }
}

test('records are sent in the order of the calls, over one connection that opens on first use', async () => {
  const { kafka, writer } = fixture()
  assert.equal(kafka.producers.length, 0)
  await Promise.all([
    writer.write([
      { key: 'a', value: '1' },
      { key: 'b', value: null },
    ]),
    writer.write([{ key: 'a', value: '2' }]),
  ])
  assert.equal(kafka.producers.length, 1)
  assert.deepEqual(
    kafka.producers[0]?.sent.map(({ topic, key, value, token }) => [topic, key, value, token]),
    [
      ['internal', 'a', '1', 0],
      ['internal', 'b', null, 1],
      ['internal', 'a', '2', 2],
    ],
  )
})

test('a write that waits for its connection is dropped with the others, and the next one is sent', async () => {
  const { kafka, writer } = fixture()
  const connected = Promise.withResolvers<void>()
  kafka.connecting = connected.promise
  const waiting = assert.rejects(writer.write([{ key: 'a', value: '1' }]), StoppedError)
  await writer.dropUnstored()
  const next = writer.write([{ key: 'a', value: '2' }])
  connected.resolve()
  await waiting
  await next
  assert.deepEqual(
    kafka.producers.flatMap(({ sent }) => sent.map(({ value }) => value)),
    ['2'],
  )
})

test('a write resolves when the brokers have stored the records', async () => {
  const { kafka, writer } = fixture()
  await writer.open()
  const [producer] = kafka.producers
  assert.ok(producer)
  producer.acknowledgesAtOnce = false
  let isStored = false
  const writing = writer.write([{ key: 'a', value: '1' }]).then(() => (isStored = true))
  await Promise.resolve()
  assert.equal(isStored, false)
  producer.acknowledge()
  await writing
})

test('a failed producer is replaced at the next write, also when it failed between two', async () => {
  const { kafka, writer } = fixture()
  await writer.open()
  kafka.producers[0]?.fail(new Error('TOPIC_AUTHORIZATION_FAILED'))
  await writer.write([{ key: 'a', value: '1' }])
  const [, second] = kafka.producers
  assert.ok(second)
  second.onSend = () => {
    second.failure = new Error('OUT_OF_ORDER_SEQUENCE_NUMBER')
  }
  await assert.rejects(writer.write([{ key: 'a', value: '2' }]), /OUT_OF_ORDER/)
  await writer.write([{ key: 'a', value: '3' }])

  assert.deepEqual(
    kafka.producers.map(({ isClosed }) => isClosed),
    [true, true, false],
  )
  assert.deepEqual(
    kafka.producers[2]?.sent.map(({ value }) => value),
    ['3'],
  )
})

test('the next write retries a connection that could not be opened', async () => {
  const { kafka, writer } = fixture()
  kafka.connecting = Promise.reject(new Error('CLUSTER_AUTHORIZATION_FAILED'))
  await assert.rejects(writer.write([{ key: 'a', value: '1' }]), /CLUSTER_AUTHORIZATION_FAILED/)
  kafka.connecting = Promise.resolve()
  await writer.write([{ key: 'a', value: '2' }])
  assert.equal(kafka.producers[0]?.sent.length, 1)
})

test('a caller that stops waiting for the connection does not affect others', async () => {
  const { kafka, writer } = fixture()
  const connected = Promise.withResolvers<void>()
  kafka.connecting = connected.promise
  const stop = new AbortController()
  const impatient = assert.rejects(writer.write([{ key: 'a', value: '1' }], stop.signal), StoppedError)
  const patient = writer.write([{ key: 'a', value: '2' }])
  stop.abort()
  await impatient
  connected.resolve()
  await patient
  assert.deepEqual(
    kafka.producers[0]?.sent.map(({ value }) => value),
    ['2'],
  )
})

test('a closed writer accepts nothing, and its connection is closed', async () => {
  const { kafka, writer } = fixture()
  await writer.open()
  await writer[Symbol.asyncDispose]()
  await writer[Symbol.asyncDispose]()
  assert.equal(kafka.producers[0]?.isClosed, true)
  await assert.rejects(writer.write([{ key: 'a', value: '1' }]), StoppedError)
})

test('a writer that other workers fence again and again takes its id back until its records are stored', async () => {
  const [kafka, clock] = [new ScriptedKafka(), fakeClock()]
  const fenced = new CodedError('PRODUCER_FENCED', { message: 'fenced', action: '' }, {})
  kafka.onTransactional = (producer) => {
    if (kafka.transactional.length < 4) producer.onSend = () => producer.fail(fenced)
  }
  const writer = new TopicWriter({ kafka, topic: 'internal', transactions: { id: 'connect-cluster-g', clock } })
  const written = writer.write([{ key: 'a', value: '1' }])
  for (let i = 0; i < 10; i++) await clock.advance(100)
  await written
  const [last] = kafka.transactional.slice(-1)
  assert.equal(kafka.transactional.length, 4)
  assert.deepEqual(
    last?.committed.map((records) => records.map(({ value }) => value)),
    [['1']],
  )
})

test('a writer that is fenced for good fails after its limit, and goes on with the next call', async () => {
  const [kafka, clock] = [new ScriptedKafka(), fakeClock()]
  const fenced = new CodedError('PRODUCER_FENCED', { message: 'fenced', action: '' }, {})
  kafka.onTransactional = (producer) => (producer.onSend = () => producer.fail(fenced))
  const writer = new TopicWriter({ kafka, topic: 'internal', transactions: { id: 'connect-cluster-g', clock } })
  const failed = assert.rejects(writer.write([{ key: 'a', value: '1' }]), /fenced/)
  for (let i = 0; i < 50; i++) await clock.advance(1_000)
  await failed
  kafka.onTransactional = () => undefined
  await writer.write([{ key: 'a', value: '2' }])
  assert.equal(kafka.transactional.at(-1)?.committed.length, 1)
})

test('what a failed transaction has written is not committed by the next one', async () => {
  const [kafka, clock] = [new ScriptedKafka(), fakeClock()]
  kafka.onTransactional = (producer) => {
    producer.onSend = ({ value }) => {
      if (value === 'too large') throw new Error('the record is too large')
    }
  }
  const writer = new TopicWriter({ kafka, topic: 'internal', transactions: { id: 'connect-cluster-g', clock } })
  const refused = [
    { key: 'a', value: 'refused' },
    { key: 'b', value: 'too large' },
  ]
  await assert.rejects(writer.write(refused), /too large/)
  await writer.write([{ key: 'c', value: 'accepted' }])
  assert.deepEqual(
    kafka.transactional.map(({ isClosed, committed }) => [isClosed, committed.flat().map(({ value }) => value)]),
    [
      [true, []],
      [false, ['accepted']],
    ],
  )
})
