import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { isRefused, request, started } from './testing/herder-fixture.ts'

test('a patch changes, adds and removes single properties; the tasks restart with the result', async () => {
  const { herder, runner, settle } = await started()
  await herder.createConnector(request('c', { 'interval.ms': '5', extra: 'x' }))
  await settle()
  const { config, tasks } = await herder.patchConnectorConfig('c', {
    'interval.ms': '7',
    added: 'y',
    extra: null,
    unknown: null,
  })
  const outcome = ticksConfig('c', { 'interval.ms': '7', added: 'y' })
  assert.deepEqual([config, tasks], [outcome, [{ connector: 'c', task: 0 }]])
  await settle()
  assert.deepEqual(herder.connectorConfig('c'), outcome)
  assert.equal(runner.starts.at(-1)?.config['interval.ms'], '7')
})

test('a patch with an invalid result, or for an unknown connector, changes nothing', async () => {
  const { herder } = await started()
  await herder.createConnector(request('c'))
  await assert.rejects(
    herder.patchConnectorConfig('c', { 'tasks.max': '0' }),
    isRefused(400, /Value must be at least 1/),
  )
  await assert.rejects(
    herder.patchConnectorConfig('c', { 'connector.class': null }),
    isRefused(400, /no connector type/),
  )
  await assert.rejects(herder.patchConnectorConfig('d', {}), isRefused(404, 'Connector d not found'))
  assert.deepEqual(herder.connectorConfig('c'), ticksConfig('c'))
})

test('simultaneous patches do not undo each other', async () => {
  const { herder } = await started()
  await herder.createConnector(request('c'))
  await Promise.all([
    herder.patchConnectorConfig('c', { one: '1' }),
    herder.patchConnectorConfig('c', { two: '2' }),
    herder.patchConnectorConfig('c', { three: '3' }),
  ])
  assert.deepEqual(herder.connectorConfig('c'), ticksConfig('c', { one: '1', two: '2', three: '3' }))
})
