import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startKafka } from './start-kafka.ts'
import { consumeOne, produceOne } from './testing/one-record.ts'

test('a record of the Java producer can be read, also after a restart and after kill -9', async () => {
  await using kafka = await startKafka()
  const [broker] = kafka.brokers
  assert.ok(broker)
  await produceOne(kafka, 'hello')
  assert.equal(await consumeOne(kafka), 'hello\n')

  const { port, pid } = broker
  await broker.stop()
  assert.equal(broker.isRunning, false)
  await broker.start()
  assert.equal(broker.port, port)
  assert.notEqual(broker.pid, pid)
  assert.equal(await consumeOne(kafka), 'hello\n')

  await broker.kill('SIGKILL')
  assert.throws(() => broker.pid, { code: 'SERVER_IS_DOWN' })
  await broker.start()
  assert.equal(await consumeOne(kafka), 'hello\n')
})

test('the error of a failed start has its reason, and no process is left', async () => {
  await assert.rejects(startKafka({ config: { 'log.retention.ms': 'for ever' } }), (error: Error) => {
    assert.match(error.message, /Kafka broker 1 ended while it was starting/)
    assert.match(error.message, /log\.retention\.ms/)
    return true
  })
  const own = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim()
  assert.equal(own, '')
})
