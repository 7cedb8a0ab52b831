import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logRecord } from '../storage/testing/recorded-topic.ts'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { isRefused, request, started, WORKER_ID, type HerderFixture } from './testing/herder-fixture.ts'

/** A herder with a connector `c` of two tasks, of which the first has failed. */
async function withFailedTask(): Promise<HerderFixture> {
  const fixture = await started()
  const { herder, runner, settle } = fixture
  runner.startsAtOnce = true
  await herder.createConnector(request('c', { 'tasks.max': '2' }))
  await settle()
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.delete('c-0')
  runner.calls.splice(0)
  return fixture
}

function statesOf({ herder }: HerderFixture): unknown {
  const { connector, tasks } = herder.connectorStatus('c')
  return [connector.state, ...tasks.map(({ state }) => state)]
}

test('a restart of the connector alone does not restart its tasks', async () => {
  const fixture = await withFailedTask()
  await fixture.herder.restartConnector('c')
  await fixture.settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', 'FAILED', 'RUNNING'])
  assert.deepEqual(fixture.runner.calls, [])
})

test('a restart starts a connector that could not start before', async () => {
  const fixture = await started()
  const { herder, storage, runner, settle } = fixture
  await storage.configs.putConnector('c', ticksConfig('c'), 'STOPPED')
  await settle()
  // The task configurations cannot be stored.
  storage.configLog.writeError = new Error('no permission')
  storage.configs.apply(logRecord('target-state-c', '{"state":"STARTED"}'))
  await settle()
  assert.equal(herder.connectorStatus('c').connector.state, 'FAILED')
  await herder.restartConnector('c')
  await settle()
  assert.deepEqual([herder.connectorStatus('c').connector.state, [...runner.running]], ['RUNNING', ['c-0']])
})

const plans: readonly (readonly [includeTasks: boolean, onlyFailed: boolean, answer: string[], calls: string[]])[] = [
  [true, false, ['RESTARTING', 'RESTARTING', 'RESTARTING'], ['stop c', 'start c-0', 'start c-1']],
  [true, true, ['RUNNING', 'RESTARTING', 'RUNNING'], ['stop c', 'start c-0']],
  [false, true, ['RUNNING', 'FAILED', 'RUNNING'], []],
]

for (const [includeTasks, onlyFailed, answer, calls] of plans) {
  test(`a restart with includeTasks=${includeTasks} and onlyFailed=${onlyFailed}: ${answer.join(', ')}`, async () => {
    const fixture = await withFailedTask()
    const { herder, runner, settle } = fixture
    const { connector, tasks } = await herder.restartConnectorAndTasks('c', { includeTasks, onlyFailed })
    assert.deepEqual([connector.state, ...tasks.map(({ state }) => state)], answer)
    assert.equal(tasks[0]?.trace, 'trace')
    await settle()
    assert.deepEqual(statesOf(fixture), ['RUNNING', includeTasks ? 'RUNNING' : 'FAILED', 'RUNNING'])
    assert.deepEqual(runner.calls, calls)
  })
}

test('a restarted task is RESTARTING until it runs; other tasks are not affected', async () => {
  const fixture = await withFailedTask()
  const { herder, runner, settle } = fixture
  const stopped = Promise.withResolvers<void>()
  runner.stopping = stopped.promise
  await herder.restartTask('c', 1)
  assert.deepEqual(herder.taskStatus('c', 1), { id: 1, state: 'RESTARTING', worker_id: WORKER_ID, version: null })
  stopped.resolve()
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', 'FAILED', 'RUNNING'])
  assert.deepEqual(runner.calls, ['stop c', 'start c-1'])
  await herder.restartTask('c', 0)
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', 'RUNNING', 'RUNNING'])
  assert.equal(herder.taskStatus('c', 0).trace, undefined)
})

test('a paused or stopped connector stays so when it is restarted; a failed task is then no longer failed', async () => {
  const fixture = await withFailedTask()
  const { herder, runner, settle } = fixture
  await herder.pauseConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', 'FAILED', 'PAUSED'])
  await herder.restartTask('c', 0)
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', 'PAUSED', 'PAUSED'])
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', 'RUNNING', 'RUNNING'])
  await herder.stopConnector('c')
  await settle()
  const { connector, tasks } = await herder.restartConnectorAndTasks('c', { includeTasks: true, onlyFailed: false })
  assert.deepEqual([connector.state, tasks], ['RESTARTING', []])
  await settle()
  assert.deepEqual([statesOf(fixture), [...runner.running]], [['STOPPED'], []])
})

test('restarts of an unknown connector or task are 404 with Connect’s texts', async () => {
  const { herder, storage } = await started()
  const restartAll = { includeTasks: true, onlyFailed: false }
  const unknown = isRefused(404, 'Unknown connector: c')
  await assert.rejects(herder.restartConnector('c'), unknown)
  await assert.rejects(herder.restartConnectorAndTasks('c', restartAll), unknown)
  await assert.rejects(herder.restartTask('c', 0), unknown)
  await herder.createConnector(request('c'))
  await assert.rejects(herder.restartTask('c', 7), isRefused(404, 'Unknown task: c-7'))
  await assert.rejects(herder.restartTask('c', -1), isRefused(404, 'Unknown task: c--1'))
  storage.statuses.remove('c')
  await assert.rejects(
    herder.restartConnectorAndTasks('c', restartAll),
    isRefused(404, 'Status for connector c not found'),
  )
})
