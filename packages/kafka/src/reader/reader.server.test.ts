import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, eventually, fakeClock, uniqueName, useKafka } from '@tributary/testkit'
import type { LogRecord } from '../api/records.ts'
import { part, readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { RawPartition } from '../testing/raw-partition.ts'
import { RawTransaction } from '../testing/raw-transaction.ts'
import { COMMITTED_VALUES, writeTransactions } from '../testing/transactions-in-turn.ts'
import { noise } from '../testing/test-records.ts'

const server = await useKafka()
const kafka = testKafka(server.bootstrapServers)
const prefix = uniqueName('reader')
/** A topic of this file on the shared broker. */
const name = (topic: string): string => `${prefix}.${topic}`
const port = Number(server.bootstrapServers[0]?.split(':')[1])

/** Creates the topic and writes numbered values to each partition. */
async function fill(topic: string, partitions: number, count: number): Promise<void> {
  await using admin = kafka.admin()
  await admin.createTopic({ name: topic, partitions, replicationFactor: 1 })
  await using producer = await kafka.producer(silent({ batchBytesMax: 2000 }))
  const known = await producer.topic(topic)
  for (let i = 0; i < count; i++)
    for (let p = 0; p < partitions; p++) known.send(valueRecord(String(i), { partition: p }))
  await producer.flush()
}

function values(records: readonly LogRecord[]): string[] {
  return records.map(({ value }) => String(value))
}

test('all partitions are read to their end, each in order, with key, headers and nulls as written', async () => {
  const topic = name('all')
  await fill(topic, 3, 500)
  await using producer = await kafka.producer(silent())
  const headers = [
    { key: Buffer.from('h'), value: Buffer.from('1') },
    { key: Buffer.from('h'), value: null },
  ]
  ;(await producer.topic(topic)).send({
    ...valueRecord(''),
    key: part('k'),
    value: null,
    headers,
    partition: 1,
    timestamp: 77,
  })
  await producer.flush()

  const records = await readAll(kafka, topic)

  const perPartition = Map.groupBy(records, ({ partition }) => partition)
  for (const partition of [0, 1, 2]) {
    const read = perPartition.get(partition) ?? []
    assert.deepEqual(
      values(read).slice(0, 500),
      Array.from({ length: 500 }, (_, i) => String(i)),
    )
    assert.deepEqual(
      read.map(({ offset }) => offset),
      read.map((_, i) => BigInt(i)),
    )
  }
  const last = perPartition.get(1)?.at(-1)
  assert.deepEqual(last, {
    topic,
    partition: 1,
    offset: 500n,
    timestamp: 77,
    key: Buffer.from('k'),
    value: null,
    headers,
  })
})

test('at the end a poll waits about half a second; later polls return new records', async () => {
  const topic = name('tail')
  await fill(topic, 1, 10)
  await using reader = await kafka.reader({ topic, from: 'latest' })
  assert.equal(reader.position(0), 10n)
  const start = performance.now()

  assert.deepEqual(await reader.poll(), [])

  assert.ok(performance.now() - start > 300)
  await using producer = await kafka.producer(silent())
  ;(await producer.topic(topic)).send(valueRecord('new'))
  const records = await eventually('the record arrives', async () => {
    const polled = await reader.poll()
    return polled.length > 0 && polled
  })
  assert.deepEqual(values(records), ['new'])
  assert.equal(reader.position(0), 11n)
  assert.deepEqual(await reader.endOffsets(), new Map([[0, 11n]]))
})

test('reading starts at given offsets, and is limited to given partitions', async () => {
  const topic = name('some')
  await fill(topic, 3, 100)
  await using reader = await kafka.reader({ topic, partitions: [2, 0], from: new Map([[2, 90n]]) })
  const records: LogRecord[] = []

  await reader.readToEnd((record) => records.push(record))

  const counts = Map.groupBy(records, ({ partition }) => partition)
  assert.deepEqual([counts.get(0)?.length, counts.get(1)?.length, counts.get(2)?.length], [100, undefined, 10])
  assert.equal(records.find(({ partition }) => partition === 2)?.offset, 90n)
})

test('an offset out of range is an error that names the range', async () => {
  const topic = name('gone')
  await fill(topic, 1, 10)
  await using reader = await kafka.reader({ topic, from: new Map([[0, 99n]]) })

  const error = { code: 'OFFSET_OUT_OF_RANGE', message: /Offset 99 of .*gone-0 .*holds 0 to 10/ }
  await assert.rejects(
    reader.readToEnd(() => undefined).then(() => reader.poll()),
    error,
  )
  await assert.rejects(reader.poll(), error)
})

test('a topic or partition that does not exist is an error', async () => {
  await assert.rejects(kafka.reader({ topic: name('missing') }), { code: 'UNKNOWN_TOPIC', message: /missing/ })
  await fill(name('one'), 1, 1)
  await assert.rejects(kafka.reader({ topic: name('one'), partitions: [1] }), { code: 'UNKNOWN_PARTITION' })
})

test('a batch larger than the size limit of a fetch is read', async () => {
  const topic = name('large')
  await using producer = await kafka.producer(silent({ compression: 'none' }))
  const known = await producer.topic(topic)
  for (let i = 0; i < 3; i++) known.send(valueRecord(noise(300_000 + i)))
  await producer.flush()
  await using reader = await kafka.reader({ topic, fetchBytesMax: 1000 })
  const lengths: (number | undefined)[] = []

  await reader.readToEnd(({ value }) => lengths.push(value?.length))

  assert.deepEqual(lengths, [300_000, 300_001, 300_002])
})

test('records of aborted and open transactions are skipped, over many fetches; uncommitted reading returns all', async () => {
  const topic = name('transactions')
  await fill(topic, 1, 1)
  await using raw = await RawPartition.open(port, topic)
  const open = await writeTransactions(raw, topic)

  await using committed = await kafka.reader({ topic, fetchBytesMax: 300 })
  await using uncommitted = await kafka.reader({ topic, fetchBytesMax: 300, isolation: 'uncommitted' })
  const [seen, all]: [string[], string[]] = [[], []]
  await committed.readToEnd(({ value }) => seen.push(String(value)))
  await uncommitted.readToEnd(({ value }) => all.push(String(value)))

  assert.deepEqual(seen, ['0', ...COMMITTED_VALUES])
  assert.equal(all.length, 1 + 4 * 60 + 20)
  await open.end(true)
  await eventually('the last transaction is committed', async () => {
    seen.push(...values(await committed.poll()))
    return seen.length === 1 + 80 + 20
  })
})

test('a poll waits as long as the options say, and ends when all that arrives is skipped', async () => {
  const topic = name('skipped')
  await fill(topic, 1, 1)
  await using raw = await RawPartition.open(port, topic)
  const aborted = await RawTransaction.init(raw, `${topic}.aborted`)
  const clock = fakeClock()
  await using reader = await testKafka(server.bootstrapServers, { clock }).reader({
    topic,
    from: 'latest',
    pollWaitMs: 600_000,
  })
  assert.equal(reader.position(0), 1n)
  let isEmpty = false
  const empty = reader.poll().then((records) => (isEmpty = records.length === 0))
  await clock.advance(599_000)
  await reader.endOffsets()
  assert.equal(isEmpty, false)
  await clock.advance(1_001)
  assert.equal(await empty, true)

  const polled = reader.poll()
  await aborted.write(raw, topic, ['a', 'b'])
  await aborted.end(false)

  assert.deepEqual(await polled, [])
  await eventually('the position is after the marker', async () => {
    return reader.position(0) === 4n || (await reader.poll()).length > 0
  })
  assert.equal(reader.position(0), 4n)
})

test('the signal and close stop a poll', async () => {
  const logger = captureLogger()
  const topic = name('stopped')
  await fill(topic, 1, 1)
  const reader = await testKafka(server.bootstrapServers, { logger }).reader({ topic, from: 'latest' })

  await assert.rejects(reader.poll(AbortSignal.timeout(20)), { name: 'StoppedError' })
  const stopped = assert.rejects(reader.poll(), { name: 'StoppedError' })
  await reader.close()
  await reader.close()

  await stopped
  await assert.rejects(reader.poll(), { name: 'StoppedError' })
  assert.deepEqual(logger.lines, [])
})

test('end offsets are returned while a poll waits for records', async () => {
  const topic = name('ends')
  await fill(topic, 2, 3)
  await using reader = await kafka.reader({ topic, from: 'latest' })
  const events: string[] = []

  const polled = reader.poll().then(() => events.push('no records'))
  // In the second round the fetch is in flight for certain: it is sent as soon as its connection is open.
  for (const round of [1, 2]) {
    const ends = await reader.endOffsets()
    assert.deepEqual([...ends.values()], [3n, 3n])
    events.push(`ends ${round}`)
  }
  await polled

  assert.deepEqual(events, ['ends 1', 'ends 2', 'no records'])
})
