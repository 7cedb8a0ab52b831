/** Tributary continues a connector of Debezium's: its topics keep the codec of the batches that Kafka Connect wrote. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  kafkaClient,
  startConnect,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

for (const [codec, more] of [
  ['none', {}],
  ['gzip', { 'producer.compression.type': 'gzip' }],
] as const) {
  test(`batches with ${codec} are followed by batches with ${codec}`, async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    const name = uniqueName('codec')
    const topic = `${name}.${name}.t`
    await database.query(`CREATE DATABASE ${name}`)
    await database.query(`CREATE TABLE ${name}.t (id INT PRIMARY KEY, text VARCHAR(100))`)
    await database.query(`INSERT INTO ${name}.t VALUES (1, 'one')`)
    await using connect = await startConnect({ bootstrapServers, name, properties: more })
    await connect.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name }))
    await waitForRecords(bootstrapServers, topic, 1)
    await connect.stop()

    await using service = await startService({ bootstrapServers, name })
    await database.query(`INSERT INTO ${name}.t VALUES (2, 'two'), (3, 'three')`)
    await waitForRecords(bootstrapServers, topic, 3)
    await using reader = (await kafkaClient(bootstrapServers)).codecReader()
    const sample = await reader.lastCodecs(topic)
    assert.deepEqual([...(sample?.codecs ?? [])], [codec])
    await service.waitForLog(new RegExp(`Topic ${topic} keeps the codec of its last batches, ${codec}`))
  })
}
