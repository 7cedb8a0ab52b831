import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logRecord } from '../storage/testing/recorded-topic.ts'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { TICKS_CLASS, ticksConfig } from '../testing/ticks-plugin.ts'
import { answerTo, created, isRefused, request, restarted, started, WORKER_ID } from './testing/herder-fixture.ts'

const TICKS_TASK_CLASS = 'org.example.TicksSourceTask'

test('a created connector is stored and started; its task is RUNNING once it reports its start', async () => {
  const { herder, storage, runner, settle } = await started()
  storage.offsets.apply(logRecord('["c",{"server":"s"}]', '{"pos":4}'))

  const info = await herder.createConnector(request('c'))
  assert.deepEqual(info, { name: 'c', config: ticksConfig('c'), tasks: [], type: 'source' })
  await settle()
  const taskConfig = { ...ticksConfig('c'), 'ticks.task': '0', 'task.class': TICKS_TASK_CLASS }
  assert.deepEqual(runner.starts, [
    {
      connectorName: 'c',
      taskNumber: 0,
      config: taskConfig,
      storedOffsets: [{ partition: { server: 's' }, offset: { pos: 4 } }],
      refusedBytes: {},
    },
  ])
  const connector = { state: 'RUNNING', worker_id: WORKER_ID, version: '1.2.3' }
  assert.deepEqual(herder.connectorStatus('c'), {
    name: 'c',
    connector,
    tasks: [{ id: 0, state: 'UNASSIGNED', worker_id: WORKER_ID, version: null }],
    type: 'source',
  })
  runner.listener.onStarted('c', 0)
  assert.deepEqual(herder.taskStatus('c', 0), { id: 0, ...connector })
  assert.deepEqual(herder.connectorNames(), ['c'])
  assert.deepEqual(herder.connectorConfig('c'), ticksConfig('c'))
  assert.deepEqual(herder.connectorInfo('c').tasks, [{ connector: 'c', task: 0 }])
  assert.deepEqual(herder.taskInfos('c'), [{ id: { connector: 'c', task: 0 }, config: taskConfig }])
})

test('requests about an unknown connector are 404 with Connect’s texts', async () => {
  const { herder } = await started()
  const notFound = isRefused(404, 'Connector c not found')
  assert.throws(() => herder.connectorInfo('c'), notFound)
  assert.throws(() => herder.connectorConfig('c'), notFound)
  assert.throws(() => herder.taskInfos('c'), notFound)
  assert.throws(() => herder.connectorStatus('c'), isRefused(404, 'No status found for connector c'))
  assert.throws(() => herder.taskStatus('c', 0), isRefused(404, 'No status found for task c-0'))
  await assert.rejects(herder.deleteConnector('c'), notFound)
})

test('a second connector with the same name is refused, and an invalid one is not stored', async () => {
  const { herder, storage } = await started()
  await herder.createConnector(request('c'))
  await assert.rejects(herder.createConnector(request('c')), isRefused(409, 'Connector c already exists'))
  await assert.rejects(
    herder.createConnector(request('d', { 'interval.ms': 'soon' })),
    isRefused(400, /Not a number of type INT/),
  )
  assert.deepEqual(storage.configs.names, ['c'])
})

test('a thread is spawned for a new connector before it is checked, and only if it is to run', async () => {
  const { herder, runner } = await started()
  const creating = herder.createConnector(request('c'))
  assert.deepEqual([runner.spawned, runner.calls], [['first', 'c'], []])
  await creating
  await herder.putConnectorConfig('c', ticksConfig('c', { 'interval.ms': '7' }))
  await herder.createConnector({ ...request('stopped'), initialState: 'STOPPED' })
  await assert.rejects(herder.createConnector(request('d', { 'connector.class': 'not.There' })))
  assert.deepEqual(runner.spawned, ['first', 'c'])
})

test('a worker with connectors spawns no thread for a first one', async () => {
  const fixture = await started()
  await fixture.herder.createConnector(request('c'))
  await fixture.settle()
  const { runner } = await restarted(fixture)
  assert.deepEqual(runner.spawned, [])
})

test('of simultaneous requests that create one connector, one succeeds', async () => {
  const { herder, runner, settle } = await started()
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => herder.createConnector(request('c'))))
  await settle()
  const statuses = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 201 : answerTo(outcome.reason).status))
  assert.deepEqual(statuses, [201, 409, 409, 409])
  assert.deepEqual([...runner.running], ['c-0'])
})

