/** The warning about connections to other machines that are not encrypted. */
import {
  type CaptureLogger,
  captureLogger,
  ownAddress,
  startFaultProxy,
  uniqueName,
  useKafka,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KafkaOptions } from '../api/kafka.ts'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'

const server = await useKafka()
const [broker = ''] = server.bootstrapServers
const port = Number(broker.split(':')[1])

/** Uses all kinds of clients, and the admin twice. */
async function use(servers: readonly string[], options: Partial<KafkaOptions> = {}): Promise<CaptureLogger> {
  const logger = captureLogger()
  const kafka = testKafka(servers, { logger, ...options })
  const name = uniqueName('unencrypted')
  for (let i = 0; i < 2; i++) {
    await using admin = kafka.admin()
    if (i === 0) await admin.createTopic({ name, partitions: 1, replicationFactor: 1 })
    await admin.describeTopic(name)
  }
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name)
  topic.send(valueRecord('v'))
  await producer.flush()
  assert.equal((await readAll(kafka, name)).length, 1)
  return logger
}

test('a connection to another machine without TLS is logged once for all clients and brokers, with the remedy', async () => {
  await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port }, host: ownAddress() })
  const remote = `${proxy.host}:${proxy.port}`

  const { lines } = await use([remote], { securitySetting: 'producer.override.security.protocol' })

  assert.ok(proxy.accepted > 2, `${proxy.accepted} connections`)
  assert.deepEqual(
    lines.filter(({ message }) => message.includes('encrypt')).map(({ level, message }) => `${level}: ${message}`),
    [
      `warn: The connection to broker ${remote} is not encrypted: whoever can read or change the traffic on the way to it can do so with all records. Set producer.override.security.protocol to SSL, with the port of a listener that uses TLS. Ignore this warning if the network itself is protected. [KAFKA_UNENCRYPTED]`,
    ],
  )
})

test('the warning about a login in clear text names the password, before it is sent', async () => {
  await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port }, host: ownAddress() })
  const logger = captureLogger()
  const sasl = { mechanism: 'PLAIN', username: 'u', password: 'p' } as const
  await using admin = testKafka([`${proxy.host}:${proxy.port}`], { logger, sasl }).admin()

  // The listener has no login.
  await assert.rejects(admin.cluster(AbortSignal.timeout(20_000)))

  const [warning] = logger.matching('KAFKA_UNENCRYPTED')
  assert.match(warning?.message ?? '', /all records and with the password\. Set security\.protocol to SASL_SSL/)
})

test('connections within this machine are not logged', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    assert.deepEqual((await use([`${host}:${port}`])).matching(/encrypted/), [], host)
  }
})
