import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { isRefused, request, restarted, started, type HerderFixture } from './testing/herder-fixture.ts'

/** State of the connector, states of its tasks, tasks that run. */
function statesOf({ herder, runner }: HerderFixture): unknown {
  const { connector, tasks } = herder.connectorStatus('c')
  return [connector.state, tasks.map(({ state }) => state), [...runner.running]]
}

/** A herder with a connector `c` whose tasks run. */
async function withRunningConnector(tasksMax = 1): Promise<HerderFixture> {
  const fixture = await started()
  fixture.runner.startsAtOnce = true
  await fixture.herder.createConnector(request('c', { 'tasks.max': String(tasksMax) }))
  await fixture.settle()
  return fixture
}

test('a paused connector keeps its tasks without running them; a resumed one runs them again', async () => {
  const fixture = await withRunningConnector()
  const { herder, settle } = fixture
  await herder.pauseConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', ['PAUSED'], []])
  assert.equal(herder.connectorInfo('c').tasks.length, 1)
  await herder.pauseConnector('c')
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', ['RUNNING'], ['c-0']])
})

test('a stopped connector has no tasks, also after a pause, until it is resumed', async () => {
  const fixture = await withRunningConnector()
  const { herder, storage, settle } = fixture
  await herder.stopConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['STOPPED', [], []])
  assert.deepEqual([herder.connectorInfo('c').tasks, herder.taskInfos('c')], [[], []])
  assert.deepEqual(storage.configLog.records.slice(-2), [
    { key: 'commit-c', value: '{"tasks":0}' },
    { key: 'target-state-c', value: '{"state":"PAUSED","state.v2":"STOPPED"}' },
  ])
  assert.throws(() => herder.taskStatus('c', 0), isRefused(404, 'No status found for task c-0'))
  await herder.pauseConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', [], []])
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', ['RUNNING'], ['c-0']])
  assert.equal(herder.connectorInfo('c').tasks.length, 1)
})

test('a task that failed for good stays FAILED through pause and resume; the others continue', async () => {
  const fixture = await withRunningConnector(2)
  const { herder, runner, settle } = fixture
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.delete('c-0')
  await herder.pauseConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', ['FAILED', 'PAUSED'], []])
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', ['FAILED', 'RUNNING'], ['c-1']])
})

test('a stop and a resume at once start all tasks again, also one that failed for good', async () => {
  const fixture = await withRunningConnector(2)
  const { herder, runner, settle } = fixture
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.delete('c-0')
  await Promise.all([herder.stopConnector('c'), herder.resumeConnector('c')])
  await settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', ['RUNNING', 'RUNNING'], ['c-0', 'c-1']])
  assert.deepEqual(runner.calls.slice(-2), ['start c-0', 'start c-1'])
})

test('a resume of a running connector changes nothing', async () => {
  const { herder, runner, settle } = await withRunningConnector()
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(runner.calls, ['start c-0'])
})

test('a configuration stored during a pause takes effect with the resume', async () => {
  const fixture = await withRunningConnector()
  const { herder, storage, runner, settle } = fixture
  await herder.pauseConnector('c')
  await storage.configs.putConnector('c', ticksConfig('c', { 'interval.ms': '5' }), null)
  await settle()
  assert.deepEqual(statesOf(fixture), ['PAUSED', ['PAUSED'], []])
  await herder.resumeConnector('c')
  await settle()
  assert.equal(runner.starts.at(-1)?.config['interval.ms'], '5')
})

test('a paused or stopped connector stays so in the next worker', async () => {
  for (const state of ['PAUSED', 'STOPPED']) {
    const first = await withRunningConnector()
    await (state === 'PAUSED' ? first.herder.pauseConnector('c') : first.herder.stopConnector('c'))
    await first.settle()
    const second = await restarted(first)
    assert.deepEqual(statesOf(second), [state, state === 'PAUSED' ? ['PAUSED'] : [], []])
  }
})

test('an unknown connector cannot be paused, resumed or stopped; a failed write changes nothing', async () => {
  const { herder } = await started(new MemoryStorage(captureLogger()))
  const unknown = isRefused(404, 'Unknown connector c')
  await assert.rejects(herder.pauseConnector('c'), unknown)
  await assert.rejects(herder.resumeConnector('c'), unknown)
  await assert.rejects(herder.stopConnector('c'), unknown)

  const fixture = await withRunningConnector()
  fixture.storage.configLog.writeError = new Error('TOPIC_AUTHORIZATION_FAILED')
  await assert.rejects(fixture.herder.pauseConnector('c'), isRefused(500, /\(TOPIC_AUTHORIZATION_FAILED\)\.$/))
  await fixture.settle()
  assert.deepEqual(statesOf(fixture), ['RUNNING', ['RUNNING'], ['c-0']])
})
