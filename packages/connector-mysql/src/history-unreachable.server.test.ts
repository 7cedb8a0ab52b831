import { eventually, fakeClock, freePort, startFaultProxy, useKafka, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneOf, TaskRun } from './testing/task-run.ts'

test('a task whose history brokers are unreachable at its start logs that and retries, however long it takes', async () => {
  const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
  const [kafka, port, clock] = [await useKafka(), await freePort(), fakeClock()]
  const [host = '', targetPort = ''] = kafka.bootstrapServers[0]?.split(':') ?? []
  const servers = `127.0.0.1:${port}`
  const unreachable = { 'schema.history.internal.kafka.bootstrap.servers': servers }
  await using run = await TaskRun.start(scene, unreachable, null, clock)
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
  await eventually('the snapshot is read', async () => {
    await clock.advance(50)
    return changes !== null
  })
  assert.deepEqual(await read, ['r 1'])
})
