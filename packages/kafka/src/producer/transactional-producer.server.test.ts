import { eventually, startKafka, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kafka } from '../api/kafka.ts'
import type { TransactionalProducer, TransactionalProducerOptions } from '../api/transactional-producer.ts'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'

function start(
  kafka: Kafka,
  transactionalId: string,
  options: Partial<TransactionalProducerOptions> = {},
): Promise<TransactionalProducer> {
  return kafka.transactionalProducer({ ...silent(), transactionalId, ...options })
}

async function committedIn(kafka: Kafka, topic: string): Promise<readonly string[]> {
  return (await readAll(kafka, topic)).map(({ value }) => String(value))
}

async function everythingIn(kafka: Kafka, topic: string): Promise<readonly string[]> {
  await using reader = await kafka.reader({ topic, isolation: 'uncommitted' })
  const values: string[] = []
  await reader.readToEnd(({ value }) => values.push(String(value)))
  return values
}

test('records are visible when their transaction is committed, in all partitions and topics', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const [one, other] = [uniqueName('one'), uniqueName('other')]
  await using admin = kafka.admin()
  await admin.createTopic({ name: one, partitions: 3, replicationFactor: 1 })
  await using producer = await start(kafka, uniqueName('visible'))
  const topics = [await producer.topic(one), await producer.topic(other)]
  for (let token = 0; token < 600; token++) {
    topics[token % 2]?.send(valueRecord(String(token), { token, partition: token % 2 === 0 ? (token / 2) % 3 : 0 }))
  }
  await producer.flush()
  assert.deepEqual(await committedIn(kafka, one), [])
  assert.equal((await everythingIn(kafka, one)).length, 300)

  await producer.commit(600)

  await eventually('both topics are readable', async () => {
    const counts = [(await committedIn(kafka, one)).length, (await committedIn(kafka, other)).length]
    return counts.every((count) => count === 300)
  })
})

test('records that are sent during a commit belong to the next transaction', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const topic = uniqueName('next')
  await using producer = await start(kafka, uniqueName('next'))
  const target = await producer.topic(topic)
  let token = 0
  for (let transaction = 0; transaction < 20; transaction++) {
    for (let i = 0; i < 50; i++) target.send(valueRecord(`${transaction}.${i}`, { token: token++ }))
    const committed = producer.commit(token)
    // Of the next one, which is aborted at the end.
    target.send(valueRecord(`${transaction}.next`, { token: token++ }))
    await committed
  }
  await producer.flush()
  await producer.abort()

  await using reader = await kafka.reader({ topic, end: 'written' })
  const values: string[] = []
  await reader.readToEnd(({ value }) => values.push(String(value)))
  assert.equal(values.length, 20 * 50 + 19)
  assert.equal(values.at(-1), '19.49')
  assert.equal((await everythingIn(kafka, topic)).length, 20 * 50 + 20)
})

test('an aborted transaction is invisible, and does not hold back the records after it', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const [topic, id] = [uniqueName('aborted'), uniqueName('aborted')]
  {
    await using producer = await start(kafka, id)
    ;(await producer.topic(topic)).send(valueRecord('aborted'))
    await producer.flush()
    await producer.abort()
  }
  await using producer = await start(kafka, id)
  ;(await producer.topic(topic)).send(valueRecord('committed'))
  await producer.commit(1)
  await using reader = await kafka.reader({ topic, end: 'written' })
  const values: string[] = []
  await reader.readToEnd(({ value }) => values.push(String(value)))
  assert.deepEqual(values, ['committed'])
})

test('a producer that is closed leaves no open transaction, for whose end readers would wait', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const topic = uniqueName('closed')
  const producer = await start(kafka, uniqueName('closed'))
  ;(await producer.topic(topic)).send(valueRecord('left', { token: 0 }))
  await producer.flush()
  await producer.close()
  await producer.close()

  await using next = await start(kafka, uniqueName('after'))
  ;(await next.topic(topic)).send(valueRecord('after', { token: 0 }))
  await next.commit(1)
  await eventually('the record after it is readable', async () => {
    const values = await committedIn(kafka, topic)
    return values.join() === 'after'
  })
})

