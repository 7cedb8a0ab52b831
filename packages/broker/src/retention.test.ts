import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { startBroker } from './index.ts'
import { RawClient } from './testing/raw-client.ts'
import { testBatch } from './testing/test-batch.ts'

/** Whether a record of 1970 is still there after a minute, and the retention that the broker reports. */
async function fateOfOldRecord(options: {
  readonly retentionMs?: number
  readonly own?: string
}): Promise<{ readonly firstOffset: bigint | undefined; readonly settings: readonly unknown[] }> {
  const { own, ...more } = options
  const name = 'old'
  const clock = fakeClock()
  await using broker = await startBroker({ ...more, clock })
  await using client = await RawClient.connect(broker.bootstrapServers)
  const configs = own === undefined ? [] : [{ name: 'retention.ms', value: own }]
  await client.send('CreateTopics', 5, {
    topics: [{ name, numPartitions: 1, replicationFactor: 1, configs }],
    timeoutMs: 1_000,
  })
  const records = testBatch({ values: ['of 1970'], hasKeys: false, timestamp: 0 })
  const topicData = [{ name, partitionData: [{ index: 0, records }] }]
  await client.send('Produce', 9, { transactionalId: null, acks: -1, timeoutMs: 1_000, topicData })
  await clock.advance(60_001)
  const asked = [{ name, partitions: [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -2n }] }]
  const earliest = await client.send('ListOffsets', 6, { replicaId: -1, isolationLevel: 0, topics: asked })
  const resources = [
    { resourceType: 2, resourceName: name, configurationKeys: ['retention.ms'] },
    { resourceType: 4, resourceName: '1', configurationKeys: ['log.retention.ms'] },
  ]
  const described = await client.send('DescribeConfigs', 4, { resources, includeSynonyms: false })
  const settings = described.results.map((result) =>
    result.configs?.map(({ value, configSource }) => [value, configSource]),
  )
  return { firstOffset: earliest.topics[0]?.partitions[0]?.offset, settings }
}

// ConfigSource of Kafka: 1 is set for the topic, 4 by the start of the broker, 5 is the default.

test('by default a record is deleted after seven days, as by Kafka', async () => {
  const { firstOffset, settings } = await fateOfOldRecord({})
  assert.equal(firstOffset, 1n)
  assert.deepEqual(settings, [[['604800000', 5]], [['604800000', 5]]])
})

test('a broker may keep records without limit, except of topics with a limit of their own', async () => {
  const kept = await fateOfOldRecord({ retentionMs: Infinity })
  assert.equal(kept.firstOffset, 0n)
  assert.deepEqual(kept.settings, [[['-1', 4]], [['-1', 4]]])
  const deleted = await fateOfOldRecord({ retentionMs: Infinity, own: '1000' })
  assert.equal(deleted.firstOffset, 1n)
  assert.deepEqual(deleted.settings, [[['1000', 1]], [['-1', 4]]])
})
