import type { ConnectorHealth, HealthProblem } from '@tributary/rest-api'
import type { OngoingOutage } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { loseAll, request, started, type HerderFixture } from './testing/herder-fixture.ts'

const DENIED = {
  trace: 'java.X: no permission [NOT_AUTHORIZED]',
  isRetriable: true,
  problem: { code: 'NOT_AUTHORIZED', message: 'no permission', action: 'Grant it.' },
}

/** A herder with a running task. */
async function running(changes: Readonly<Record<string, string>> = {}): Promise<HerderFixture> {
  const fixture = await started()
  fixture.runner.startsAtOnce = true
  await fixture.herder.createConnector(request('c', changes))
  await fixture.settle()
  return fixture
}

function fail({ runner }: HerderFixture, isRetriable = true): void {
  runner.listener.onFailed('c', 0, { ...DENIED, isRetriable })
  runner.running.delete('c-0')
}

function health({ herder }: HerderFixture): readonly [string | undefined, HealthProblem | undefined] {
  const { tasks } = herder.tasksHealth('c')
  return [tasks[0]?.condition, tasks[0]?.problems[0]]
}

test('a task that fails for an external reason shows since when, how often, when next, and what to do', async () => {
  const fixture = await running()
  assert.deepEqual(health(fixture), ['ok', undefined])
  const since = fixture.clock.now()
  fail(fixture)

  const [condition, problem] = health(fixture)
  assert.equal(condition, 'restarting')
  assert.deepEqual(
    { ...problem, next_at: null },
    {
      activity: null,
      code: 'NOT_AUTHORIZED',
      message: 'no permission',
      action: 'Grant it.',
      since,
      last_at: since,
      attempts: 1,
      next_at: null,
    },
  )
  const delayMs = (problem?.next_at ?? 0) - since
  assert.ok(delayMs >= 4_000 && delayMs <= 5_000, `${delayMs}`)

  await fixture.clock.advance(5_000)
  assert.equal(fixture.herder.taskStatus('c', 0).state, 'RUNNING')
  // It may fail again in a moment.
  assert.deepEqual([health(fixture)[0], health(fixture)[1]?.attempts], ['restarting', 1])
  fail(fixture)
  assert.deepEqual([health(fixture)[1]?.attempts, health(fixture)[1]?.since], [2, since])
  await fixture.clock.advance(10_000)
  await fixture.clock.advance(30_000)
  assert.deepEqual(health(fixture), ['ok', undefined])
})

test('the restarts of a task are counted, and for how long it has had a problem', async () => {
  const fixture = await running()
  fail(fixture)
  await fixture.clock.advance(5_000)
  fail(fixture)
  await fixture.clock.advance(2_000)

  const { taskRestarts } = await fixture.herder.measure(1)
  assert.deepEqual(taskRestarts, [{ connector: 'c', task: 0, restarts: 1, problemMs: 7_000 }])
})

test('a task that cannot continue is failed, and nothing starts it again', async () => {
  const fixture = await running()
  fail(fixture, false)
  await fixture.clock.advance(3_600_000)
  assert.deepEqual([health(fixture)[0], health(fixture)[1]?.next_at], ['failed', null])
})

test('what a running task retries is in its health, and its status remains RUNNING', async () => {
  const fixture = await running()
  const outage: OngoingOutage = {
    activity: 'reading the binlog',
    code: 'MYSQL_UNREACHABLE',
    message: 'no answer',
    action: null,
    sinceMs: 1,
    lastMs: 2,
    attempts: 3,
    nextMs: 4,
  }
  fixture.runner.listener.onWaiting('c', 0, [outage])
  const [condition, problem] = health(fixture)
  assert.deepEqual([condition, fixture.herder.taskStatus('c', 0).state], ['waiting', 'RUNNING'])
  assert.deepEqual([problem?.activity, problem?.since, problem?.attempts, problem?.next_at], [outage.activity, 1, 3, 4])
  fixture.runner.listener.onWaiting('c', 0, [])
  assert.deepEqual(health(fixture), ['ok', undefined])
})

const limits: readonly (readonly [property: string, value: string, restarts: number])[] = [
  ['errors.max.retries', '-1', 4],
  ['errors.max.retries', '0', 0],
  ['errors.max.retries', '2', 2],
]

