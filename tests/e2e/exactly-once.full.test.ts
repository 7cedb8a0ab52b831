import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, kafkaClient, useKafka } from '@tributary/testkit'
import { startExactStream } from './exactly-once/exact-stream.ts'
import { NOTHING_WRONG, seenBy } from './exactly-once/numbered-rows.ts'

for (const boundary of ['poll', 'interval', 'connector'] as const) {
  test(`a worker that is killed repeats and loses nothing for a consumer of committed records: ${boundary}`, async () => {
    const { bootstrapServers } = await useKafka()
    const more = { 'transaction.boundary': boundary, 'transaction.boundary.interval.ms': '50' }
    await using stream = await startExactStream({ bootstrapServers, partitions: 3, more })
    const { service, rows } = stream
    await using watcher = await (
      await kafkaClient(bootstrapServers)
    ).reader({ topic: rows.topic, isolation: 'uncommitted' })
    const written = async (): Promise<number> =>
      [...(await watcher.endOffsets()).values()].reduce((sum, end) => sum + Number(end), 0)
    await rows.insert(40_000)
    for (const part of [5_000, 20_000]) {
      await eventually('records are written', async () => (await written()) > part, { everyMs: 2 })
      await service.kill()
      await rows.insertSingly(200)
      await service.start()
    }
    await eventually('all rows are committed', () => stream.isComplete(bootstrapServers))
    await service.stop()
    assert.deepEqual(await seenBy(bootstrapServers, rows.topic, rows.last), NOTHING_WRONG)
  })
}
