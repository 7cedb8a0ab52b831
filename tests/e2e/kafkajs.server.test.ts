/** kafkajs decompresses only gzip by itself: it must be able to read on where a connector continues. */
import {
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kafka, logLevel } from 'kafkajs'

/** Reads a topic from its start with kafkajs until it has that many records, or its consumer fails. */
async function readWithKafkajs(brokers: readonly string[], topic: string, count: number): Promise<readonly number[]> {
  const kafka = new Kafka({
    clientId: 'test',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  })
  const consumer = kafka.consumer({ groupId: uniqueName('kafkajs') })
  const ids: number[] = []
  const crashes: Error[] = []
  consumer.on('consumer.crash', ({ payload }) => crashes.push(payload.error))
  try {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      eachMessage: ({ message }) => {
        const { payload } = JSON.parse(message.value?.toString() ?? '') as { payload: { after: { id: number } } }
        ids.push(payload.after.id)
        return Promise.resolve()
      },
    })
    await eventually('kafkajs has read the topic', () => ids.length >= count || crashes.length > 0, {
      timeoutMs: 60_000,
    })
    if (crashes[0] !== undefined) throw crashes[0]
    return ids.toSorted((a, b) => a - b)
  } finally {
    await consumer.disconnect()
  }
}

test('a connector that continues writes what the consumers of its topics can read', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('continues')
  const topic = `${name}.${name}.t`
  await database.query(`CREATE DATABASE ${name}`)
  await database.query(`CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  await database.query(`INSERT INTO ${name}.t VALUES (1)`)
  await using service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  // Debezium's batches are not compressed either, by default.
  await service.register(name, { ...config, 'producer.override.compression.type': 'none' })
  await waitForRecords(bootstrapServers, topic, 1)
  await service.stop()
  await service.start()
  // Its topics are opened after the change of its configuration.
  const { status } = await service.rest('PUT', `/connectors/${name}/config`, config)
  assert.equal(status, 200)
  await service.waitUntilRunning(name)
  await database.query(`INSERT INTO ${name}.t VALUES (2), (3)`)
  await waitForRecords(bootstrapServers, topic, 3)

  assert.deepEqual(await readWithKafkajs(bootstrapServers, topic, 3), [1, 2, 3])
  // The task of the earlier configuration may have written these rows. Later ones are written by the new task.
  const kept = new RegExp(`Topic ${topic} keeps the codec of its last batches, none.*% smaller`)
  let id = 3
  await eventually(
    'the codec that is kept is logged',
    async () => {
      id += 1
      await database.query(`INSERT INTO ${name}.t VALUES (${id})`)
      return kept.test(service.log)
    },
    { timeoutMs: 60_000, everyMs: 300 },
  )

  // A connector that begins writes LZ4, which kafkajs cannot read.
  const fresh = uniqueName('begins')
  await service.register(fresh, connectorConfig({ database, bootstrapServers, prefix: fresh, includes: name }))
  await waitForRecords(bootstrapServers, `${fresh}.${name}.t`, 3)
  await assert.rejects(readWithKafkajs(bootstrapServers, `${fresh}.${name}.t`, 3), /LZ4 compression not implemented/)
})
