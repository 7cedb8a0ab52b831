import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import { eventually, fakeClock, seededRandom, startKafka, temporaryFolder } from '@tributary/testkit'
import { startBroker, type BrokerOptions } from './shell/start-broker.ts'
import { waitForCoordinators } from './testing/compare-brokers.ts'
import { CompactionLoad, createCompacted, readCompacted } from './testing/compaction-load.ts'
import { RawClient } from './testing/raw-client.ts'

const SEED = 7
const DAY_MS = 86_400_000
const TOPIC = 'compacted'
/** How often the broker looks for something to compact. */
const INTERVAL_MS = 60_000

test("the records that compaction leaves are those that Kafka's log cleaner leaves", async () => {
  await using folder = temporaryFolder('compaction')
  // The cleaner looks every 100 ms instead of every 15 s.
  await using kafka = await startKafka({ config: { 'log.cleaner.backoff.ms': '100' } })
  const clock = fakeClock(systemClock.now())
  await waitForCoordinators(kafka.bootstrapServers[0] ?? '')
  const options: BrokerOptions[] = [{ clock }, { clock, storage: { tag: 'folder', path: folder.path } }]
  for (const option of options) {
    await using broker = await startBroker(option)
    await using own = await RawClient.connect(broker.bootstrapServers)
    await using real = await RawClient.connect(kafka.bootstrapServers[0] ?? '')
    const topic = `${TOPIC}-${option.storage?.tag ?? 'memory'}`
    for (const client of [own, real]) await createCompacted(client, topic, DAY_MS)
    const loads = [own, real].map((client) => new CompactionLoad(client, topic, seededRandom(SEED)))
    for (let round = 0; round < 2; round++) {
      for (const load of loads) await load.write(100)
      const before = await readCompacted(own, topic)
      await clock.advance(INTERVAL_MS)
      const after = await readCompacted(own, topic)
      assert.ok(after.length < before.length / 2, `${after.length} of ${before.length} records are left`)
      await eventually('Kafka has the same records', async () => {
        assert.deepEqual(await readCompacted(real, topic), after)
        return true
      })
    }
  }
})
