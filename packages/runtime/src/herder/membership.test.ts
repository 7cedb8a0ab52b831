import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import { doneOr, StoppedError } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { HerderError } from './herder-error.ts'
import { loseAll, request, started, WORKER_ID } from './testing/herder-fixture.ts'

test('a worker that has lost its membership stops its tasks and writes no status of them', async () => {
  const fixture = await started()
  const { herder, storage, runner, settle } = fixture
  await herder.createConnector(request('a'))
  await herder.createConnector(request('b'))
  await settle()
  for (const name of ['a', 'b']) runner.listener.onStarted(name, 0)
  await settle()
  const written = storage.statusLog.records.length

  await loseAll(fixture)

  assert.deepEqual([...runner.running], [])
  // Changes that another worker stores, and late reports of tasks, have no effect either.
  await herder.pauseConnector('a')
  runner.listener.onFailed('b', 0, { trace: 'late', isRetriable: true })
  await settle()
  assert.equal(storage.statusLog.records.length, written)
  assert.equal(herder.connectorStatus('b').tasks[0]?.state, 'RUNNING')
})

test('when it is a member again, what is to run starts from the offsets that are stored by then', async () => {
  const fixture = await started()
  const { herder, storage, runner, assignment, settle } = fixture
  await herder.createConnector(request('a'))
  await herder.createConnector(request('paused'))
  await herder.pauseConnector('paused')
  await settle()
  await loseAll(fixture)
  await storage.writeOffsets([{ key: offsetKey('a', { server: 's' }), value: offsetJson({ pos: 7 }) }])

  assignment.resume()
  herder.work.startAll()
  await settle()

  assert.deepEqual([...runner.running], ['a-0'])
  assert.deepEqual(runner.starts.at(-1)?.storedOffsets, [{ partition: { server: 's' }, offset: { pos: 7 } }])
  runner.listener.onStarted('a', 0)
  await settle()
  assert.equal(herder.connectorStatus('a').tasks[0]?.state, 'RUNNING')
})

test('released work is stopped before the release ends, and reported as UNASSIGNED; other connectors run on', async () => {
  const { herder, runner, assignment, settle } = await started()
  for (const name of ['a', 'b']) await herder.createConnector(request(name))
  await settle()
  for (const name of ['a', 'b']) runner.listener.onStarted(name, 0)
  const stopping = Promise.withResolvers<void>()
  runner.stoppingOf.set('a', stopping.promise)
  assignment.freeze(herder.work.configured.work)

  assignment.release({ connectors: ['a'], tasks: [{ connector: 'a', task: 0 }] })
  let isReleased = false
  const released = herder.work.reconcile(['a']).then(() => (isReleased = true))
  await settle()
  assert.equal(isReleased, false)
  stopping.resolve()
  await released
  assignment.dropReleased()

  assert.deepEqual([...runner.running], ['b-0'])
  const { connector, tasks } = herder.connectorStatus('a')
  assert.deepEqual([connector.state, tasks[0]?.state], ['UNASSIGNED', 'UNASSIGNED'])
  assert.equal(runner.calls.includes('stop b'), false)
  // From now on another worker writes its statuses.
  await herder.pauseConnector('a')
  await settle()
  assert.equal(herder.connectorStatus('a').connector.state, 'UNASSIGNED')
})

for (const when of ['while it stops', 'before it is to stop'] as const) {
  test(`a task of a stopped connector that is revoked ${when} has no status, so offsets can be altered`, async () => {
    const { herder, storage, runner, assignment, settle } = await started()
    await herder.createConnector(request('a'))
    await settle()
    runner.listener.onStarted('a', 0)
    const stopping = Promise.withResolvers<void>()
    runner.stoppingOf.set('a', stopping.promise)
    const work = { connectors: [], tasks: [{ connector: 'a', task: 0 }] }
    assignment.freeze(herder.work.configured.work)

    if (when === 'before it is to stop') assignment.release(work)
    await storage.configs.putTargetState('a', 'STOPPED')
    await settle()
    // The same record makes the leader distribute the work again.
    if (when === 'while it stops') assignment.release(work)
    const released = herder.work.reconcile(['a'])
    assert.equal(storage.statuses.tasks('a').length, 1)
    stopping.resolve()
    await released
    assignment.dropReleased()
    await settle()

    assert.deepEqual([...runner.running], [])
    assert.deepEqual(storage.statuses.tasks('a'), [])
    await herder.resetOffsets('a')
  })
}

