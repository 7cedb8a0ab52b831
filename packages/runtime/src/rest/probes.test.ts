import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { Logins } from './access/logins.ts'
import { HerderGate } from './herder-gate.ts'
import { BLOCKED_AFTER_MS, Probes } from './probes.ts'
import { startRestServer } from './rest-server.ts'
import { MemoryHerder } from './testing/memory-herder.ts'

test('probes need no login, and answer with a word and the status that orchestrators act on', async () => {
  const gate = new HerderGate(
    { version: '', commit: '', kafka_cluster_id: '' },
    'Waiting for the brokers at secret:9092',
  )
  const probes = new Probes(gate)
  const logins = new Logins({ passwords: new Map([['olga', 'pw']]), tokens: new Map(), readOnlyUsers: new Set() })
  const options = { host: '127.0.0.1', port: 0, gate, ownRoutes: probes.routes, logins, logger: silentLogger }
  await using server = await startRestServer(options)
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(server.url + path)
    return `${answer.status} ${await answer.text()}`
  }

  assert.equal(await ask('/health/live'), '200 {"status":"live"}')
  assert.equal(await ask('/health/ready'), '503 {"status":"starting"}')
  gate.open(new MemoryHerder())
  assert.equal(await ask('/health/ready'), '200 {"status":"ready"}')
  const limits: number[] = []
  probes.findBlockedTasks = async (limitMs) => {
    limits.push(limitMs)
    return ['shop-0']
  }
  assert.equal(await ask('/health/live'), '503 {"status":"blocked"}')
  assert.deepEqual(limits, [BLOCKED_AFTER_MS])
  for (const path of ['/health', '/health/liveness', '/connectors']) assert.match(await ask(path), /^401 /, path)
})
