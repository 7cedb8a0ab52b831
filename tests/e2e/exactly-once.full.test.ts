import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  kafkaClient,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { ENABLED } from './exactly-once/kill-at-steps.ts'
import { NOTHING_WRONG, NumberedRows, seenBy } from './exactly-once/numbered-rows.ts'

for (const boundary of ['poll', 'interval', 'connector'] as const) {
  test(`a worker that is killed repeats and loses nothing for a consumer of committed records: ${boundary}`, async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    const schema = uniqueName('exact')
    const rows = await NumberedRows.create(schema)
    await using admin = kafkaClient(bootstrapServers).admin()
    await admin.createTopic({ name: rows.topic, partitions: 3, replicationFactor: 1 })
    await using service = await startService({ bootstrapServers, env: ENABLED })
    const more = {
      'exactly.once.support': 'required',
      'transaction.boundary': boundary,
      'transaction.boundary.interval.ms': '50',
      'snapshot.mode': 'no_data',
    }
    await service.register(
      schema,
      connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more }),
    )
    await service.waitForLog(/Connected to binlog at/)
    await using watcher = await kafkaClient(bootstrapServers).reader({ topic: rows.topic, isolation: 'uncommitted' })
    const written = async (): Promise<number> =>
      [...(await watcher.endOffsets()).values()].reduce((sum, end) => sum + Number(end), 0)
    await rows.insert(40_000)
    for (const part of [5_000, 20_000]) {
      await eventually('records are written', async () => (await written()) > part, { everyMs: 2 })
      await service.kill()
      await rows.insertSingly(200)
      await service.start()
    }
    await eventually(
      'all rows are committed',
      async () => (await seenBy(bootstrapServers, rows.topic, rows.last)).missing.length === 0,
    )
    await service.stop()
    assert.deepEqual(await seenBy(bootstrapServers, rows.topic, rows.last), NOTHING_WRONG)
  })
}
