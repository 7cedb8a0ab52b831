import { eventually, startOwnBroker, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kafka } from '../api/kafka.ts'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'

async function write(kafka: Kafka, topic: string, value: string): Promise<void> {
  await using producer = await kafka.producer(silent())
  ;(await producer.topic(topic)).send(valueRecord(value))
  await producer.flush()
}

async function valuesOf(kafka: Kafka, topic: string): Promise<readonly string[]> {
  return (await readAll(kafka, topic)).map(({ value }) => String(value))
}

test('a producer that may not write keeps its records, and sends them when it may', async () => {
  const { bootstrapServers } = await useKafka()
  const [topic, other] = [uniqueName('held'), testKafka(bootstrapServers)]
  let mayWrite = true
  const kafka = testKafka(bootstrapServers, { mayWrite: () => mayWrite })
  await using producer = await kafka.producer(silent())
  const target = await producer.topic(topic)
  target.send(valueRecord('first'))
  await producer.flush()

  mayWrite = false
  for (const value of ['second', 'third']) target.send(valueRecord(value))
  const flushed = producer.flush()
  // Each of these takes longer than a record of the producer would.
  for (const value of ['of another', 'of another too']) await write(other, topic, value)
  assert.deepEqual(await valuesOf(other, topic), ['first', 'of another', 'of another too'])
  assert.equal(producer.failure, null)

  mayWrite = true
  await flushed
  const all = ['first', 'of another', 'of another too', 'second', 'third']
  assert.deepEqual(await valuesOf(other, topic), all)
})

test('requests without an answer do not reach the broker later, and are sent once when the producer may write', async () => {
  await using server = await startOwnBroker({ behindProxy: true })
  const [topic, other] = [uniqueName('dropped'), testKafka(server.bootstrapServers)]
  let mayWrite = true
  const kafka = testKafka(server.bootstrapServers, { mayWrite: () => mayWrite })
  await using producer = await kafka.producer(silent())
  const target = await producer.topic(topic)
  target.send(valueRecord('first'))
  await producer.flush()
  const [proxy] = server.proxies
  assert.ok(proxy !== undefined)

  proxy.stall()
  target.send(valueRecord('second'))
  const flushed = producer.flush()
  await eventually('the request is on its way', () => proxy.heldBack().includes('second'))
  mayWrite = false
  await eventually('its connection is reset', () => !proxy.heldBack().includes('second'))
  proxy.resume()
  await write(other, topic, 'of another')
  assert.deepEqual(await valuesOf(other, topic), ['first', 'of another'])

  mayWrite = true
  await flushed
  assert.deepEqual(await valuesOf(other, topic), ['first', 'of another', 'second'])
})

test('a request whose permission ends while it is being made is not sent, and is sent once when the producer may write', async () => {
  const { bootstrapServers } = await useKafka()
  const [topic, other] = [uniqueName('late'), testKafka(bootstrapServers)]
  let permissions = Infinity
  const kafka = testKafka(bootstrapServers, { mayWrite: () => permissions-- > 0 })
  await using producer = await kafka.producer(silent())
  const target = await producer.topic(topic)
  target.send(valueRecord('first'))
  await producer.flush()

  // The loop asks when it begins, before it takes the batch, and when the bytes are ready.
  permissions = 2
  target.send(valueRecord('second'))
  const flushed = producer.flush()
  await eventually('the permission ends', () => permissions < 0)
  await write(other, topic, 'of another')
  assert.deepEqual(await valuesOf(other, topic), ['first', 'of another'])

  permissions = Infinity
  await flushed
  assert.deepEqual(await valuesOf(other, topic), ['first', 'of another', 'second'])
})
