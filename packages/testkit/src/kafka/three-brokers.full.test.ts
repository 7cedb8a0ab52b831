import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKafka } from './start-kafka.ts'
import { consumeOne, produceOne } from './testing/one-record.ts'

test('clients reach three brokers through proxies, and a replicated topic survives the loss of a broker', async () => {
  await using kafka = await startKafka({ brokers: 3, behindProxy: true, config: { 'default.replication.factor': '3' } })
  assert.equal(kafka.brokers.length, 3)
  assert.deepEqual(
    kafka.bootstrapServers,
    kafka.proxies.map(({ port }) => `127.0.0.1:${port}`),
  )
  await produceOne(kafka, 'replicated')
  assert.ok(kafka.proxies.some(({ bytes }) => bytes.toTarget > 0))

  await kafka.brokers[2]?.kill('SIGKILL')
  await kafka.brokers[2]?.start()

  assert.equal(await consumeOne(kafka), 'replicated\n')
})
