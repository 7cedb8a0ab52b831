import { createKafka } from '@tributary/kafka'
import { StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, freePort } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KafkaSchemaHistory } from './kafka-schema-history.ts'

test('brokers of the history that never answer are given up after two minutes, by address and property', async () => {
  const [clock, logger, servers] = [fakeClock(), captureLogger(), `127.0.0.1:${await freePort()}`]
  const kafka = createKafka({ bootstrapServers: [servers], clientId: 'test', logger, clock })
  await using history = new KafkaSchemaHistory({ kafka, topic: 'history', servers, clock, logger })
  let isDone = false
  const asked = history.exists().finally(() => (isDone = true))
  const told = assert.rejects(asked, (error: Error & { code?: string }) => {
    assert.equal(error.code, 'HISTORY_UNREACHABLE')
    assert.ok(error.message.includes(`at ${servers}, as schema.history.internal.kafka.bootstrap.servers says`))
    return true
  })
  const begin = clock.now()
  while (!isDone) await clock.advance(1_000)
  await told
  assert.ok(clock.now() - begin >= 120_000)
})

test('a stop while they are waited for is a stop', async () => {
  const [clock, logger, servers] = [fakeClock(), captureLogger(), `127.0.0.1:${await freePort()}`]
  const kafka = createKafka({ bootstrapServers: [servers], clientId: 'test', logger, clock })
  await using history = new KafkaSchemaHistory({ kafka, topic: 'history', servers, clock, logger })
  const stop = new AbortController()
  const told = assert.rejects(history.initialize(stop.signal), StoppedError)
  stop.abort()
  await told
})
