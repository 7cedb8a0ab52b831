import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { runKafkaTool, startKafka, type KafkaServer } from '@tributary/testkit'
import type { Compression } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { partitionForKey } from '../protocol/murmur2.ts'
import { part, readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { partOf, testRecords } from '../testing/test-records.ts'

let server: KafkaServer
before(async () => {
  server = await startKafka({ config: { 'num.partitions': '6' } })
})
after(() => server[Symbol.asyncDispose]())

const codecs: readonly (Compression | undefined)[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd', undefined]

test('Java reads every codec with checksums verified: same bytes, order, headers and timestamps', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const sent: OutgoingRecord[] = []
  for (const [index, compression] of codecs.entries()) {
    await using producer = await kafka.producer(silent({ ...(compression && { compression }), batchBytesMax: 300_000 }))
    const topic = await producer.topic('codecs')
    const large = Buffer.alloc(3_000_000, `all of it the same, for ${compression}. `)
    const records = [
      ...testRecords({ seed: index + 1, count: 400 }),
      // Without prefixes, so that lz4 compresses by search, and one that fits only when compressed.
      ...testRecords({ seed: index + 50, count: 50 }).map((record) => ({
        ...record,
        key: part(`k${index}`),
        value: part('v'.repeat(300)),
      })),
      ...(compression === 'none' ? [] : [valueRecord(large, { timestamp: 5, partition: 0 })]),
    ]
    for (const record of records) topic.send(record)
    await producer.flush()
    sent.push(...records.map((record) => ({ ...record, partition: record.partition ?? 0 })))
  }

  const seen = await javaConsumer('codecs', sent.length)

  assert.deepEqual(seen.toSorted(), sent.map(asJavaPrints).toSorted())
  const ofPartition0 = sent.filter(({ partition }) => partition === 0).map(asJavaPrints)
  assert.deepEqual(
    seen.filter((line) => line.includes('Partition:0')),
    ofPartition0,
  )
})

test('Java finds the batches sound and with the sequence numbers of one producer', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('dumped')
  for (const record of testRecords({ seed: 9, count: 900 })) topic.send({ ...record, partition: 2 })
  await producer.flush()
  const [broker] = server.brokers
  assert.ok(broker)
  const folder = join(dirname(broker.logFile), 'data', 'dumped-2')
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

test('keys go to the partitions that the Java producer chooses', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const keys = Array.from({ length: 300 }, (_, i) => `{"id":${i * 7919}}`)
  const args = ['--bootstrap-server', server.bootstrapServers.join(), '--topic', 'by-java']
  const properties = ['--reader-property', 'parse.key=true', '--reader-property', 'key.separator=|']
  const input = keys.map((key) => `${key}|v\n`).join('')
  const result = await runKafkaTool('org.apache.kafka.tools.ConsoleProducer', [...args, ...properties], { input })
  assert.equal(result.code, 0, result.stderr)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('by-us')
  assert.equal(topic.partitionCount, 6)
  for (const key of keys) topic.send({ ...valueRecord('v'), key: part(key.slice(4), Buffer.from(key.slice(0, 4))) })
  await producer.flush()

  const byJava = await readAll(kafka, 'by-java')
  const byUs = await readAll(kafka, 'by-us')

  const partitionOf = new Map(byJava.map(({ key, partition }) => [String(key), partition]))
  assert.equal(partitionOf.size, keys.length)
  assert.equal(new Set(partitionOf.values()).size, 6)
  assert.deepEqual(new Map(byUs.map(({ key, partition }) => [String(key), partition])), partitionOf)
  for (const [key, partition] of partitionOf) assert.equal(partitionForKey(Buffer.from(key), 6), partition)
})

/** Lines of Java's console consumer, from the beginning; large values by their hash. */
async function javaConsumer(topic: string, count: number): Promise<string[]> {
  const args = ['--bootstrap-server', server.bootstrapServers.join(), '--topic', topic, '--from-beginning']
  const limits = ['--max-messages', String(count), '--timeout-ms', '20000', '--command-property', 'check.crcs=true']
  const printed = ['timestamp', 'partition', 'headers', 'key', 'value'].flatMap((what) => [
    '--formatter-property',
    `print.${what}=true`,
  ])
  const result = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...args, ...limits, ...printed])
  assert.match(result.stderr, /Processed a total of/)
  return result.stdout.replace(/\n$/, '').split('\n').map(shorten)
}

function asJavaPrints(record: OutgoingRecord): string {
  const headers = record.headers
    .map(({ key, value }) => `${String(key)}:${value === null ? 'null' : String(value)}`)
    .join(',')
  const fields = [
    `CreateTime:${record.timestamp}`,
    `Partition:${record.partition}`,
    headers === '' ? 'NO_HEADERS' : headers,
    partOf(record.key) ?? 'null',
    partOf(record.value) ?? 'null',
  ]
  return shorten(fields.map(String).join('\t'))
}

function shorten(line: string): string {
  return line.length < 500 ? line : `${line.slice(0, 200)}… ${createHash('sha256').update(line).digest('hex')}`
}
