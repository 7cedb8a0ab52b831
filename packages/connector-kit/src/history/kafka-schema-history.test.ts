import { createKafka, kafkaErrors, type Admin, type Kafka, type Producer } from '@tributary/kafka'
import { CodedError, isRetriable, StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, freePort } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KafkaSchemaHistory } from './kafka-schema-history.ts'

test('brokers of the history that do not answer within two minutes are a retriable error with address and property', async () => {
  const [clock, logger, servers] = [fakeClock(), captureLogger(), `127.0.0.1:${await freePort()}`]
  const kafka = createKafka({ bootstrapServers: [servers], clientId: 'test', logger, clock })
  await using history = new KafkaSchemaHistory({ kafka, topic: 'history', servers, clock, logger })
  const errors: unknown[] = []
  history.extent().catch((thrown: unknown) => errors.push(thrown))
  await clock.untilPending()

  await clock.advance(119_000)
  assert.equal(errors.length, 0)
  await clock.advance(2_000)
  const [error] = errors
  assert.ok(error instanceof CodedError)
  assert.equal(error.code, 'HISTORY_UNREACHABLE')
  assert.ok(error.message.includes(`at ${servers} (schema.history.internal.kafka.bootstrap.servers)`))
  assert.ok(isRetriable(error))
})

test('when closing the producer fails, everything else is closed all the same', async () => {
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

test('without permission to read the settings of the topic a snapshot begins, with a warning', async () => {
  const [clock, logger] = [fakeClock(), captureLogger()]
  const refused = kafkaErrors.NOT_AUTHORIZED({ request: 'DescribeConfigs', subject: 'topic history', error: 'e' })
  const admin: Partial<Admin> = {
    createTopic: () => Promise.resolve(false),
    describeTopic: () => Promise.resolve(null),
    topicConfig: () => Promise.reject(refused),
    close: () => Promise.resolve(),
  }
  const kafka: Partial<Kafka> = { admin: () => admin as Admin }
  await using history = new KafkaSchemaHistory({
    kafka: kafka as Kafka,
    topic: 'history',
    servers: 'none',
    clock,
    logger,
  })
  await history.initialize()
  assert.equal(logger.matching('must keep its records for ever').length, 1)
})

test('a stop during the wait for the brokers rejects with StoppedError', async () => {
  const [clock, logger, servers] = [fakeClock(), captureLogger(), `127.0.0.1:${await freePort()}`]
  const kafka = createKafka({ bootstrapServers: [servers], clientId: 'test', logger, clock })
  await using history = new KafkaSchemaHistory({ kafka, topic: 'history', servers, clock, logger })
  const stop = new AbortController()
  const rejection = assert.rejects(history.initialize(stop.signal), StoppedError)
  stop.abort()
  await rejection
})
