import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { captureLogger, eventually, seededRandom, startKafka, type KafkaServer } from '@tributary/testkit'
import { testKafka, valueRecord } from '../testing/clients.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

const PARTITIONS = 6

let server: KafkaServer
before(async () => {
  server = await startKafka({ brokers: 3, behindProxy: true })
})
after(() => server[Symbol.asyncDispose]())

async function createTopic(name: string, minInSync: number): Promise<void> {
  await using admin = testKafka(server.bootstrapServers).admin()
  const configs = { 'min.insync.replicas': String(minInSync) }
  await admin.createTopic({ name, partitions: PARTITIONS, replicationFactor: 3, configs })
}

/** The leaders of the partitions of a topic. */
async function leaders(topic: string): Promise<readonly number[]> {
  await using admin = testKafka(server.bootstrapServers).admin()
  return (await admin.describeTopic(topic))?.partitions.map(({ leader }) => leader) ?? []
}

test('three brokers, killed, hung, stopped and cut in turn: no record is lost, repeated or reordered', async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await createTopic('moving', 2)
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 6000, connectTimeoutMs: 2000, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'moving', partitions: PARTITIONS })

  for (let round = 0; round < 12; round++) {
    const start = load.delivered
    const sending = load.send(15_000, 1000)
    await eventually('records arrive', () => load.delivered > start + random.integer(500, 6000), {
      everyMs: 1,
      timeoutMs: 60_000,
    })
    const broker = random.pick(server.brokers)
    const fault = (['SIGKILL', 'SIGSTOP', 'stop', 'cut'] as const)[round % 4]
    if (fault === 'stop') await broker.stop()
    else if (fault === 'cut') for (const proxy of server.proxies) proxy.cut()
    else if (fault !== undefined) await broker.kill(fault)
    await eventually('the other brokers take over', () => load.delivered > start + 12_000, { timeoutMs: 120_000 })
    if (fault === 'SIGSTOP') await broker.kill('SIGCONT')
    await broker.start()
    await sending
  }

  await load.verify()
  t.diagnostic(`outages logged: ${logger.lines.filter(({ level }) => level === 'warn').length}`)
})

test('with too few in-sync replicas the producer logs it once, retries and continues by itself', async () => {
  await createTopic('replicas', 3)
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'replicas', partitions: PARTITIONS })
  await load.send(3000)
  await load.producer.flush()
  const [broker] = server.brokers
  assert.ok(broker)

  await broker.kill('SIGKILL')
  const sending = load.send(3000)
  await eventually('the error is logged', () => logger.matching(/fails with NOT_ENOUGH_REPLICAS\. /).length > 0, {
    timeoutMs: 60_000,
  })
  const { delivered } = load
  await eventually(
    'the other brokers lead all partitions',
    async () => (await leaders('replicas')).every((leader) => leader > 1),
    {
      timeoutMs: 60_000,
    },
  )
  assert.equal(load.delivered, delivered)
  await broker.start()
  await sending

  await load.verify()
  assert.equal(logger.matching(/fails with NOT_ENOUGH_REPLICAS\. /).length, 1)
  assert.equal(logger.matching(/works again after .* of NOT_ENOUGH_REPLICAS/).length, 1)
})

test('a reader follows leaders that move', async () => {
  await createTopic('followed', 2)
  const kafka = testKafka(server.bootstrapServers, { requestTimeoutMs: 6000, connectTimeoutMs: 2000 })
  await using load = await OrderedLoad.start({ kafka, topic: 'followed', partitions: PARTITIONS })
  await using reader = await kafka.reader({ topic: 'followed' })
  const next = Array.from({ length: PARTITIONS }, () => 0n)
  let count = 0

  for (const broker of server.brokers) {
    const sending = load.send(6000)
    await broker.kill('SIGKILL')
    await sending
    await load.producer.flush()
    const target = count + 6000
    await eventually(
      'all records are read',
      async () => {
        for (const { partition, offset } of await reader.poll()) {
          assert.equal(offset, next[partition])
          next[partition] = offset + 1n
          count += 1
        }
        return count === target
      },
      { timeoutMs: 60_000 },
    )
    await broker.start()
  }

  await load.verify()
})

test('partitions without a leader delay neither writing to nor reading from others', async () => {
  const logger = captureLogger()
  const kafka = testKafka(server.bootstrapServers, { logger })
  await using admin = kafka.admin()
  await admin.createTopic({ name: 'apart', partitions: 3, replicationFactor: 1 })
  const all = await leaders('apart')
  const broker = server.brokers[1]
  assert.ok(broker)
  const leaderless = all.indexOf(2)
  assert.ok(leaderless >= 0)
  let delivered = 0
  await using producer = await kafka.producer({ onDelivered: (tokens) => (delivered += tokens.length) })
  const topic = await producer.topic('apart')
  await using reader = await kafka.reader({ topic: 'apart' })
  let read = 0
  const readAndCount = async (count: number): Promise<boolean> => {
    read += (await reader.poll()).length
    return read === count
  }

  await broker.kill('SIGKILL')
  for (let i = 0; i < 300; i++) topic.send(valueRecord(String(i), { partition: i % 3 }))
  await eventually('the others are written', () => delivered === 200, { timeoutMs: 60_000 })
  await eventually('the others are read', () => readAndCount(200), { timeoutMs: 60_000 })
  await broker.start()
  await producer.flush()

  await eventually('the other records are read', () => readAndCount(300), { timeoutMs: 60_000 })
  assert.ok(logger.lines.filter(({ level }) => level === 'warn').length < 8)
})
