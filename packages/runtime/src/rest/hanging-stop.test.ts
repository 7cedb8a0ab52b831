import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn, silentLogger } from '@tributary/support'
import { HerderGate } from './herder-gate.ts'
import { startRestServer } from './rest-server.ts'
import { startReplayWorker } from './testing/replay-herder.ts'

const config = { 'connector.class': 'io.debezium.connector.mysql.MySqlConnector' }
const headers = { 'content-type': 'application/json' }

// Without this limit, a request that waits for the hanging stop would fail only at the time-out of the test runner.
const limits = { timeout: 60_000 }

test('requests for other connectors take effect while the stop of one connector hangs', limits, async () => {
  const { herder, runner, storage } = await startReplayWorker()
  await using server = await startRestServer({
    host: '127.0.0.1',
    port: 0,
    gate: HerderGate.opened(herder),
    logger: silentLogger,
  })
  const send = async (method: string, path: string, body?: unknown): Promise<number> => {
    const answer = await fetch(server.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const names = ['hanging', 'b', 'c', 'd']
  for (const name of names) assert.equal(await send('PUT', `/connectors/${name}/config`, config), 201)
  const hang = Promise.withResolvers<void>()
  runner.stoppingOf.set('hanging', hang.promise)
  assert.equal(await send('PUT', '/connectors/hanging/stop'), 204)
  // Another request for the same connector waits for its turn.
  let isPaused = false
  const pausing = send('PUT', '/connectors/hanging/pause').then((status) => {
    isPaused = true
    return status
  })

  const statuses: number[] = []
  for (const round of [1, 2, 3]) {
    for (const name of names.slice(1)) {
      statuses.push(await send('PUT', `/connectors/${name}/config`, { ...config, round: String(round) }))
      statuses.push(await send('PUT', `/connectors/${name}/pause`))
      statuses.push(await send('PUT', `/connectors/${name}/resume`))
      statuses.push(await send('GET', `/connectors/${name}/status`))
      statuses.push(await send('POST', `/connectors/${name}/restart?includeTasks=true`))
    }
  }
  statuses.push(await send('GET', '/connectors/hanging/status'))
  statuses.push(await send('DELETE', '/connectors/d'))
  assert.deepEqual(
    [...new Set(statuses)].sort((a, b) => a - b),
    [200, 202, 204],
  )
  await nextTurn()
  assert.deepEqual([...runner.running].sort(), ['b-0', 'c-0', 'hanging-0'])
  assert.deepEqual([runner.starts.at(-1)?.config['round'], isPaused, storage.configs.get('d')], ['3', false, null])
  assert.equal(herder.connectorStatus('hanging').connector.state, 'RUNNING')

  hang.resolve()
  assert.equal(await pausing, 202)
  await herder.stop(1_000)
})