test('a task that is released is stopped even when its connector cannot be planned any more', async () => {
  const { herder, storage, runner, assignment, settle } = await started()
  await herder.createConnector(request('a'))
  await settle()
  runner.listener.onStarted('a', 0)
  assignment.freeze(herder.work.configured.work)
  // This worker does not know the class of the new configuration.
  await storage.configs.putConnector('a', { name: 'a', 'connector.class': 'org.example.Newer' }, null)
  await settle()
  assert.deepEqual([...runner.running], ['a-0'])

  const task = { connector: 'a', task: 0 }
  assignment.release({ connectors: [], tasks: [task] })
  await herder.work.reconcile(['a'])
  assert.deepEqual([...runner.running], [])
  assert.equal(herder.work.has(task), false)
  assert.equal(herder.connectorStatus('a').tasks[0]?.state, 'UNASSIGNED')
})

test('tasks that are planned while another worker stops their connector are removed again', async () => {
  const { herder, storage, runner, assignment, settle } = await started()
  await herder.createConnector(request('a'))
  await settle()
  assignment.freeze(herder.work.configured.work)
  const tasks = storage.configs.get('a')?.taskConfigs ?? []
  await storage.configs.putTargetState('a', 'STOPPED')
  await settle()
  // The batch of this worker arrives after that of the leader.
  await storage.configs.putTaskConfigs('a', tasks)
  await settle()
  assert.deepEqual(storage.configs.get('a')?.taskConfigs, [])
  assert.deepEqual([...runner.running], [])
  await herder.resetOffsets('a')
})

test('offsets change only when a task has ended of which another worker has just stored a status', async () => {
  const { herder, storage, assignment, clock, settle } = await started()
  await herder.createConnector(request('a'))
  await herder.stopConnector('a')
  await settle()
  assignment.freeze(herder.work.configured.work)
  const status = { state: 'RUNNING', trace: null, worker_id: 'other:8083', generation: 2, version: null }
  storage.statusLog.hold()
  await storage.statusLog.write([{ key: 'status-task-a-0', value: JSON.stringify(status) }])

  let isDone = false
  const reset = herder.resetOffsets('a').then(() => (isDone = true))
  await clock.advance(1_000)
  assert.equal(isDone, false)
  storage.statusLog.release()
  await clock.advance(1_000)
  assert.equal(isDone, false)
  await storage.statusLog.write([{ key: 'status-task-a-0', value: null }])
  await clock.advance(1_000)
  await reset
})

test('offsets change only when no worker has been assigned a task that it has not reported yet', async () => {
  const { herder, assignment, group, clock, settle } = await started()
  await herder.createConnector(request('a'))
  await herder.stopConnector('a')
  await settle()
  assignment.freeze(herder.work.configured.work)
  group.tasksMayRun = (connector) => connector === 'a'

  let isDone = false
  const reset = herder.resetOffsets('a').then(() => (isDone = true))
  await clock.advance(1_000)
  assert.equal(isDone, false)
  // Its turns do not wait meanwhile: a round may take the connector from this worker.
  await herder.work.reconcile(['a'])
  group.tasksMayRun = () => false
  await clock.advance(1_000)
  await reset
})

test('work that is released while the worker stops is handed over when its tasks have ended, not before', async () => {
  const { herder, runner, assignment, settle } = await started()
  await herder.createConnector(request('a'))
  await settle()
  runner.listener.onStarted('a', 0)
  const ended = Promise.withResolvers<void>()
  runner.stopping = ended.promise
  assignment.freeze(herder.work.configured.work)
  const stopped = herder.stop(10_000)

  assignment.release(assignment.work({ connectors: [], tasks: [] }))
  let isReleased = false
  const released = herder.work.reconcile(['a']).then(() => (isReleased = true))
  await settle()
  assert.equal(isReleased, false)
  ended.resolve()
  await Promise.all([released, stopped])
  assert.equal(herder.connectorStatus('a').tasks[0]?.state, 'UNASSIGNED')
})

test('a worker runs what is added to its assignment, whichever worker has the connector', async () => {
  const { herder, storage, runner, assignment, settle } = await started()
  assignment.clear()
  await herder.createConnector(request('a'))
  await settle()
  assert.deepEqual(runner.calls, [])
  // The worker that has the connector stores the configurations of its tasks.
  await storage.configs.putTaskConfigs('a', [{ x: '1' }])
  assert.equal(herder.work.configured.changedAt, herder.work.configured.offset)
  assert.deepEqual(herder.work.configured.work, { connectors: ['a'], tasks: [{ connector: 'a', task: 0 }] })

  assignment.add({ connectors: [], tasks: [{ connector: 'a', task: 0 }] })
  await herder.work.reconcile(['a'])
  assert.deepEqual([...runner.running], ['a-0'])

  // Another set of configurations restarts the task, and is no reason to distribute the work again.
  const { changedAt } = herder.work.configured
  await storage.configs.putTaskConfigs('a', [{ x: '2' }])
  await settle()
  assert.deepEqual(
    runner.starts.map(({ config }) => config['x']),
    ['1', '2'],
  )
  assert.equal(herder.work.configured.changedAt, changedAt)
})

