import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, eventually, freePort, startKafka } from '@tributary/testkit'
import { silent, testKafka, valueRecord } from '../testing/clients.ts'

test('clients that are created while the broker is down retry, also with another bootstrap server', async () => {
  await using server = await startKafka()
  const [broker] = server.brokers
  assert.ok(broker)
  {
    await using admin = testKafka(server.bootstrapServers).admin()
    await admin.createTopic({ name: 'read', partitions: 1, replicationFactor: 1 })
  }
  const logger = captureLogger()
  const servers = [`127.0.0.1:${await freePort()}`, ...server.bootstrapServers]
  const kafka = testKafka(servers, { logger })
  await broker.stop()
  await using admin = kafka.admin()

  const [starting, listing] = [kafka.producer(silent()), admin.listTopics()]
  await eventually('the outage is logged', () => logger.matching(/No Kafka broker answers/).length >= 2)
  await assert.rejects(admin.cluster(AbortSignal.timeout(50)), { name: 'StoppedError' })
  await broker.start()

  await using producer = await starting
  assert.ok((await listing).includes('read'))
  ;(await producer.topic('late')).send(valueRecord('v'))
  await producer.flush()
})
