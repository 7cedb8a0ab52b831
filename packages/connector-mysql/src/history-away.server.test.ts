import { eventually, fakeClock, freePort, startFaultProxy, useKafka, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneOf, TaskRun } from './testing/task-run.ts'

test('brokers of the history that are away when a task begins are told and waited for, however long', async () => {
  const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
  const [kafka, port, clock] = [await useKafka(), await freePort(), fakeClock()]
  const [host = '', targetPort = ''] = kafka.bootstrapServers[0]?.split(':') ?? []
  const servers = `127.0.0.1:${port}`
  const away = { 'schema.history.internal.kafka.bootstrap.servers': servers }
  await using run = await TaskRun.start(scene, away, null, clock)
  let changes: readonly string[] | null = null
  const read = run.untilChanges(1).then((first) => (changes = first))
  const naming = `No Kafka broker at ${servers}, as schema.history.internal.kafka.bootstrap.servers says`
  const told = (): number =>
    run.logger.matching('Cannot begin yet').filter(({ message }) => message.includes(naming)).length

  await eventually('it has been tried twice', async () => {
    await clock.advance(10_000)
    return told() >= 2
  })

  await using _ = await startFaultProxy({ target: { host, port: Number(targetPort) }, port })
  await eventually('the snapshot is read', async () => {
    await clock.advance(50)
    return changes !== null
  })
  assert.deepEqual(await read, ['r 1'])
})
