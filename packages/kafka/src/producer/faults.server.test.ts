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
import { silent, testKafka, valueRecord } from '../testing/clients.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

let server: KafkaServer
let broker: KafkaBroker
let proxy: FaultProxy
before(async () => {
  server = await startKafka({ behindProxy: true, config: { 'num.partitions': '3' } })
  const [onlyBroker] = server.brokers
  const [onlyProxy] = server.proxies
  assert.ok(onlyBroker && onlyProxy)
  broker = onlyBroker
  proxy = onlyProxy
})
after(() => server[Symbol.asyncDispose]())

test('nothing is lost, repeated or reordered when connections are cut, and each outage is told once', async () => {
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

test('… when the connection stalls for longer than the request timeout', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'stall', partitions: 3 })
  await load.send(3000)

  proxy.stall()
  const sending = load.send(6000)
  await eventually(
    'the stall is noticed',
    () => logger.matching('did not answer a Produce request within 1000 ms').length > 0,
  )
  proxy.resume()
  await sending

  await load.verify()
})

test('… when the broker hangs (SIGSTOP) and goes on', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 1000, connectTimeoutMs: 1000, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'stopped', partitions: 3 })
  await load.send(3000)

  await broker.kill('SIGSTOP')
  const sending = load.send(6000)
  await eventually('the hang is noticed', () => logger.matching('says nothing for 1000 ms').length > 0)
  assert.ok(load.producer.bufferedBytes < 2_200_000, `${load.producer.bufferedBytes} bytes are held`)
  await broker.kill('SIGCONT')
  await sending

  await load.verify()
})

test('… when the broker is killed in the middle', async () => {
  const kafka = testKafka(server.bootstrapServers)
  await using load = await OrderedLoad.start({ kafka, topic: 'killed', partitions: 3 })

  const sending = load.send(12_000)
  await eventually('records arrive', () => load.delivered > 2000, { everyMs: 1 })
  await broker.kill('SIGKILL')
  await broker.start()
  await sending

  await load.verify()
})

test('delivery.timeout.ms ends the producer when its broker stays away; an abort ends a wait', async () => {
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
