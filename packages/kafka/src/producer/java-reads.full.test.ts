import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runKafkaTool, startKafka, uniqueName, useRealKafka } from '@tributary/testkit'
import { partitionForKey } from '../protocol/murmur2.ts'
import { part, readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { testRecords } from '../testing/test-records.ts'

// Apache Kafka: Java judges the producer together with the broker for which it was made.

test('keys are in the partitions that the Java producer chooses', async () => {
  const server = await useRealKafka()
  const prefix = uniqueName('java')
  const name = (topic: string): string => `${prefix}.${topic}`
  const kafka = testKafka(server.bootstrapServers)
  await using admin = kafka.admin()
  for (const topic of [name('by-java'), name('by-us')]) {
    await admin.createTopic({ name: topic, partitions: 6, replicationFactor: 1 })
  }
  const keys = Array.from({ length: 300 }, (_, i) => `{"id":${i * 7919}}`)
  const args = ['--bootstrap-server', server.bootstrapServers.join(), '--topic', name('by-java')]
  const properties = ['--reader-property', 'parse.key=true', '--reader-property', 'key.separator=|']
  const input = keys.map((key) => `${key}|v\n`).join('')
  const result = await runKafkaTool('org.apache.kafka.tools.ConsoleProducer', [...args, ...properties], { input })
  assert.equal(result.code, 0, result.stderr)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name('by-us'))
  assert.equal(topic.partitionCount, 6)
  for (const key of keys) topic.send({ ...valueRecord('v'), key: part(key.slice(4), Buffer.from(key.slice(0, 4))) })
  await producer.flush()

  const byJava = await readAll(kafka, name('by-java'))
  const byUs = await readAll(kafka, name('by-us'))

  const partitionOf = new Map(byJava.map(({ key, partition }) => [String(key), partition]))
  assert.equal(partitionOf.size, keys.length)
  assert.equal(new Set(partitionOf.values()).size, 6)
  assert.deepEqual(new Map(byUs.map(({ key, partition }) => [String(key), partition])), partitionOf)
  for (const [key, partition] of partitionOf) assert.equal(partitionForKey(Buffer.from(key), 6), partition)
})

test('Java verifies the batches and finds the sequence numbers of one producer', async () => {
  await using server = await startKafka()
  const [broker] = server.brokers
  assert.ok(broker)
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('dumped')
  for (const record of testRecords({ seed: 9, count: 900 })) topic.send({ ...record, partition: 0 })
  await producer.flush()
  const folder = join(dirname(broker.logFile), 'data', 'dumped-0')
  const log = readdirSync(folder).find((file) => file.endsWith('.log'))
  assert.ok(log)

  const dump = await runKafkaTool('org.apache.kafka.tools.DumpLogSegments', [
    '--deep-iteration',
    '--files',
    join(folder, log),
  ])

  const batches = dump.stdout.split('\n').filter((line) => line.startsWith('baseOffset'))
  assert.ok(batches.length > 1)
  let next = 0
  for (const line of batches) {
    assert.match(line, /isvalid: true/)
    assert.match(line, /compresscodec: lz4/)
    const [, first, last] = /baseSequence: (\d+) lastSequence: (\d+)/.exec(line) ?? []
    assert.equal(Number(first), next)
    next = Number(last) + 1
  }
  assert.equal(next, 900)
  assert.equal(new Set(batches.map((line) => /producerId: (\d+)/.exec(line)?.[1])).size, 1)
})
