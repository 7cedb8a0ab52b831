/** Workers of one group share the connectors, and take over from each other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useKafka, useMySql } from '@tributary/testkit'
import { Crew, idOfWorker } from './workers/crew.ts'

/** The shortest session that brokers allow by default. */
const SESSION_MS = 6_000
const SHORT_SESSION = {
  CONNECT_SESSION_TIMEOUT_MS: String(SESSION_MS),
  CONNECT_HEARTBEAT_INTERVAL_MS: '1000',
}

test('two workers share the connectors; one takes over when the other is killed, and when it stops', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using crew = await Crew.start({ database, bootstrapServers, workers: 2, connectors: 4, env: SHORT_SESSION })
  const [first, second] = [crew.worker(0), crew.worker(1)]
  const isShared = async (): Promise<boolean> => {
    const counts = await crew.tasksByWorker()
    return counts[idOfWorker(first)] === 2 && counts[idOfWorker(second)] === 2
  }
  await eventually('each runs two tasks', isShared, { timeoutMs: 30_000 })
  // Both answer the same about all connectors.
  for (const name of crew.connectors) assert.deepEqual(await crew.status(name, second), await crew.status(name, first))

  const killedMs = performance.now()
  await second.kill()
  await crew.untilStreaming()
  const seconds = (performance.now() - killedMs) / 1000
  assert.ok(seconds < SESSION_MS / 1000 + 5, `${seconds} s`)
  assert.deepEqual(await crew.tasksByWorker(), { [idOfWorker(first)]: 4 })

  await second.start()
  await eventually('the returned worker has its share', isShared, { timeoutMs: 30_000 })
  const log = first.log.length
  await first.stop()
  assert.doesNotMatch(first.log.slice(log), /ERROR/)
  // Nothing waits for the session of a worker that has left.
  const handedOver = await crew.untilStreaming()
  assert.ok(handedOver < SESSION_MS / 1000, `${handedOver} s`)
  assert.deepEqual(await crew.tasksByWorker(second), { [idOfWorker(second)]: 4 })
  for (const [name, { missing }] of crew.audit()) assert.deepEqual(missing, [], name)
})
