import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { captureLogger, eventually, startKafka, type FaultProxy, type KafkaServer } from '@tributary/testkit'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { RawPartition } from '../testing/raw-partition.ts'

/*
 * A broker that has lost or overrun what it knows of a producer answers OUT_OF_ORDER_SEQUENCE_NUMBER (older ones
 * UNKNOWN_PRODUCER_ID) to a batch that is the next one. Here another client writes under the producer's own id, which
 * leaves the broker in the same state.
 */

let server: KafkaServer
let proxy: FaultProxy
let brokerPort: number
before(async () => {
  server = await startKafka({ behindProxy: true })
  const [broker] = server.brokers
  const [onlyProxy] = server.proxies
  assert.ok(broker && onlyProxy)
  brokerPort = broker.port
  proxy = onlyProxy
})
after(() => server[Symbol.asyncDispose]())

test('goes on under the next epoch when nothing is in doubt, and says that records may be lost', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('overrun')
  for (const value of ['1', '2', '3']) topic.send(valueRecord(value))
  await producer.flush()
  await using raw = await RawPartition.open(brokerPort, 'overrun')
  const writer = await raw.writer()
  assert.equal(await raw.write(['a', 'b', 'c', 'd', 'e'], { producer: writer, sequence: 3 }), 0)

  for (const value of ['4', '5']) topic.send(valueRecord(value))
  await producer.flush()
  topic.send(valueRecord('6'))
  await producer.flush()

  const values = (await readAll(kafka, 'overrun')).map(({ value }) => String(value))
  assert.deepEqual(values, ['1', '2', '3', 'a', 'b', 'c', 'd', 'e', '4', '5', '6'])
  const epochs = (await raw.batches()).map(({ bytes, producerId }) => [
    producerId,
    bytes.readInt16BE(51),
    bytes.readInt32BE(53),
  ])
  assert.deepEqual(epochs.slice(-2), [
    [writer.producerId, writer.epoch + 1, 0],
    [writer.producerId, writer.epoch + 1, 2],
  ])
  assert.equal(logger.matching(/overrun-0: the broker has lost or overrun/).length, 1)
})

test('ends with an error when a batch may have been written before', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('in-doubt')
  for (const value of ['1', '2', '3']) topic.send(valueRecord(value))
  await producer.flush()
  await using raw = await RawPartition.open(brokerPort, 'in-doubt')
  const writer = await raw.writer()

  proxy.stall()
  for (const value of ['4', '5']) topic.send(valueRecord(value))
  await eventually('the answer is overdue', () => logger.matching('did not answer a Produce request').length > 0)
  assert.equal(await raw.write(['a', 'b', 'c', 'd', 'e'], { producer: writer, sequence: 3 }), 0)
  proxy.resume()

  const lost = { code: 'SEQUENCE_LOST', message: /in-doubt-0.*a batch of 2 records may or may not have been written/ }
  await assert.rejects(producer.flush(), lost)
  assert.throws(() => topic.send(valueRecord('6')), lost)
  const values = (await readAll(kafka, 'in-doubt')).map(({ value }) => String(value))
  assert.deepEqual(values, ['1', '2', '3', 'a', 'b', 'c', 'd', 'e'])
})

test('a broker that has forgotten the producer takes the next batch as the first', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using admin = kafka.admin()
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('recreated')
  for (const value of ['1', '2', '3']) topic.send(valueRecord(value))
  await producer.flush()
  await admin.deleteTopic('recreated')
  await admin.createTopic({ name: 'recreated', partitions: 1, replicationFactor: 1 })

  for (const value of ['4', '5']) topic.send(valueRecord(value))
  await producer.flush()

  assert.deepEqual(
    (await readAll(kafka, 'recreated')).map(({ value }) => String(value)),
    ['4', '5'],
  )
})