for (const kind of ['alone', 'in a group'] as const) {
  test(`a worker ${kind} reports FAILED over what a former worker left with a later generation`, async () => {
    const { herder, storage, runner, assignment, settle } = await started()
    const left = { trace: null, worker_id: 'former:8083', generation: 57, version: null } as const
    await herder.createConnector(request('a'))
    await settle()
    const work = herder.work.configured.work
    if (kind === 'in a group') assignment.freeze(work)
    const state = kind === 'alone' ? 'RUNNING' : 'UNASSIGNED'
    storage.statuses.putTask('a', 0, { ...left, state })

    runner.listener.onFailed('a', 0, { trace: 'wrong password', isRetriable: false })

    const [task] = herder.connectorStatus('a').tasks
    assert.deepEqual([task?.state, task?.trace, task?.worker_id], ['FAILED', 'wrong password', 'worker:8083'])
  })
}

test('the leader reports what nobody runs as UNASSIGNED when its worker has gone, and removes statuses of no task', async () => {
  const { herder, storage, assignment, settle } = await started()
  assignment.clear()
  assignment.isLeader = true
  assignment.generation = 7
  await herder.createConnector(request('a'))
  await storage.configs.putTaskConfigs('a', [{ x: '1' }])
  const status = { state: 'RUNNING', trace: null, worker_id: 'dead:8083', generation: 6, version: '1' } as const
  storage.statuses.putConnector('a', status)
  storage.statuses.putTask('a', 0, status)
  // Its worker is a member, and does not run it any more.
  storage.statuses.putTask('a', 1, { ...status, worker_id: 'alive:8083' })
  storage.statuses.putTask('a', 2, { ...status, worker_id: 'alive:8083' })
  const idle = herder.work.configured.work

  const mayRunTask = (connector: string, task: number): boolean => `${connector}-${task}` === 'a-2'
  herder.work.reportIdle(idle, { workers: new Set(['dead:8083', 'alive:8083']), mayRunTask })
  assert.equal(herder.connectorStatus('a').connector.state, 'RUNNING')

  herder.work.reportIdle(idle, { workers: new Set(['alive:8083']), mayRunTask })
  await settle()
  const { connector, tasks } = herder.connectorStatus('a')
  assert.deepEqual(connector, { state: 'UNASSIGNED', worker_id: 'dead:8083', version: null })
  assert.deepEqual(
    tasks.map(({ id, state }) => [id, state]),
    [
      [0, 'UNASSIGNED'],
      [2, 'RUNNING'],
    ],
  )
  assert.deepEqual(storage.statuses.connector('a')?.generation, 7)
})

test('each connector is reported by its worker, and one that nobody has by the leader', async () => {
  const { herder, assignment, group, settle } = await started()
  for (const name of ['mine', 'other', 'nobody']) await herder.createConnector(request(name))
  await settle()
  assignment.freeze({ connectors: ['mine'], tasks: [] })
  group.connectorOwnerUrl = (name) => (name === 'other' ? 'http://other:8083/' : null)
  const reported = (): readonly string[] => herder.connectorNames().filter((name) => herder.reportsConnector(name))
  assert.deepEqual(reported(), ['mine', 'nobody'])
  group.isLeader = false
  assert.deepEqual(reported(), ['mine'])
})

test('a task that cannot be started says so also when its connector is that of another worker', async () => {
  const { herder, storage, runner, assignment, settle } = await started()
  assignment.clear()
  await herder.createConnector(request('a'))
  await storage.configs.putTaskConfigs('a', [{ x: '1' }])
  const connector = { state: 'RUNNING', trace: null, worker_id: 'other:8083', generation: 1, version: null }
  await storage.statusLog.write([{ key: 'status-connector-a', value: JSON.stringify(connector) }])
  const read = storage.readOffsetsToEnd.bind(storage)
  storage.readOffsetsToEnd = () => Promise.reject(new Error('the topic is gone'))
  assignment.add({ connectors: [], tasks: [{ connector: 'a', task: 0 }] })
  await herder.work.reconcile(['a'])
  await settle()
  const status = herder.connectorStatus('a')
  assert.equal(status.connector.state, 'RUNNING')
  assert.equal(status.tasks[0]?.state, 'FAILED')
  assert.match(status.tasks[0]?.trace ?? '', /the topic is gone/)

  storage.readOffsetsToEnd = read
  await herder.work.reconcile(['a'])
  assert.deepEqual([...runner.running], ['a-0'])
})

