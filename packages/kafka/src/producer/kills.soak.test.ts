import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, seededRandom, startKafka } from '@tributary/testkit'
import type { Compression } from '../api/producer.ts'
import { testKafka } from '../testing/clients.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

test('one broker, killed again and again under each codec: nothing lost, repeated or reordered', async (t) => {
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