for (const [property, value, restarts] of limits) {
  test(`${property}=${value}: the worker starts a task that keeps failing ${restarts} times of 4`, async () => {
    const fixture = await running({ [property]: value })
    fail(fixture)
    for (let i = 0; i < 4; i++) {
      const count = fixture.runner.starts.length
      await fixture.clock.advance(300_000)
      if (fixture.runner.starts.length > count) {
        // Before the run is long enough to end the row.
        fail(fixture)
      }
    }
    assert.equal(fixture.runner.starts.length - 1, restarts)
    const expected = restarts === 4 ? 'restarting' : 'failed'
    assert.equal(health(fixture)[0], expected)
  })
}

test('retriable.restart.connector.wait.ms is the first delay, and each one after it is twice as long', async () => {
  const fixture = await running({ 'retriable.restart.connector.wait.ms': '60000' })
  fail(fixture)
  for (const delayMs of [60_000, 120_000, 240_000, 300_000]) {
    const count = fixture.runner.starts.length
    await fixture.clock.advance(delayMs * 0.8 - 1)
    assert.equal(fixture.runner.starts.length, count, `before ${delayMs}`)
    await fixture.clock.advance(delayMs * 0.2 + 1)
    assert.equal(fixture.runner.starts.length, count + 1, `after ${delayMs}`)
    fail(fixture)
  }
})

test('a start that failed because a secret is missing is repeated, and the connector runs when the secret is there', async () => {
  const fixture = await started()
  fixture.runner.startsAtOnce = true
  fixture.runner.startError = runtimeErrors.CONFIG_REFERENCE({
    property: 'p',
    reference: '${file:x:y}',
    reason: 'no file',
  })
  await fixture.herder.createConnector(request('c'))
  await fixture.settle()
  assert.deepEqual([health(fixture)[0], health(fixture)[1]?.code], ['restarting', 'CONFIG_REFERENCE'])
  await fixture.clock.advance(5_000)
  assert.equal(fixture.herder.taskStatus('c', 0).state, 'RUNNING')
})

test('a connector whose start failed is started again by itself when its cause may pass, and shows that', async () => {
  const fixture = await started()
  const { storage, herder, clock } = fixture
  const readOffsetsToEnd = storage.readOffsetsToEnd.bind(storage)
  storage.readOffsetsToEnd = () => Promise.reject(runtimeErrors.OFFSET_READ_FAILED({ reason: 'no broker' }))
  await herder.createConnector(request('c'))
  await fixture.settle()
  const { problem }: Pick<ConnectorHealth, 'problem'> = herder.tasksHealth('c')
  assert.deepEqual([herder.connectorStatus('c').connector.state, problem?.code], ['FAILED', 'OFFSET_READ_FAILED'])
  storage.readOffsetsToEnd = readOffsetsToEnd
  await clock.advance(5_000)
  assert.deepEqual([herder.connectorStatus('c').connector.state, herder.tasksHealth('c').problem], ['RUNNING', null])
  assert.equal(clock.pending, 0)
})

test('the log reports when errors.max.retries ends the starts of a connector', async () => {
  const fixture = await started()
  fixture.storage.readOffsetsToEnd = () => Promise.reject(runtimeErrors.OFFSET_READ_FAILED({ reason: 'no broker' }))
  await fixture.herder.createConnector(request('c', { 'errors.max.retries': '0' }))
  await fixture.settle()
  const lines = fixture.logger.matching('Connector c is not started again by itself')
  assert.deepEqual([lines.length, fixture.clock.pending], [1, 0])
})

test('of a connector that this worker does not run, the health has the stored failure', async () => {
  const fixture = await running()
  const { storage } = fixture
  await fixture.herder.stop(1_000)
  const trace = 'org.apache.kafka.connect.errors.ConnectException: It broke. Mend it. [POSITION_PURGED]\n\tat x'
  storage.statuses.putTask('c', 0, { state: 'FAILED', trace, worker_id: 'other:1', generation: 1, version: null })
  await loseAll(fixture)
  const [condition, problem] = health(fixture)
  assert.deepEqual([condition, problem?.code, problem?.message], ['failed', 'POSITION_PURGED', 'It broke. Mend it.'])
})
