import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { runKafkaTool, uniqueName, useRealKafka } from '@tributary/testkit'
import type { Compression } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { part, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { headerList, partOf, testRecords } from '../testing/test-records.ts'

// Apache Kafka: Java judges the producer together with the broker for which it was made.
const server = await useRealKafka()
const codecsTopic = uniqueName('java-codecs')

const codecs: readonly (Compression | undefined)[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd', undefined]

test('Java reads every codec with verified checksums: bytes, order, headers and timestamps are equal', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const sent: OutgoingRecord[] = []
  for (const [index, compression] of codecs.entries()) {
    // The default options make batches of several LZ4 blocks.
    const options = compression === undefined ? {} : { compression, batchBytesMax: 300_000 }
    await using producer = await kafka.producer(silent(options))
    const topic = await producer.topic(codecsTopic)
    const large = Buffer.alloc(3_000_000, `a sentence that repeats, for ${compression}. `)
    const records = [
      ...testRecords({ seed: index + 1, count: compression === undefined ? 3000 : 400 }),
      // Records without prefixes, and one that fits only when compressed.
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

  const seen = await javaConsumer(codecsTopic, sent.length)

  assert.deepEqual(seen.toSorted(), sent.map(asJavaPrints).toSorted())
  const ofPartition0 = sent.filter(({ partition }) => partition === 0).map(asJavaPrints)
  assert.deepEqual(
    seen.filter((line) => line.includes('Partition:0')),
    ofPartition0,
  )
})

/** The lines of Java's console consumer from the beginning, with large values replaced by their hash. */
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
  const headers = headerList(record)
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