test('a deletion stops the tasks and removes configuration, statuses and topics, but no offsets', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('c', { 'tasks.max': '2' }))
  await settle()
  runner.listener.onStarted('c', 0)
  runner.listener.onTopic('c', 0, 'orders')
  await herder.deleteConnector('c')
  await settle()

  assert.deepEqual([herder.connectorNames(), [...runner.running], storage.statuses.names], [[], [], []])
  const tombstones = storage.statusLog.records.filter(({ value }) => value === null).map(({ key }) => key)
  assert.deepEqual(tombstones, [
    'status-task-c-0',
    'status-task-c-1',
    'status-connector-c',
    'status-topic-orders:connector-c',
  ])
  assert.equal(storage.offsetLog.records.length, 0)
})

test('a deletion is logged once', async () => {
  const { herder, logger, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  await herder.deleteConnector('c')
  await settle()
  assert.equal(logger.lines.filter(({ message }) => message === 'Deleted connector c').length, 1)
})

test('reports of a task after the deletion of its connector store no status', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await herder.deleteConnector('c')
  await settle()
  runner.listener.onStarted('c', 0)
  runner.listener.onTopic('c', 0, 'orders')
  runner.listener.onFailed('c', 0, { trace: 'too late', isRetriable: false })
  assert.deepEqual(storage.statuses.names, [])
})

test('a deletion and a creation at once end in one complete connector', async () => {
  const { herder, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  const changed = { 'interval.ms': '2000' }
  await Promise.all([herder.deleteConnector('c'), herder.createConnector(request('c', changed))])
  await settle()
  assert.deepEqual([...runner.running], ['c-0'])
  assert.equal(runner.starts.at(-1)?.config['interval.ms'], '2000')
  assert.equal(herder.connectorStatus('c').connector.state, 'RUNNING')
})

test('the tasks start anew also when the new connector is the same', async () => {
  const { herder, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.clear()
  await Promise.all([herder.deleteConnector('c'), herder.createConnector(request('c'))])
  await settle()
  assert.deepEqual([[...runner.running], herder.taskStatus('c', 0).state], [['c-0'], 'UNASSIGNED'])
})

test('a connector that is deleted and created again before its turn begins anew, without statuses of before', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  runner.listener.onTopic('c', 0, 'orders')
  runner.listener.onFailed('c', 0, { trace: 'trace', isRetriable: false })
  runner.running.clear()
  // Another worker's records, which are applied together.
  await storage.configLog.write([
    { key: 'connector-c', value: null },
    { key: 'target-state-c', value: null },
    { key: 'connector-c', value: JSON.stringify({ properties: ticksConfig('c') }) },
  ])
  await settle()
  assert.deepEqual([[...runner.running], herder.taskStatus('c', 0).state], [['c-0'], 'UNASSIGNED'])
  assert.deepEqual(storage.statuses.topics('c'), [])
})

test('after any mix of creations and deletions, exactly the stored connectors run', async () => {
  const { herder, storage, runner, settle } = await started()
  const names = ['a', 'b', 'c']
  const requests = Array.from({ length: 60 }, (_, i) => {
    const name = names[i % 3] ?? ''
    return i % 2 === 0 ? herder.createConnector(request(name)) : herder.deleteConnector(name)
  })
  const outcomes = await Promise.allSettled(requests)
  await settle()
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok([404, 409].includes(answerTo(outcome.reason).status))
  }
  const stored = [...storage.configs.names].sort()
  assert.deepEqual(
    [...runner.running].sort(),
    stored.map((name) => `${name}-0`),
  )
  assert.deepEqual([...storage.statuses.names].sort(), stored)
})

test('a connector is created again only after the tasks of the deleted one have ended', async () => {
  const { herder, runner, settle } = await started()
  await herder.createConnector(request('c'))
  await settle()
  const stopped = Promise.withResolvers<void>()
  runner.stopping = stopped.promise
  await herder.deleteConnector('c')
  let isCreated = false
  const creating = herder.createConnector(request('c')).then(() => (isCreated = true))
  await settle()
  assert.deepEqual([isCreated, [...runner.running]], [false, ['c-0']])
  stopped.resolve()
  await creating
  await settle()
  assert.deepEqual([runner.starts.length, [...runner.running]], [2, ['c-0']])
})

