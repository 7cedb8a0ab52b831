import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import { fakeClock, seededRandom, temporaryFolder, type FakeClock } from '@tributary/testkit'
import { startBroker, type BrokerOptions } from './shell/start-broker.ts'
import { CompactionLoad, createCompacted, readCompacted, type SeenRecord } from './testing/compaction-load.ts'
import { RawClient } from './testing/raw-client.ts'

const SEED = 7
const DAY_MS = 86_400_000
const TOPIC = 'compacted'
/** How often the broker looks for something to compact. */
const INTERVAL_MS = 60_000

test('a tombstone is removed delete.retention.ms after the first run that has read it, and not earlier', async () => {
  const clock = fakeClock(systemClock.now())
  await using broker = await startBroker({ clock })
  await using client = await RawClient.connect(broker.bootstrapServers)
  await createCompacted(client, TOPIC, DAY_MS)
  const load = new CompactionLoad(client, TOPIC, seededRandom(SEED))
  const offsets = async (): Promise<readonly number[]> => (await readCompacted(client, TOPIC)).map(([offset]) => offset)
  await load.write(100)
  await clock.advance(INTERVAL_MS)
  const records = await readCompacted(client, TOPIC)
  const isNewest = ([at, key]: SeenRecord): boolean => !records.some(([later, other]) => later > at && other === key)
  const tombstone = records.find((record) => record[2] === null && isNewest(record))?.[0]
  assert.ok(tombstone !== undefined)
  const others = new CompactionLoad(client, TOPIC, seededRandom(SEED), 'other')
  await others.write(60)
  await clock.advance(INTERVAL_MS)
  assert.ok((await offsets()).includes(tombstone), 'too new')
  await clock.advance(DAY_MS)
  assert.ok((await offsets()).includes(tombstone), 'nothing new to compact')
  await others.write(60)
  await clock.advance(INTERVAL_MS)
  assert.ok(!(await offsets()).includes(tombstone), 'a day later')
})

test('a compacted folder has the same records after a restart and after an end in the middle', async () => {
  await using folder = temporaryFolder('compaction')
  const storage = { tag: 'folder', path: folder.path } as const
  const clock = fakeClock(systemClock.now())
  const before = await compactedRecords(clock, storage, async (client) => {
    await new CompactionLoad(client, TOPIC, seededRandom(SEED)).write(100)
  })
  const topics = join(folder.path, 'topics')
  const partition = join(topics, readdirSync(topics)[0] ?? '', '0')
  const compacted = readdirSync(partition).filter((name) => name.endsWith('.compacted'))
  assert.ok(compacted.length > 1)
  // What a process leaves that ends before it has removed the old file, and one that has not finished the new one.
  const [first = '', second = ''] = compacted
  copyFileSync(join(partition, first), join(partition, first.replace('.compacted', '.log')))
  writeFileSync(join(partition, second.replace('.compacted', '.compacting')), 'the beginning of')
  assert.deepEqual(await compactedRecords(clock, storage), before)
  assert.equal(readdirSync(partition).filter((name) => name.endsWith('.compacting')).length, 0)
})

/** What a broker of the folder has after a run of compaction. */
async function compactedRecords(
  clock: FakeClock,
  storage: NonNullable<BrokerOptions['storage']>,
  fill?: (client: RawClient) => Promise<void>,
): Promise<readonly SeenRecord[]> {
  await using broker = await startBroker({ clock, storage })
  await using client = await RawClient.connect(broker.bootstrapServers)
  if (fill !== undefined) {
    await createCompacted(client, TOPIC, DAY_MS)
    await fill(client)
    await clock.advance(INTERVAL_MS)
  }
  const records = await readCompacted(client, TOPIC)
  return records
}
