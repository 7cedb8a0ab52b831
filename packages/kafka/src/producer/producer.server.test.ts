import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPartitionsV3 } from '@platformatic/kafka'
import { captureLogger, eventually, uniqueName, useKafka } from '@tributary/testkit'
import { systemClock } from '@tributary/support'
import type { OutgoingRecord } from '../api/records.ts'
import { clusterContext } from '../create-kafka.ts'
import { part, readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { request } from '../network/codec.ts'
import { RawPartition } from '../testing/raw-partition.ts'
import { noise } from '../testing/test-records.ts'
import { startProducer } from './idempotent-producer.ts'

const server = await useKafka()
const prefix = uniqueName('producer')
/** A topic of this file on the shared broker. */
const name = (topic: string): string => `${prefix}.${topic}`

const oneReplica = { partitions: 1, replicationFactor: 1 }

test('the broker creates a new topic, which is logged as LEADER_NOT_AVAILABLE exactly once', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using one = await kafka.producer(silent())
  await using other = await kafka.producer(silent())
  assert.equal(one.knownTopic(name('fresh')), null)

  const [topic, again] = await Promise.all([
    one.topic(name('fresh')),
    one.topic(name('fresh')),
    other.topic(name('fresh')),
  ])

  assert.equal(topic, again)
  assert.equal(one.knownTopic(name('fresh')), topic)
  const lines = logger.matching('LEADER_NOT_AVAILABLE')
  assert.deepEqual(
    lines.map(({ level, fields }) => ({ level, fields })),
    [{ level: 'warn', fields: { topic: name('fresh') } }],
  )
})

test('an existing topic is not logged', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using admin = kafka.admin()
  await admin.createTopic({ name: name('old'), ...oneReplica })
  await using producer = await kafka.producer(silent())

  await producer.topic(name('old'))

  assert.deepEqual(logger.matching('LEADER_NOT_AVAILABLE'), [])
})

test('an invalid topic name is an error that does not end the producer', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.producer(silent())

  await assert.rejects(producer.topic('not/valid'), { code: 'INVALID_TOPIC', message: /not\/valid/ })

  assert.equal(producer.failure, null)
  await producer.topic(name('valid'))
})

test('records after the send window reach no broker, even by flush, until the window advances', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const sendWindow = { records: 250, recordsPerPartition: 20 }
  const isAcknowledged = Array.from({ length: 5000 }, () => false)
  const onDelivered = (tokens: readonly number[]): void => {
    for (const token of tokens) isAcknowledged[token] = true
  }
  await using producer = await kafka.producer({ onDelivered, sendWindow })
  await using admin = kafka.admin()
  const [one, other] = [name('window.one'), name('window.other')]
  await admin.createTopic({ name: one, partitions: 3, replicationFactor: 1 })
  await admin.createTopic({ name: other, ...oneReplica })
  const topics = [await producer.topic(one), await producer.topic(other)] as const
  for (let token = 0; token < 5000; token++) {
    const topic = topics[token % 4 === 0 ? 1 : 0]
    topic.send(valueRecord(String(token), { token, partition: token % 4 === 0 ? 0 : (token % 4) - 1 }))
  }
  const flushed = producer.flush()

  // Moves the window to the first unacknowledged token, once 100 more are acknowledged without a gap.
  for (let start = 0; start < 5000;) {
    const first = await eventually('more is acknowledged without a gap', () => {
      const missing = isAcknowledged.indexOf(false)
      return (missing < 0 || missing >= start + 100) && { missing }
    })
    const beyond = isAcknowledged.lastIndexOf(true)
    assert.ok(beyond < start + 250, `${beyond} is acknowledged, and the window starts at ${start}`)
    start = first.missing < 0 ? 5000 : first.missing
    producer.moveWindow(start)
  }
  await flushed
  const all = [...(await readAll(kafka, one)), ...(await readAll(kafka, other))]
  const byPartition = Map.groupBy(
    all.map(({ value }) => Number(value)),
    (token) => token % 4,
  )
  for (const [rest, tokens] of byPartition) {
    assert.deepEqual(
      tokens,
      Array.from({ length: 1250 }, (_, i) => 4 * i + rest),
    )
  }
  assert.equal(byPartition.size, 4)
})

test('a batch after the send window that is sealed by an acknowledgement is produced when the window advances', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const delivered: number[] = []
  const sendWindow = { records: 100, recordsPerPartition: 20 }
  await using producer = await kafka.producer({ onDelivered: (tokens) => delivered.push(...tokens), sendWindow })
  const topic = await producer.topic(name('window.late'))
  topic.send(valueRecord('first', { token: 0 }))
  await new Promise(setImmediate)
  topic.send(valueRecord('second', { token: 55 }))
  await eventually('the first is acknowledged', () => delivered.length === 1)

  producer.moveWindow(1)
  await eventually('the second is acknowledged', () => delivered.length === 2)
  assert.deepEqual(delivered, [0, 55])
})