test('a commit without records asks the coordinator nothing', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const id = uniqueName('empty')
  await using producer = await start(kafka, id)
  await using _other = await start(kafka, id)
  // The coordinator would answer that the producer is fenced.
  await producer.commit(0)
  await producer.commit(0)
})

test('a producer that is fenced fails, and its open transaction is aborted', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const [topic, id] = [uniqueName('fenced'), uniqueName('fenced')]
  await using first = await start(kafka, id)
  const target = await first.topic(topic)
  target.send(valueRecord('of the first', { token: 0 }))
  await first.flush()

  await using second = await start(kafka, id)
  ;(await second.topic(topic)).send(valueRecord('of the second', { token: 0 }))
  await second.commit(1)

  await assert.rejects(first.commit(1), { code: 'PRODUCER_FENCED', message: new RegExp(id) })
  assert.equal((first.failure as { code?: string } | null)?.code, 'PRODUCER_FENCED')
  assert.throws(() => target.send(valueRecord('later')), { code: 'PRODUCER_FENCED' })
  // It must not affect the transactions of the second producer.
  await first.abort()
  ;(await second.topic(topic)).send(valueRecord('of the second, too', { token: 1 }))
  await second.commit(2)
  await using reader = await kafka.reader({ topic, end: 'written' })
  const values: string[] = []
  await reader.readToEnd(({ value }) => values.push(String(value)))
  assert.deepEqual(values, ['of the second', 'of the second, too'])
})

test('fenceProducers of the administration fences a producer while it produces', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  const [topic, id] = [uniqueName('fenced'), uniqueName('fenced')]
  await using producer = await start(kafka, id)
  const target = await producer.topic(topic)
  target.send(valueRecord('before', { token: 0 }))
  await producer.flush()
  await using admin = kafka.admin()
  await admin.fenceProducers([id, uniqueName('unused')])

  target.send(valueRecord('after', { token: 1 }))
  await assert.rejects(producer.flush(), { code: 'PRODUCER_FENCED' })
  await using reader = await kafka.reader({ topic, end: 'written' })
  await reader.readToEnd(({ value }) => assert.fail(String(value)))
})

test('a timeout above the limit of the brokers is an error that names both settings', async () => {
  const kafka = testKafka((await useKafka()).bootstrapServers)
  await assert.rejects(start(kafka, uniqueName('long'), { transactionTimeoutMs: 3_600_000 }), {
    code: 'TRANSACTION_TIMEOUT_INVALID',
    message: /3600000 ms.*transaction\.max\.timeout\.ms.*transaction\.timeout\.ms/,
  })
})

test('a commit whose answer is lost is asked for again, and has happened once', async () => {
  await using server = await startKafka({ behindProxy: true })
  const kafka = testKafka(server.bootstrapServers)
  const [proxy] = server.proxies
  assert.ok(proxy !== undefined)
  await using producer = await start(kafka, 'lost-answers')
  const target = await producer.topic('lost')
  let token = 0
  for (let i = 0; i < 10; i++) {
    target.send(valueRecord(String(i), { token: token++ }))
    await producer.flush()
    const { accepted } = proxy
    // The first byte of the answer to EndTxn is the last that arrives.
    proxy.cutAfterBytes(1, 'fromTarget')
    await producer.commit(token)
    assert.ok(proxy.accepted > accepted, 'the connection was cut')
  }
  const values: string[] = []
  await using reader = await kafka.reader({ topic: 'lost', end: 'written' })
  await reader.readToEnd(({ value }) => values.push(String(value)))
  assert.deepEqual(
    values,
    Array.from({ length: 10 }, (_, i) => String(i)),
  )
})