test('a worker starts the stored connectors and reports their statuses as its own', async () => {
  const first = await started()
  await first.herder.createConnector(request('a'))
  await first.herder.createConnector({ ...request('b'), initialState: 'PAUSED' })
  await first.settle()
  first.runner.listener.onStarted('a', 0)

  const { herder, runner, storage } = await restarted(first)
  assert.deepEqual([...runner.running], ['a-0'])
  assert.equal(herder.connectorStatus('a').tasks[0]?.state, 'UNASSIGNED')
  assert.equal(herder.connectorStatus('b').connector.state, 'PAUSED')
  assert.equal(
    storage.configLog.records.filter(({ key }) => key === 'commit-a').length,
    1,
    'a stored task set is not written again',
  )
})

test('a stop ends the tasks and reports them UNASSIGNED', async () => {
  const fixture = await started()
  const { herder, storage, runner, settle } = fixture
  for (const name of ['a', 'b']) await herder.createConnector(request(name))
  await settle()
  runner.listener.onStarted('a', 0)
  runner.listener.onFailed('b', 0, { trace: 'java.lang.RuntimeException', isRetriable: false })
  await herder.stop(1_000)

  assert.deepEqual([...runner.running], [])
  const state = (name: string): unknown => [
    storage.statuses.connector(name)?.state,
    storage.statuses.tasks(name).map(([, task]) => [task.state, task.version]),
  ]
  assert.deepEqual(state('a'), ['UNASSIGNED', [['UNASSIGNED', null]]])
  assert.deepEqual(state('b'), ['UNASSIGNED', [['FAILED', '1.2.3']]])
  await assert.rejects(herder.createConnector(request('c')), isRefused(500, 'Worker is shutting down'))
})

test('a task that fails for good keeps its trace and is not restarted', async () => {
  const { herder, runner, settle, storage } = await started()
  await herder.createConnector(request('c'))
  await settle()
  runner.listener.onFailed('c', 0, { trace: 'java.lang.RuntimeException: x\n\tat y', isRetriable: false })
  runner.running.clear()
  assert.deepEqual(herder.taskStatus('c', 0), {
    id: 0,
    state: 'FAILED',
    worker_id: WORKER_ID,
    version: '1.2.3',
    trace: 'java.lang.RuntimeException: x\n\tat y',
  })
  await storage.configs.putConnector('c', ticksConfig('c'), null)
  await settle()
  assert.equal(runner.starts.length, 1)
})

test('a connector whose class does not exist is FAILED; others run', async () => {
  const storage = new MemoryStorage(captureLogger())
  await storage.configs.putConnector('a', { 'connector.class': 'com.example.No', name: 'a' }, null)
  await storage.configs.putConnector('b', ticksConfig('b'), null)
  const { herder, runner } = await started(storage)

  const { connector, type } = herder.connectorStatus('a')
  assert.deepEqual([connector.state, type, connector.version], ['FAILED', 'unknown', null])
  assert.match(
    connector.trace ?? '',
    /^org\.apache\.kafka\.common\.config\.ConfigException: Class com\.example\.No could not be found/,
  )
  assert.deepEqual([...runner.running], ['b-0'])
})

test('a task whose thread cannot be created, or whose offset cannot be read, is FAILED', async () => {
  const { herder, storage, runner, settle } = await started()
  runner.startError = new Error('no memory')
  await herder.createConnector(request('a'))
  storage.offsets.apply(logRecord('["b",{"server":"s"}]', 'damaged'))
  await herder.createConnector(request('b'))
  await settle()
  assert.match(herder.taskStatus('a', 0).trace ?? '', /^Error: no memory/)
  assert.match(
    herder.taskStatus('b', 0).trace ?? '',
    /The stored offset \["b",\{"server":"s"\}\] is not a flat JSON object/,
  )
  assert.equal(herder.connectorStatus('b').connector.state, 'RUNNING')
})

test('changes that others write to the config topic take effect: configuration, fewer tasks, pause, stop, start', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('c', { 'tasks.max': '2' }))
  await settle()
  for (const task of [0, 1]) runner.listener.onStarted('c', task)
  const states = (): unknown => {
    const { connector, tasks } = herder.connectorStatus('c')
    return [connector.state, tasks.map(({ state }) => state)]
  }
  const target = async (state: string): Promise<void> => {
    await storage.configLog.write([{ key: 'target-state-c', value: JSON.stringify({ state, 'state.v2': state }) }])
    await settle()
  }

  await target('PAUSED')
  assert.deepEqual([[...runner.running], states()], [[], ['PAUSED', ['PAUSED', 'PAUSED']]])
  await target('STARTED')
  assert.deepEqual(
    [[...runner.running], states()],
    [
      ['c-0', 'c-1'],
      ['RUNNING', ['UNASSIGNED', 'UNASSIGNED']],
    ],
  )
  await target('STOPPED')
  assert.deepEqual([[...runner.running], states()], [[], ['STOPPED', []]])
  await target('STARTED')
  await storage.configs.putConnector('c', ticksConfig('c', { 'tasks.max': '1' }), null)
  await settle()
  assert.deepEqual([[...runner.running], states()], [['c-0'], ['RUNNING', ['UNASSIGNED']]])
})

