import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  captureLogger,
  eventually,
  startKafka,
  type FaultProxy,
  type KafkaBroker,
  type KafkaServer,
} from '@tributary/testkit'
import { readAll, silent, testKafka, valueRecord } from '../testing/clients.ts'
import { RawPartition } from '../testing/raw-partition.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

let server: KafkaServer
let broker: KafkaBroker
let proxy: FaultProxy
before(async () => {
  server = await startKafka({ behindProxy: true })
  const [onlyBroker] = server.brokers
  const [onlyProxy] = server.proxies
  assert.ok(onlyBroker && onlyProxy)
  broker = onlyBroker
  proxy = onlyProxy
})
after(() => server[Symbol.asyncDispose]())

test('cut connections: no record is lost, repeated or reordered, and each outage is logged once', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'cut', partitions: 3 })

  await load.send(20_000, 3000, () => proxy.cut())
  proxy.cutAfterBytes(100_000, 'toTarget')
  await load.send(5000)
  proxy.cutAfterBytes(150, 'fromTarget')
  await load.send(5000)

  await load.verify()
  const lost = logger.matching(/^writing to broker 1 .*was lost/).filter(({ level }) => level === 'warn')
  assert.ok(lost.length >= 3 && lost.length <= 8, `${lost.length} outages`)
  assert.equal(logger.matching(/^writing to broker 1 .*works again/).length, lost.length)
})

test('a connection that stalls for longer than the request timeout: no record is lost, repeated or reordered', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'stall', partitions: 3 })
  await load.send(3000)

  proxy.stall()
  const sending = load.send(6000)
  await eventually(
    'the stall is detected',
    () => logger.matching('did not answer a Produce request within 1000 ms').length > 0,
  )
  proxy.resume()
  await sending

  await load.verify()
})

test('a broker that hangs (SIGSTOP) and continues: no record is lost, repeated or reordered', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'stopped', partitions: 3 })
  await load.send(3000)

  await broker.kill('SIGSTOP')
  const sending = load.send(6000)
  await eventually('the hang is detected', () => logger.matching('does not answer within 1000 ms').length > 0)
  assert.ok(load.producer.bufferedBytes < 2_200_000, `${load.producer.bufferedBytes} bytes are buffered`)
  await broker.kill('SIGCONT')
  await sending

  await load.verify()
})

test('a broker that is killed: no record is lost, repeated or reordered', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using load = await OrderedLoad.start({ kafka, topic: 'killed', partitions: 3 })

  const sending = load.send(12_000)
  await eventually('records arrive', () => load.delivered > 2000, { everyMs: 1 })
  await broker.kill('SIGKILL')
  await broker.start()
  await sending

  await load.verify()
})

test('delivery.timeout.ms ends the producer while its broker is unreachable; a signal ends a wait', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using producer = await kafka.producer(silent({ deliveryTimeoutMs: 1500 }))
  const topic = await producer.topic('late')
  proxy.refuse()
  try {
    topic.send(valueRecord('v'))

    await assert.rejects(producer.flush(AbortSignal.timeout(50)), { name: 'StoppedError' })
    await assert.rejects(producer.flush(), { code: 'DELIVERY_TIMEOUT', message: /1 records for late-0.*1500 ms/ })
  } finally {
    proxy.resume()
  }
})

/*
 * A broker that has lost its state of a producer answers OUT_OF_ORDER_SEQUENCE_NUMBER (older ones UNKNOWN_PRODUCER_ID)
 * to the next batch. Here another client writes with the id of the producer, which leaves the broker in the same state.
 */

test('without a batch in doubt the producer continues with the next epoch, and logs that records may be lost', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('overrun')
  for (const value of ['1', '2', '3']) topic.send(valueRecord(value))
  await producer.flush()
  await using raw = await RawPartition.open(broker.port, 'overrun')
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
  assert.equal(logger.matching(/overrun-0: the broker lost the sequence numbers/).length, 1)
})

test('with a batch in doubt the producer ends with an error', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using producer = await kafka.producer(silent())
  const topic = await producer.topic('in-doubt')
  for (const value of ['1', '2', '3']) topic.send(valueRecord(value))
  await producer.flush()
  await using raw = await RawPartition.open(broker.port, 'in-doubt')
  const writer = await raw.writer()

  proxy.stall()
  for (const value of ['4', '5']) topic.send(valueRecord(value))
  await eventually('the response is overdue', () => logger.matching('did not answer a Produce request').length > 0)
  assert.equal(await raw.write(['a', 'b', 'c', 'd', 'e'], { producer: writer, sequence: 3 }), 0)
  proxy.resume()

  const lost = { code: 'SEQUENCE_LOST', message: /in-doubt-0.*a batch of 2 records may or may not have been written/ }
  await assert.rejects(producer.flush(), lost)
  assert.throws(() => topic.send(valueRecord('6')), lost)
  const values = (await readAll(kafka, 'in-doubt')).map(({ value }) => String(value))
  assert.deepEqual(values, ['1', '2', '3', 'a', 'b', 'c', 'd', 'e'])
})

test('a broker that has forgotten the producer accepts the next batch as its first', async () => {
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