test('tokens are acknowledged in the order of send within a partition, and their bytes are counted until then', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const delivered: number[] = []
  await using producer = await kafka.producer({
    onDelivered: (tokens) => delivered.push(...tokens),
    bufferBytesMax: 10_000,
  })
  const topic = await producer.topic(name('tokens'))
  assert.equal(producer.isFull, false)

  for (let token = 0; token < 500; token++) topic.send({ ...valueRecord('v'.repeat(100)), token })

  assert.ok(producer.isFull)
  assert.ok(producer.bufferedBytes > 50_000)
  await producer.ready()
  assert.ok(producer.bufferedBytes <= 8000)
  await producer.flush()
  assert.equal(producer.bufferedBytes, 0)
  assert.deepEqual(
    delivered,
    Array.from({ length: 500 }, (_, token) => token),
  )
})

test('the timestamp of a record is its own or the time of send', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name('times'))
  const before = systemClock.now()

  topic.send(valueRecord('now'))
  topic.send(valueRecord('old', { timestamp: 1_000_000_000_000 }))
  topic.send(valueRecord('epoch', { timestamp: 0 }))
  await producer.flush()

  const [now, old, epoch] = (await readAll(kafka, name('times'))).map(({ timestamp }) => timestamp)
  assert.ok(now !== undefined && now >= before && now <= systemClock.now())
  assert.deepEqual([old, epoch], [1_000_000_000_000, 0])
})

test('records without a key fill one partition after another', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using admin = kafka.admin()
  await admin.createTopic({ name: name('keyless'), partitions: 3, replicationFactor: 1 })
  await using producer = await kafka.producer(silent({ batchBytesMax: 1000 }))
  const topic = await producer.topic(name('keyless'))

  for (let i = 0; i < 300; i++) topic.send(valueRecord('v'.repeat(90)))
  await producer.flush()

  const perPartition = Map.groupBy(await readAll(kafka, name('keyless')), ({ partition }) => partition)
  assert.equal(perPartition.size, 3)
  for (const records of perPartition.values()) assert.ok(records.length >= 60, String(records.length))
})

test('a record too large for a batch is refused with its sizes and limits, and is not appended', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using admin = kafka.admin()
  await admin.createTopic({ name: name('small'), ...oneReplica, configs: { 'max.message.bytes': '2000' } })
  for (const compression of ['none', 'lz4', 'zstd', undefined] as const) {
    await using producer = await kafka.producer(silent(compression && { compression }))
    const topic = await producer.topic(name('small'))
    const large: OutgoingRecord = { ...valueRecord(noise(3000)), key: part('the key') }

    assert.throws(
      () => topic.send(large),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'RECORD_TOO_LARGE')
        for (const word of [
          name('small'),
          'key 7 bytes',
          'value 3000 bytes',
          '2000',
          'max.message.bytes',
          'message.max.bytes',
        ]) {
          assert.ok(error.message.includes(word), `${word} in: ${error.message}`)
        }
        return true
      },
    )

    assert.equal(producer.bufferedBytes, 0)
    topic.send(valueRecord('fits'))
    await producer.flush()
  }
  assert.deepEqual(
    (await readAll(kafka, name('small'))).map(({ value }) => String(value)),
    ['fits', 'fits', 'fits', 'fits'],
  )
})

test('a refused record does not delay the records before it', async () => {
  const kafka = testKafka(server.bootstrapServers)
  let delivered = 0
  await using producer = await kafka.producer({ onDelivered: (tokens) => (delivered += tokens.length) })
  const topic = await producer.topic(name('before'))

  topic.send(valueRecord('before'))
  assert.throws(() => topic.send(valueRecord(noise(1_100_000))), { code: 'RECORD_TOO_LARGE' })

  await eventually('the record before is delivered', () => delivered === 1)
})

test('batches are split when the limit of the topic is lowered, without a gap or repeat', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using admin = kafka.admin()
  await admin.createTopic({ name: name('shrinking'), ...oneReplica })
  const delivered: number[] = []
  for (const compression of ['none', 'lz4', 'gzip', undefined] as const) {
    await admin.alterTopicConfig(name('shrinking'), { 'max.message.bytes': '1048588' })
    await using producer = await kafka.producer({
      ...(compression && { compression }),
      onDelivered: (tokens) => delivered.push(...tokens),
    })
    const topic = await producer.topic(name('shrinking'))
    await admin.alterTopicConfig(name('shrinking'), { 'max.message.bytes': '3000' })
    await eventually(
      'the broker knows the new limit',
      async () => (await admin.topicConfig(name('shrinking'))).get('max.message.bytes') === '3000',
    )
    for (let i = 0; i < 1000; i++) topic.send(valueRecord(`${compression} ${i} ${Math.imul(i, 48_271)}`, { token: i }))
    const flushed = producer.flush()
    await flushed
    // Later batches respect the new limit.
    const lines = logger.lines.length
    for (let i = 1000; i < 1500; i++)
      topic.send(valueRecord(`${compression} ${i} ${Math.imul(i, 48_271)}`, { token: i }))
    await producer.flush()
    assert.deepEqual(
      logger.lines.slice(lines).filter(({ message }) => message.includes('splits it in two')),
      [],
    )
  }

  assert.ok(logger.matching('splits it in two').length >= 4)
  const expected = ['none', 'lz4', 'gzip', 'undefined'].flatMap((compression) =>
    Array.from({ length: 1500 }, (_, i) => `${compression} ${i} ${Math.imul(i, 48_271)}`),
  )
  assert.deepEqual(
    (await readAll(kafka, name('shrinking'))).map(({ value }) => String(value)),
    expected,
  )
  assert.deepEqual(
    delivered,
    [0, 1, 2, 3].flatMap(() => Array.from({ length: 1500 }, (_, i) => i)),
  )
})

