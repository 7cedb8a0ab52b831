import { startKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent, testKafka, valueRecord } from '../testing/clients.ts'

test('a transaction that is open too long is aborted by the broker, which fences the producer', async () => {
  await using server = await startKafka({
    config: { 'transaction.abort.timed.out.transaction.cleanup.interval.ms': '200' },
  })
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.transactionalProducer({
    ...silent(),
    transactionalId: 'late',
    transactionTimeoutMs: 500,
  })
  const target = await producer.topic('late')
  target.send(valueRecord('too long', { token: 0 }))
  await producer.flush()
  await using reader = await kafka.reader({ topic: 'late', end: 'written' })
  await reader.readToEnd(({ value }) => assert.fail(String(value)))
  await assert.rejects(producer.commit(1), { code: 'PRODUCER_FENCED', message: /transaction\.timeout\.ms/ })
})

test('a commit outlives a broker that is killed', async () => {
  await using server = await startKafka()
  const [broker] = server.brokers
  assert.ok(broker)
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.transactionalProducer({ ...silent(), transactionalId: 'killed' })
  const target = await producer.topic('killed')
  target.send(valueRecord('a', { token: 0 }))
  await producer.flush()
  const committed = producer.commit(1)
  await broker.kill('SIGKILL')
  await broker.start()
  await committed
  target.send(valueRecord('b', { token: 1 }))
  await producer.commit(2)
  const values: string[] = []
  await using reader = await kafka.reader({ topic: 'killed', end: 'written' })
  await reader.readToEnd(({ value }) => values.push(String(value)))
  assert.deepEqual(values, ['a', 'b'])
})
