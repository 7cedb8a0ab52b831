import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { request, started, type HerderFixture } from './testing/herder-fixture.ts'

/** A herder with a connector `c` whose task has failed with a retriable error. */
async function withRetriableFailure(): Promise<HerderFixture> {
  const fixture = await started()
  fixture.runner.startsAtOnce = true
  await fixture.herder.createConnector(request('c'))
  await fixture.settle()
  fail(fixture)
  fixture.runner.calls.splice(0)
  return fixture
}

function fail({ runner }: HerderFixture, hasAdvanced = false): void {
  runner.listener.onFailed('c', 0, { trace: 'the database is down', isRetriable: true, hasAdvanced })
  runner.running.delete('c-0')
}

function taskState({ herder }: HerderFixture): unknown {
  const { state, trace } = herder.taskStatus('c', 0)
  return trace === undefined ? state : [state, trace]
}

test('a retriable failure is FAILED with its trace until the task starts again by itself', async () => {
  const fixture = await withRetriableFailure()
  assert.deepEqual(taskState(fixture), ['FAILED', 'the database is down'])
  await fixture.clock.advance(3_900)
  assert.deepEqual([taskState(fixture), fixture.runner.calls], [['FAILED', 'the database is down'], []])
  await fixture.clock.advance(1_100)
  assert.deepEqual([taskState(fixture), fixture.runner.calls], ['RUNNING', ['stop c', 'start c-0']])
})

test('the delay grows with each failure, up to five minutes, and is the first again after a long run that advanced', async () => {
  const fixture = await withRetriableFailure()
  const { clock, runner } = fixture
  for (const delayMs of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
    runner.calls.splice(0)
    // A fifth of each delay is random.
    await clock.advance(delayMs * 0.8 - 1)
    assert.deepEqual(runner.calls, [], `before ${delayMs}`)
    await clock.advance(delayMs * 0.2 + 1)
    assert.deepEqual(runner.calls, ['stop c', 'start c-0'], `after ${delayMs}`)
    fail(fixture)
  }
  await clock.advance(300_000)
  await clock.advance(300_000)
  runner.calls.splice(0)
  fail(fixture, true)
  await clock.advance(5_000)
  assert.deepEqual(runner.calls, ['stop c', 'start c-0'])
})

test('a long run that would be repeated from its beginning, as a snapshot, does not end the row', async () => {
  const fixture = await started()
  const { herder, clock, runner, settle, logger } = fixture
  runner.startsAtOnce = true
  await herder.createConnector(request('c', { 'errors.max.retries': '2' }))
  await settle()
  for (const delayMs of [5_000, 10_000]) {
    await clock.advance(3_600_000)
    fail(fixture)
    runner.calls.splice(0)
    await clock.advance(delayMs * 0.8 - 1)
    assert.deepEqual(runner.calls, [], `before ${delayMs}`)
    await clock.advance(delayMs * 0.2 + 1)
    assert.deepEqual(runner.calls, ['stop c', 'start c-0'], `after ${delayMs}`)
  }
  await clock.advance(3_600_000)
  fail(fixture)
  assert.equal(logger.matching('errors.max.retries is reached').length, 1)
})

test('only the run that fails counts as a long run, not an earlier one and the pause after it', async () => {
  const fixture = await withRetriableFailure()
  const { herder, clock, runner, settle } = fixture
  await clock.advance(5_000)
  fail(fixture)
  await clock.advance(10_000)
  await herder.pauseConnector('c')
  await settle()
  await clock.advance(300_000)
  runner.startsAtOnce = false
  await herder.resumeConnector('c')
  await settle()
  fail(fixture, true)
  runner.calls.splice(0)
  await clock.advance(20_000 * 0.8 - 1)
  assert.deepEqual(runner.calls, [])
  await clock.advance(20_000 * 0.2 + 1)
  assert.deepEqual(runner.calls, ['stop c', 'start c-0'])
})

const acts: readonly (readonly [act: string, run: (fixture: HerderFixture) => Promise<unknown>, state: unknown])[] = [
  ['a restart', ({ herder }) => herder.restartTask('c', 0), 'RUNNING'],
  ['another configuration', ({ herder }) => herder.putConnectorConfig('c', ticksConfig('c', { x: 'y' })), 'RUNNING'],
  ['a pause', ({ herder }) => herder.pauseConnector('c'), 'PAUSED'],
  ['a stop', ({ herder }) => herder.stopConnector('c'), null],
  ['a deletion', ({ herder }) => herder.deleteConnector('c'), null],
]