test('sequence numbers wrap at 2^31 - 1, within a batch and between batches', async () => {
  const context = clusterContext({
    bootstrapServers: server.bootstrapServers,
    clientId: 't',
    clock: systemClock,
    logger: captureLogger(),
  })
  await using producer = await startProducer(context, silent({ batchBytesMax: 1000 }), undefined, 2 ** 31 - 95)
  const kafka = testKafka(server.bootstrapServers)
  const topic = await producer.topic(name('wrapping'))

  for (let i = 0; i < 500; i++) topic.send(valueRecord(`${i} ${'v'.repeat(20)}`))
  await producer.flush()

  const numbers = (await readAll(kafka, name('wrapping'))).map(({ value }) => Number.parseInt(String(value), 10))
  assert.deepEqual(
    numbers,
    Array.from({ length: 500 }, (_, i) => i),
  )
})

test('a record that the broker refuses ends the producer with the reason of the broker', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using admin = kafka.admin()
  await admin.createTopic({ name: name('compacted'), ...oneReplica, configs: { 'cleanup.policy': 'compact' } })
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic(name('compacted'))

  topic.send(valueRecord('without a key'))

  const refused = { code: 'RECORD_REFUSED', message: /compacted-0: INVALID_RECORD/ }
  await assert.rejects(producer.flush(), refused)
  assert.throws(() => topic.send(valueRecord('more')), refused)
  await assert.rejects(producer.ready(), refused)
  await assert.rejects(producer.flush(), refused)
  await assert.rejects(producer.topic(name('another')), refused)
  assert.equal(producer.failure?.message.includes('INVALID_RECORD'), true)
})

test('flush waits for the records before it, not for later ones', async () => {
  const kafka = testKafka(server.bootstrapServers)
  let delivered = 0
  await using producer = await kafka.producer({
    lingerMs: 60_000,
    onDelivered: (tokens) => (delivered += tokens.length),
  })
  const topic = await producer.topic(name('flush'))
  topic.send(valueRecord('one'))

  const flushed = producer.flush()
  topic.send(valueRecord('two'))
  await flushed

  assert.equal(delivered, 1)
  assert.ok(producer.bufferedBytes > 0)
  await producer.flush(AbortSignal.timeout(10_000))
  assert.equal(delivered, 2)
})

test('after close records are refused, and closing again has no effect', async () => {
  const kafka = testKafka(server.bootstrapServers)
  const producer = await kafka.producer(silent())
  const topic = await producer.topic(name('closed'))
  topic.send(valueRecord('v'))
  await producer.close()
  await producer.close()

  assert.throws(() => topic.send(valueRecord('v')), { code: 'PRODUCER_CLOSED' })
  await assert.rejects(producer.flush(), { code: 'PRODUCER_CLOSED' })
  assert.equal(producer.failure, null)
})

test('a deleted topic without waiting records is not created again by a refresh', async () => {
  const kafka = testKafka(server.bootstrapServers, { metadataMaxAgeMs: 50 })
  await using admin = kafka.admin()
  await using producer = await kafka.producer(silent())
  const kept = await producer.topic(name('kept'))
  await producer.topic(name('deleted'))
  await admin.deleteTopic(name('deleted'))
  await using raw = await RawPartition.open(Number(server.bootstrapServers[0]?.split(':')[1]), kept.name)

  // Each growth of the other topic that the producer sees is a refresh.
  for (let count = 2; count <= 4; count++) {
    const grow = { name: kept.name, count, assignments: null }
    const { results } = await request(raw.connection, createPartitionsV3.api, [grow], 5000, false)
    assert.equal(results[0]?.errorCode, 0)
    await eventually('the new partition is known', () => kept.partitionCount === count)
  }

  assert.equal(await admin.describeTopic(name('deleted')), null)
  kept.send(valueRecord('v', { partition: 3 }))
  await producer.flush()
})