test('a worker that has lost its membership does not wait for a turn that waits for the lease', async () => {
  let isHeld = false
  const fencing = {
    // As a producer that must not be initialised without the lease.
    fence: (_connector: string, signal: AbortSignal) =>
      isHeld ? Promise.resolve() : new Promise<void>((_, reject) => onAbort(signal, () => reject(new StoppedError()))),
  }
  const fixture = await started(undefined, undefined, { fencing })
  const { herder, assignment, runner, settle } = fixture
  await herder.createConnector(request('a'))
  await settle()
  assert.deepEqual([...runner.running], [])

  await loseAll(fixture)

  isHeld = true
  assignment.resume()
  herder.work.startAll()
  await settle()
  assert.deepEqual([...runner.running], ['a-0'])
})

function onAbort(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
}

test('a late status of an earlier owner does not remain in place of that of the owner', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('a'))
  await settle()
  runner.listener.onStarted('a', 0)
  await settle()
  // The brokers were not available while the other worker ran and released the connector.
  const late = (state: string): string =>
    JSON.stringify({ state, trace: null, worker_id: 'other:8083', generation: 0, version: null })
  for (const state of ['RUNNING', 'UNASSIGNED']) {
    await storage.statusLog.write([
      { key: 'status-connector-a', value: late(state) },
      { key: 'status-task-a-0', value: late(state) },
    ])
  }
  await settle()

  const { connector, tasks } = herder.connectorStatus('a')
  assert.deepEqual([connector.state, tasks[0]?.state, tasks[0]?.worker_id], ['RUNNING', 'RUNNING', WORKER_ID])
  const stored = await MemoryStorage.restarted(storage, captureLogger())
  assert.equal(stored.statuses.connector('a')?.state, 'RUNNING')
  assert.equal(stored.statuses.tasks('a')[0]?.[1].state, 'RUNNING')
})

test('a late RUNNING of another worker is replaced by the FAILED of the owner, with its trace', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('a'))
  await settle()
  runner.listener.onFailed('a', 0, { trace: 'the trace of the owner', isRetriable: false })
  await settle()
  const late = { state: 'RUNNING', trace: null, worker_id: 'other:8083', generation: 0, version: null }
  await storage.statusLog.write([{ key: 'status-task-a-0', value: JSON.stringify(late) }])
  await settle()

  const [task] = herder.connectorStatus('a').tasks
  assert.deepEqual([task?.state, task?.trace], ['FAILED', 'the trace of the owner'])
})

test('a request that changes offsets stores none if its worker has lost its membership meanwhile', async () => {
  const fixture = await started()
  const { herder, storage, group, settle } = fixture
  await storage.writeOffsets([{ key: offsetKey('c', { server: 's' }), value: offsetJson({ pos: 4 }) }])
  await herder.createConnector(request('c'))
  await herder.stopConnector('c')
  await settle()
  const events: string[] = []
  storage.dropUnstored = () => Promise.resolve(void events.push('drop'))
  storage.writeOffsets = () => Promise.resolve(void events.push('write'))
  const during = async (lose: () => void): Promise<unknown> => {
    // The process is frozen while the request waits for this.
    const frozen = Promise.withResolvers<void>()
    storage.readStatusesToEnd = () => frozen.promise
    const answer = herder.resetOffsets('c').catch((error: unknown) => error)
    await settle()
    lose()
    const stopped = loseAll(fixture)
    frozen.resolve()
    await stopped
    return answer
  }

  // Without the lease the record waits in the producer, and is dropped.
  await during(() => undefined)
  assert.deepEqual(events.splice(0), ['drop', 'write', 'drop'])

  const answer = await during(() => (group.isLeader = false))
  assert.deepEqual(events, ['drop', 'drop'])
  assert.ok(answer instanceof HerderError && answer.problem.tag === 'not leader')
})

test('a lost membership ends the requests that wait for a topic, so they do not hold up the stop', async () => {
  const fixture = await started()
  const { herder, storage, settle } = fixture
  await herder.createConnector(request('c'))
  await settle()
  // Without the lease a write waits.
  const write = (_records: unknown, signal?: AbortSignal): Promise<void> => doneOr(new Promise(() => undefined), signal)
  storage.configLog.write = write
  const answers = [herder.pauseConnector('c'), herder.resumeConnector('c')].map((each) =>
    each.catch((error: unknown) => error),
  )
  await settle()
  await loseAll(fixture)
  for (const answer of await Promise.all(answers)) {
    assert.ok(answer instanceof HerderError && answer.problem.tag === 'rebalancing', String(answer))
  }
})