test('the next start removes what an interrupted deletion left', async () => {
  const first = await started()
  await first.herder.createConnector(request('c'))
  await first.settle()
  await first.storage.configLog.write([{ key: 'connector-c', value: null }])
  const storage = await MemoryStorage.restarted(first.storage, captureLogger())
  assert.deepEqual(storage.statuses.names, ['c'])
  await started(storage)
  assert.deepEqual(storage.statuses.names, [])
})

test('a start waits for the offsets that the previous tasks have stored', async () => {
  const { herder, storage, runner, settle } = await started()
  storage.offsetLog.hold()
  await storage.offsetLog.write([{ key: '["c",{"server":"s"}]', value: '{"pos":9}' }])
  await herder.createConnector(request('c'))
  await settle()
  assert.equal(runner.starts.length, 0)
  storage.offsetLog.release()
  await settle()
  assert.deepEqual(runner.starts[0]?.storedOffsets, [{ partition: { server: 's' }, offset: { pos: 9 } }])
})

test('a write without an answer fails after 30 s, and takes effect when it arrives', async () => {
  const { herder, storage, runner, clock, settle } = await started()
  storage.configLog.hold()
  const creating = assert.rejects(
    herder.createConnector(request('c')),
    isRefused(
      500,
      'Failed to write to config topic; this may be due to a transient error and the request can be safely retried (no answer within 30000 ms).',
    ),
  )
  await clock.untilPending()
  await clock.advance(30_000)
  await creating
  storage.configLog.release()
  await settle()
  assert.deepEqual([herder.connectorNames(), [...runner.running]], [['c'], ['c-0']])
})

test('the error of a failed write contains the reason', async () => {
  const { herder, storage } = await started()
  storage.configLog.writeError = new Error('TOPIC_AUTHORIZATION_FAILED')
  await assert.rejects(herder.createConnector(request('c')), isRefused(500, /\(TOPIC_AUTHORIZATION_FAILED\)\.$/))
})

test('a stop aborts a creation that waits for the brokers, and waits for statuses for 2 s only', async () => {
  const { herder, storage, clock, runner } = await started()
  await herder.createConnector(request('a'))
  await clock.advance(0)
  runner.listener.onStarted('a', 0)
  storage.configLog.hold()
  const creating = assert.rejects(herder.createConnector(request('c')), isRefused(500, 'Worker is shutting down'))
  storage.statuses.settled = () => new Promise(() => undefined)
  await clock.untilPending()
  const stopping = herder.stop(1_000)
  await creating
  await clock.untilPending()
  await clock.advance(2_000)
  await stopping
  assert.deepEqual([...runner.running], [])
})

test('an aborted start starts nothing more', async () => {
  const storage = new MemoryStorage(captureLogger())
  await storage.configs.putConnector('c', ticksConfig('c'), null)
  storage.offsetLog.hold()
  await storage.offsetLog.write([{ key: '["c",{"server":"s"}]', value: '{}' }])
  const { herder, runner, settle } = created(storage)
  const stop = new AbortController()
  const starting = assert.rejects(herder.start(stop.signal), { name: 'StoppedError' })
  await settle()
  stop.abort()
  await starting
  await herder.stop(1_000)
  storage.offsetLog.release()
  await settle()
  assert.deepEqual(runner.starts, [])
})

test('health reports when an internal topic can no longer be read', async () => {
  const { herder, storage } = await started()
  assert.equal(herder.health().status, 'healthy')
  storage.failure = new Error('The worker can no longer read the internal topic configs: gone.')
  assert.deepEqual(herder.health(), {
    status: 'unhealthy',
    message: 'The worker can no longer read the internal topic configs: gone.',
  })
})

test('server info and plug-ins are returned as they were passed in', async () => {
  const { herder } = await started()
  assert.deepEqual(herder.serverInfo(), { version: '4.3.1', commit: 'abc', kafka_cluster_id: 'id' })
  assert.deepEqual(await herder.plugins(true), [{ class: TICKS_CLASS, type: 'source', version: '1.2.3' }])
})
