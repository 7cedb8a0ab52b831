/**
 * Workers of one group share the connectors, and take over from each other. On Apache Kafka in every tier, whose
 * coordinator decides who is a member.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useMySql, useRealKafka } from '@tributary/testkit'
import { Crew } from './workers/crew.ts'

/** The shortest session that brokers allow by default. */
const SESSION_MS = 6_000
const SHORT_SESSION = {
  CONNECT_SESSION_TIMEOUT_MS: String(SESSION_MS),
  CONNECT_HEARTBEAT_INTERVAL_MS: '1000',
}

test('two workers share the connectors; one takes over when the other is killed, and when it stops', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useRealKafka()])
  await using crew = await Crew.start({ database, bootstrapServers, workers: 2, connectors: 2, env: SHORT_SESSION })
  const [first, second] = [crew.worker(0), crew.worker(1)]
  const isShared = async (): Promise<boolean> => {
    const counts = await crew.tasksByWorker()
    return counts[first.workerId] === 1 && counts[second.workerId] === 1
  }
  await eventually('each runs one task', isShared, { timeoutMs: 30_000 })
  for (const name of crew.connectors) {
    // Both answer the same, and execute what only the other one can: one is the leader, and each has one connector.
    assert.deepEqual(await crew.status(name, second), await crew.status(name, first))
    for (const worker of crew.workers) {
      const config = { ...crew.config(name), 'max.batch.size': String(1 + (worker.port % 2_000)) }
      assert.equal((await worker.rest('PUT', `/connectors/${name}/config`, config)).status, 200)
      assert.deepEqual((await worker.rest('GET', `/connectors/${name}/config`)).json, { ...config, name })
      assert.equal((await worker.rest('POST', `/connectors/${name}/tasks/0/restart`)).status, 204)
    }
  }
  await crew.untilStreaming()
  for (const name of crew.connectors) await knowTheSame(name, crew)

  const log = first.log.length
  const killedMs = performance.now()
  await second.kill()
  await first.waitForLog(/Starting task /, log)
  const seconds = (performance.now() - killedMs) / 1000
  assert.ok(seconds < SESSION_MS / 1000 + 5, `${seconds} s`)
  await crew.untilStreaming()
  assert.deepEqual(await crew.tasksByWorker(), { [first.workerId]: 2 })

  await second.start()
  await eventually('the returned worker has its share', isShared, { timeoutMs: 30_000 })
  const [logOfFirst, logOfSecond] = [first.log.length, second.log.length]
  await first.stop()
  // Nothing waits for the session of a worker that has left.
  const leftMs = performance.now()
  await second.waitForLog(/Starting task /, logOfSecond)
  const waited = (performance.now() - leftMs) / 1000
  assert.ok(waited < SESSION_MS / 1000 / 2, `${waited} s`)
  assert.doesNotMatch(first.log.slice(logOfFirst), /ERROR/)
  await crew.untilStreaming()
  assert.deepEqual(await crew.tasksByWorker(second), { [second.workerId]: 2 })
  for (const [name, { missing, doubleWriters }] of crew.audit()) {
    assert.deepEqual(missing, [], name)
    assert.deepEqual(doubleWriters, [], name)
  }
})

/** Both answer about what only the one knows that runs the task: first and second, in turn. */
async function knowTheSame(name: string, crew: Crew): Promise<void> {
  const ask = async (path: string): Promise<readonly unknown[]> =>
    Promise.all(crew.workers.map(async (worker) => (await worker.rest('GET', `/connectors/${name}/${path}`)).json))
  await eventually(`both know the tables of ${name}`, async () => {
    const [tables, others] = await ask('tables')
    assert.deepEqual(tables, others)
    return (tables as { readonly tables: readonly unknown[] }).tables.length > 0
  })
  const started = await crew.worker(0).rest('POST', `/connectors/${name}/verifications`, {})
  assert.equal(started.status, 201, started.text)
  const { id } = started.json as { readonly id: string }
  for (const found of await ask(`verifications/${id}`)) assert.equal((found as { readonly id: string }).id, id)
  assert.equal((await crew.worker(1).rest('DELETE', `/connectors/${name}/verifications/${id}`)).status, 204)
}
