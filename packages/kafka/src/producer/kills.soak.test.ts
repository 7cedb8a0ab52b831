import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, seededRandom, startKafka } from '@tributary/testkit'
import type { Compression } from '../api/producer.ts'
import { testKafka } from '../testing/clients.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

test('a broker that is killed repeatedly, with each codec: no record is lost, repeated or reordered', async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await using server = await startKafka({ config: { 'num.partitions': '4' } })
  const [broker] = server.brokers
  assert.ok(broker)
  for (const compression of ['none', 'lz4', 'zstd', 'gzip', 'snappy'] as readonly Compression[]) {
    const kafka = testKafka(server.bootstrapServers)
    await using load = await OrderedLoad.start({ kafka, topic: compression, partitions: 4, compression })
    for (let round = 0; round < 3; round++) {
      const start = load.delivered
      const sending = load.send(12_000)
      await eventually('records arrive', () => load.delivered > start + random.integer(10, 9000), {
        everyMs: 1,
        timeoutMs: 60_000,
      })
      await broker.kill('SIGKILL')
      await broker.start()
      await sending
    }
    await load.verify()
  }
})

test('with old timestamps, for which the broker keeps no producer state, order is kept; a kill may repeat one batch', async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await using server = await startKafka({ config: { 'num.partitions': '4' } })
  const [broker] = server.brokers
  assert.ok(broker)
  const kafka = testKafka(server.bootstrapServers)
  const timestamp = 1_690_000_000_000
  await using load = await OrderedLoad.start({ kafka, topic: 'old', partitions: 4, timestamp })

  for (let round = 0; round < 6; round++) {
    const start = load.delivered
    const sending = load.send(8000)
    await eventually('records arrive', () => load.delivered > start + random.integer(10, 5000), {
      everyMs: 1,
      timeoutMs: 60_000,
    })
    await broker.kill('SIGKILL')
    await broker.start()
    await sending
  }

  const repeats = await load.verifyWithRepeats()
  t.diagnostic(`${repeats} records were repeated`)
  // One batch of up to 40 KB in each partition at each kill.
  assert.ok(repeats <= 6 * 4 * 45, String(repeats))
})
