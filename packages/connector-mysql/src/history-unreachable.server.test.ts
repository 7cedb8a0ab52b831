import type { OffsetDocument } from '@tributary/connect-api'
import { eventually, fakeClock, freePort, startFaultProxy, useKafka, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

for (const isNew of [true, false]) {
  const what = isNew ? 'a new task' : 'a task with a stored offset'
  test(`${what} whose history brokers are unreachable logs that and retries, however long it takes`, async () => {
    const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
    const stored = isNew ? null : await streamedOffset(scene)
    const [kafka, port, clock] = [await useKafka(), await freePort(), fakeClock()]
    const [host = '', targetPort = ''] = kafka.bootstrapServers[0]?.split(':') ?? []
    const servers = `127.0.0.1:${port}`
    const unreachable = { 'schema.history.internal.kafka.bootstrap.servers': servers }
    await using run = await TaskRun.start(scene, unreachable, stored, { clock })
    let changes: readonly string[] | null = null
    const read = run.untilChanges(1).then((first) => (changes = first))
    const naming = `No Kafka broker at ${servers} (schema.history.internal.kafka.bootstrap.servers)`
    const logged = (): number =>
      run.logger.matching('Cannot begin yet').filter(({ message }) => message.includes(naming)).length

    await eventually('the task has tried twice', async () => {
      await clock.advance(10_000)
      return logged() >= 2
    })

    await using _ = await startFaultProxy({ target: { host, port: Number(targetPort) }, port })
    await eventually('the rows are read', async () => {
      await clock.advance(50)
      return changes !== null
    })
    assert.deepEqual(await read, [isNew ? 'r 1' : 'c 2'])
  })
}

/** The offset of a task that has streamed, before the row 2. */
async function streamedOffset(scene: Scene): Promise<OffsetDocument> {
  await using run = await TaskRun.start(scene, {})
  await run.until(isStreaming)
  assert.ok(run.stored !== null)
  await scene.database.query(`INSERT INTO ${scene.schema}.t VALUES (2)`)
  return run.stored
}
