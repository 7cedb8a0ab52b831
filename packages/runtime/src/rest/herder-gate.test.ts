import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHandlers } from './handlers.ts'
import { HerderGate } from './herder-gate.ts'
import { RequestError } from './request-error.ts'
import type { RestRequest } from './rest-answer.ts'
import { MemoryHerder } from './testing/memory-herder.ts'

const info = { version: '4.3.1', commit: 'abc', kafka_cluster_id: '' }
const config = { 'connector.class': 'io.debezium.connector.mysql.MySqlConnector', name: 'c' }

/** A request for the operations without an entry in `bodies`. */
const request: RestRequest = {
  parameters: { connector: 'c', task: '0', plugin: 'MySqlConnector', logger: 'root' },
  query: new URLSearchParams(),
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ name: 'c', config })),
  role: 'full',
}
const bodies: Readonly<Record<string, unknown>> = {
  putConnectorConfig: config,
  patchConnectorConfig: config,
  validateConfig: config,
  putLogger: { level: 'INFO' },
  alterOffsets: { offsets: [{ partition: { server: 's' }, offset: null }] },
}

test('while the worker starts, the health names the step, and every other request is refused with 503', async () => {
  const gate = new HerderGate(info, 'Waiting for the brokers at broker:9092')
  const { getHealth, getServerInfo, ...others } = createHandlers(gate)
  const message = 'Worker is still starting up. Waiting for the brokers at broker:9092'
  assert.deepEqual(await getHealth(request), { status: 503, document: { status: 'starting', message } })
  assert.deepEqual(await getServerInfo(request), { status: 200, document: info })
  for (const [name, handle] of Object.entries(others)) {
    const body = bodies[name] === undefined ? request.body : Buffer.from(JSON.stringify(bodies[name]))
    await assert.rejects(
      async () => handle({ ...request, body }),
      (error) => error instanceof RequestError && error.status === 503 && error.message === message,
      name,
    )
  }
  assert.equal(Object.keys(others).length, 34)
  gate.stage = 'Reading the internal topics'
  assert.equal(gate.health.message, 'Worker is still starting up. Reading the internal topics')
})

test('an open gate passes requests to the herder', async () => {
  const gate = new HerderGate(info, 'Waiting')
  const herder = new MemoryHerder()
  gate.open(herder)
  const { createConnector, getHealth, getServerInfo } = createHandlers(gate)
  await createConnector(request)
  assert.deepEqual(herder.connectorNames(), ['c'])
  assert.deepEqual(await getHealth(request), { status: 200, document: herder.health() })
  assert.deepEqual(await getServerInfo(request), { status: 200, document: herder.serverInfo() })
})