for (const [act, run, state] of acts) {
  test(`${act} cancels the retry`, async () => {
    const fixture = await withRetriableFailure()
    await run(fixture)
    await fixture.settle()
    assert.deepEqual(fixture.storage.statuses.tasks('c')[0]?.[1].state ?? null, state)
    const calls = [...fixture.runner.calls]
    assert.equal(fixture.clock.pending, 0)
    await fixture.clock.advance(300_000)
    assert.deepEqual(fixture.runner.calls, calls)
  })
}

for (const [act, run] of acts.slice(0, 2)) {
  test(`after ${act} the first failure is the first of a row: the delays and errors.max.retries begin anew`, async () => {
    const fixture = await started()
    const { herder, clock, runner, settle } = fixture
    runner.startsAtOnce = true
    await herder.createConnector(request('c', { 'errors.max.retries': '1' }))
    await settle()
    fail(fixture)
    await clock.advance(5_000)
    fail(fixture)
    assert.equal(fixture.logger.matching('errors.max.retries is reached').length, 1)
    if (act === 'a restart') await run(fixture)
    else await herder.putConnectorConfig('c', ticksConfig('c', { 'errors.max.retries': '1', x: 'y' }))
    await settle()
    fail(fixture)
    runner.calls.splice(0)
    await clock.advance(5_000)
    assert.deepEqual(runner.calls, ['stop c', 'start c-0'])
  })
}

test('a pause while a retry is pending forgets the failure: the resumed task runs', async () => {
  const fixture = await withRetriableFailure()
  await fixture.herder.pauseConnector('c')
  await fixture.herder.resumeConnector('c')
  await fixture.settle()
  assert.equal(taskState(fixture), 'RUNNING')
})

test('the same configuration again leaves the retry as it is', async () => {
  const fixture = await withRetriableFailure()
  await fixture.herder.putConnectorConfig('c', ticksConfig('c'))
  await fixture.settle()
  assert.deepEqual([taskState(fixture), fixture.runner.calls], [['FAILED', 'the database is down'], []])
  await fixture.clock.advance(5_000)
  assert.equal(taskState(fixture), 'RUNNING')
})

test('a worker that stops retries nothing more', async () => {
  const fixture = await withRetriableFailure()
  await fixture.herder.stop(1_000)
  await fixture.clock.advance(300_000)
  assert.deepEqual(fixture.runner.calls, ['stop all'])
  assert.equal(fixture.storage.statuses.tasks('c')[0]?.[1].state, 'FAILED')
})

test('the next start knows what the brokers have refused as too large, so that it asks them about such records', async () => {
  const fixture = await started()
  const { herder, clock, runner, settle } = fixture
  runner.startsAtOnce = true
  await herder.createConnector(request('c'))
  await settle()
  const refused = { topic: 'orders', bytes: 700_000 }
  runner.listener.onFailed('c', 0, { trace: 'too large', isRetriable: true, refused })
  runner.running.delete('c-0')
  await clock.advance(5_000)
  assert.deepEqual(
    runner.starts.map(({ refusedBytes }) => refusedBytes),
    [{}, { orders: 700_000 }],
  )
})

test('errors.max.retries may be a reference: its value comes with the failure', async () => {
  const fixture = await started()
  const { herder, clock, runner, settle, logger } = fixture
  runner.startsAtOnce = true
  await herder.createConnector(request('c'))
  await settle()
  const retryProperties = { 'errors.max.retries': '0' }
  runner.listener.onFailed('c', 0, { trace: 'x', isRetriable: true, retryProperties })
  await clock.advance(300_000)
  assert.deepEqual([runner.starts.length, logger.matching('errors.max.retries is reached').length], [1, 1])
})

test('the end of a thread by another task counts for no limit and no delay', async () => {
  const fixture = await started()
  const { herder, clock, runner, settle } = fixture
  runner.startsAtOnce = true
  await herder.createConnector(request('c', { 'errors.max.retries': '0' }))
  await settle()
  for (let i = 0; i < 3; i += 1) {
    runner.listener.onFailed('c', 0, { trace: 'a neighbour', isRetriable: true, isOfNeighbour: true })
    runner.running.delete('c-0')
    runner.calls.splice(0)
    await clock.advance(1_000)
    assert.deepEqual(runner.calls, ['stop c', 'start c-0'])
    assert.equal(taskState(fixture), 'RUNNING')
  }
  // Its own failure is its last one.
  fail(fixture)
  runner.calls.splice(0)
  await clock.advance(600_000)
  assert.deepEqual(runner.calls, [])
})
