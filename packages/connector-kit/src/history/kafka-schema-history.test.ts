import { createKafka, type Admin, type Kafka, type Producer } from '@tributary/kafka'
import { CodedError, isRetriable, StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, freePort } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KafkaSchemaHistory } from './kafka-schema-history.ts'

test('brokers of the history that do not answer are told by address and property after two minutes, as something to wait for', async () => {
  const [clock, logger, servers] = [fakeClock(), captureLogger(), `127.0.0.1:${await freePort()}`]
  const kafka = createKafka({ bootstrapServers: [servers], clientId: 'test', logger, clock })
  await using history = new KafkaSchemaHistory({ kafka, topic: 'history', servers, clock, logger })
  const errors: unknown[] = []
  history.exists().catch((thrown: unknown) => errors.push(thrown))
  await clock.untilPending()

  await clock.advance(119_000)
  assert.equal(errors.length, 0)
  await clock.advance(2_000)
  const [told] = errors
  assert.ok(told instanceof CodedError)
  assert.equal(told.code, 'HISTORY_UNREACHABLE')
  assert.ok(told.message.includes(`at ${servers}, as schema.history.internal.kafka.bootstrap.servers says`))
  assert.ok(isRetriable(told))
})

test('a producer that cannot be closed keeps nothing else open', async () => {
  const [clock, logger] = [fakeClock(), captureLogger()]
  let isAdminClosed = false
  const producer: Partial<Producer> = { close: () => Promise.reject(new Error('no')) }
  const admin: Partial<Admin> = { close: () => Promise.resolve(void (isAdminClosed = true)) }
  const kafka: Partial<Kafka> = { producer: () => Promise.resolve(producer as Producer), admin: () => admin as Admin }
  const history = new KafkaSchemaHistory({ kafka: kafka as Kafka, topic: 'history', servers: 'none', clock, logger })
  await history.connect()

  await assert.rejects(history[Symbol.asyncDispose](), { message: 'no' })
  assert.ok(isAdminClosed)
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
