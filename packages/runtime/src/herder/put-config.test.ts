import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TICKS_CLASS, ticksConfig } from '../testing/ticks-plugin.ts'
import { isRefused, request, started } from './testing/herder-fixture.ts'

test('a configuration creates the connector, or replaces that of an existing one', async () => {
  const { herder, runner, settle } = await started()
  runner.startsAtOnce = true
  const first = await herder.putConnectorConfig('c', ticksConfig('c'))
  assert.deepEqual(first, { isNew: true, info: { name: 'c', config: ticksConfig('c'), tasks: [], type: 'source' } })
  await settle()
  const config = ticksConfig('c', { 'interval.ms': '5' })
  const tasks = [{ connector: 'c', task: 0 }]
  const second = await herder.putConnectorConfig('c', config)
  assert.deepEqual(second, { isNew: false, info: { name: 'c', config, tasks, type: 'source' } })
  await settle()
  assert.deepEqual(herder.connectorConfig('c'), config)
  assert.deepEqual(
    runner.starts.map((start) => start.config['interval.ms']),
    ['1000', '5'],
  )
  assert.deepEqual(runner.calls, ['start c-0', 'stop c', 'start c-0'])
  assert.equal(herder.taskStatus('c', 0).state, 'RUNNING')
})

test('tasks that stop to restart with another configuration are UNASSIGNED, not RUNNING or FAILED', async () => {
  const { herder, runner, settle } = await started()
  runner.startsAtOnce = true
  await herder.createConnector(request('c', { 'tasks.max': '2' }))
  await settle()
  runner.listener.onFailed('c', 1, { trace: 'trace', isRetriable: false })
  runner.running.delete('c-1')
  const states = (): readonly string[] => herder.connectorStatus('c').tasks.map(({ state }) => state)
  assert.deepEqual(states(), ['RUNNING', 'FAILED'])
  const stopped = Promise.withResolvers<void>()
  runner.stopping = stopped.promise
  await herder.putConnectorConfig('c', ticksConfig('c', { 'tasks.max': '2', 'interval.ms': '5' }))
  await settle()
  assert.deepEqual([runner.calls.at(-1), states()], ['stop c', ['UNASSIGNED', 'UNASSIGNED']])
  stopped.resolve()
  await settle()
  assert.deepEqual(states(), ['RUNNING', 'RUNNING'])
})

test('a failed task restarts with another configuration, but not with the same one', async () => {
  const { herder, runner, settle } = await started()
  runner.startsAtOnce = true
  await herder.createConnector(request('c'))
  await settle()
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.clear()
  await herder.putConnectorConfig('c', ticksConfig('c'))
  await settle()
  assert.equal(herder.taskStatus('c', 0).state, 'FAILED')
  await herder.putConnectorConfig('c', ticksConfig('c', { 'interval.ms': '5' }))
  await settle()
  assert.equal(herder.taskStatus('c', 0).state, 'RUNNING')
})

test('another configuration leaves a paused connector paused and a stopped one stopped', async () => {
  for (const initialState of ['PAUSED', 'STOPPED'] as const) {
    const { herder, storage, runner, settle } = await started()
    await herder.createConnector({ ...request('c'), initialState })
    await herder.putConnectorConfig('c', ticksConfig('c', { 'interval.ms': '5' }))
    await settle()
    assert.deepEqual([herder.connectorStatus('c').connector.state, runner.starts], [initialState, []])
    assert.equal(storage.configs.get('c')?.targetState, initialState)
  }
})

test('an invalid configuration changes nothing', async () => {
  const { herder, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  await assert.rejects(
    herder.putConnectorConfig('c', { 'connector.class': TICKS_CLASS, name: 'c', 'interval.ms': 'soon' }),
    isRefused(400, /Invalid value soon for configuration interval\.ms: Not a number of type INT/),
  )
  await settle()
  assert.deepEqual([herder.connectorConfig('c'), runner.starts.length], [ticksConfig('c'), 1])
})

test('a connector that could not start starts with a correct configuration', async () => {
  const { herder, storage, runner, settle } = await started()
  await storage.configs.putConnector('c', { 'connector.class': 'com.example.No', name: 'c' }, null)
  await settle()
  assert.equal(herder.connectorStatus('c').connector.state, 'FAILED')
  await herder.putConnectorConfig('c', ticksConfig('c'))
  await settle()
  assert.deepEqual([herder.connectorStatus('c').connector.state, [...runner.running]], ['RUNNING', ['c-0']])
})
