import { defineErrors, StoppedError } from '@tributary/support'
import { captureLogger, type CaptureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusStore, type StatusRecord } from './status-store.ts'
import { MemoryLog } from './testing/memory-log.ts'
import { logRecord, recordedTopic } from './testing/recorded-topic.ts'

const NAME = 'inventory-connector'
const recorded = [...recordedTopic('statuses')].sort((a, b) => a.timestamp - b.timestamp)

interface Fixture {
  readonly store: StatusStore
  readonly log: MemoryLog
  readonly logger: CaptureLogger
}

function fixture(): Fixture {
  const [log, logger] = [new MemoryLog(), captureLogger()]
  const store = new StatusStore(log, logger)
  log.onRecord = (record) => store.apply(record)
  return { store, log, logger }
}

function status<S extends string>(state: S, changes: Partial<StatusRecord<S>> = {}): StatusRecord<S> {
  return { state, trace: null, worker_id: 'worker:8083', generation: 1, version: '3.6.1.Final', ...changes }
}

function text(value: object): string {
  return JSON.stringify(value)
}

test('records of a real worker are read as statuses and topics', () => {
  const { store, logger } = fixture()
  const isDeletion = ({ key, value }: (typeof recorded)[number]): boolean =>
    value === null && key === `status-connector-${NAME}`
  const deletedAt = recorded.findIndex(isDeletion)
  for (const { key, value } of recorded.slice(0, 6)) store.apply(logRecord(key, value))

  assert.deepEqual(store.connector(NAME), status('RUNNING', { generation: 2 }))
  assert.deepEqual(store.tasks(NAME), [[0, status('RUNNING', { generation: 3 })]])
  for (const { key, value } of recorded.slice(6, deletedAt)) store.apply(logRecord(key, value))
  assert.deepEqual(store.connector(NAME), status('UNASSIGNED', { generation: 9, version: null }))
  assert.deepEqual(store.tasks(NAME), [])
  for (const { key, value } of recorded.slice(deletedAt)) store.apply(logRecord(key, value))
  assert.deepEqual([store.names, logger.lines], [[], []])
})

test('the written records are those of a real worker', async () => {
  const { store, log } = fixture()
  const at = (key: string): unknown => {
    const { value } = recorded.find((record) => record.key === key) ?? {}
    return { key, value }
  }
  store.putConnector(NAME, status('RUNNING', { generation: 2 }))
  store.putTask(NAME, 0, status('RUNNING', { generation: 3 }))
  store.putTopic(NAME, 0, 'dbserver1', 1_795_260_224_063)
  await store.settled()
  assert.deepEqual(log.records, [
    at(`status-connector-${NAME}`),
    at(`status-task-${NAME}-0`),
    at(`status-topic-dbserver1:connector-${NAME}`),
  ])
  log.records.splice(0)
  store.remove(NAME)
  await store.settled()
  assert.deepEqual(log.records, [
    { key: `status-connector-${NAME}`, value: null },
    { key: `status-task-${NAME}-0`, value: null },
    { key: `status-topic-dbserver1:connector-${NAME}`, value: null },
  ])
})

test('a topic of a connector is recorded once, and again after its removal', async () => {
  const { store, log } = fixture()
  for (const time of [1, 2, 3]) store.putTopic('c', 0, 't', time)
  store.remove('c')
  store.putTopic('c', 0, 't', 4)
  await store.settled()
  assert.deepEqual(
    log.records.map(({ value }) => value?.slice(-2, -1) ?? null),
    ['}', null, '}'],
  )
})

test('own statuses are visible before the brokers have them, and reading them back late changes nothing', () => {
  const { store, log } = fixture()
  log.hold()
  store.putConnector('c', status('RUNNING'))
  store.putConnector('c', status('FAILED', { trace: 'x' }))
  store.putConnector('c', status('RUNNING'))
  store.putTask('c', 0, status('RUNNING'))
  store.removeTask('c', 0)
  assert.deepEqual([store.connector('c')?.state, store.tasks('c')], ['RUNNING', []])

  const seen: unknown[] = []
  log.onRecord = (record) => {
    store.apply(record)
    seen.push([store.connector('c')?.state, store.tasks('c').length])
  }
  log.release()
  assert.deepEqual(
    seen,
    Array.from({ length: 5 }, () => ['RUNNING', 0]),
  )
})

test('another worker’s record before an own one is ignored; one after it applies', () => {
  const { store, log } = fixture()
  log.hold()
  store.putTask('c', 0, status('RUNNING'))
  store.apply(logRecord('status-task-c-0', text(status('UNASSIGNED', { worker_id: 'other:8083' }))))
  assert.equal(store.tasks('c')[0]?.[1].state, 'RUNNING')
  log.release()
  store.apply(logRecord('status-task-c-0', text(status('RUNNING', { worker_id: 'other:8083' }))))
  assert.equal(store.tasks('c')[0]?.[1].worker_id, 'other:8083')
})

test('UNASSIGNED by another worker replaces no RUNNING of its generation or a later one', () => {
  const { store } = fixture()
  store.apply(logRecord('status-task-c-0', text(status('RUNNING', { generation: 5 }))))
  store.apply(logRecord('status-connector-c', text(status('RUNNING', { generation: 5 }))))
  const late = status('UNASSIGNED', { worker_id: 'other:8083', generation: 5 })
  for (const key of ['status-task-c-0', 'status-connector-c']) store.apply(logRecord(key, text(late)))
  assert.deepEqual([store.tasks('c')[0]?.[1].state, store.connector('c')?.state], ['RUNNING', 'RUNNING'])

  store.apply(logRecord('status-task-c-0', text({ ...late, generation: 6 })))
  // Its own worker stops it.
  store.apply(logRecord('status-connector-c', text(status('UNASSIGNED', { generation: 5 }))))
  assert.deepEqual([store.tasks('c')[0]?.[1].state, store.connector('c')?.state], ['UNASSIGNED', 'UNASSIGNED'])
})

test('when own statuses are dropped, those that other workers have stored apply', async () => {
  const { store, log } = fixture()
  const other = status('RUNNING', { worker_id: 'other:8083' })
  const closed = defineErrors({ PRODUCER_CLOSED: { message: 'the producer is closed.', action: '' } }).PRODUCER_CLOSED(
    {},
  )
  log.writeError = closed
  store.putTask('c', 0, status('RUNNING'))
  // Before the write has failed.
  store.apply(logRecord('status-task-c-0', text(other)))
  assert.equal(store.tasks('c')[0]?.[1].worker_id, 'worker:8083')
  await store.settled()
  assert.deepEqual(store.tasks('c')[0]?.[1], other)
})

test('compaction may have removed earlier own records', () => {
  const { store, log } = fixture()
  log.hold()
  store.putConnector('c', status('UNASSIGNED'))
  store.putConnector('c', status('RUNNING'))
  store.apply(logRecord('status-connector-c', text(status('RUNNING'))))
  store.apply(logRecord('status-connector-c', text(status('PAUSED'))))
  assert.equal(store.connector('c')?.state, 'PAUSED')
})

test('a status that is lost in the end of the service is not an error', async () => {
  const { store, log, logger } = fixture()
  const closed = defineErrors({ PRODUCER_CLOSED: { message: 'the producer is closed.', action: '' } }).PRODUCER_CLOSED(
    {},
  )
  log.writeError = closed
  store.putConnector('c', status('UNASSIGNED'))
  await store.settled()

  assert.deepEqual(logger.lines, [])
})

test('a status that cannot be stored is logged and stays in memory', async () => {
  const { store, log, logger } = fixture()
  log.writeError = new Error('RECORD_TOO_LARGE')
  store.putConnector('c', status('FAILED', { trace: 'long' }))
  await store.settled()
  assert.equal(store.connector('c')?.state, 'FAILED')
  assert.match(logger.lines[0]?.message ?? '', /^Failed to write status update: status-connector-c/)

  store.apply(logRecord('status-connector-c', text(status('RUNNING'))))
  assert.equal(store.connector('c')?.state, 'RUNNING', 'no own write is pending')
})

test('a stop during the write of a status is not an error', async () => {
  const { store, log, logger } = fixture()
  log.writeError = new StoppedError()
  store.putConnector('c', status('RUNNING'))
  await store.settled()
  assert.deepEqual(logger.lines, [])
})

test('tasks are in the order of their numbers; names may have dashes and digits', () => {
  const { store } = fixture()
  for (const task of [10, 2, 0]) store.apply(logRecord(`status-task-a-1-${task}`, text(status('RUNNING'))))
  assert.deepEqual(
    store.tasks('a-1').map(([task]) => task),
    [0, 2, 10],
  )
  store.apply(logRecord('status-topic-t.x:connector-a:b-1', text({ topic: {} })))
  assert.deepEqual(store.names, ['a-1', 'a:b-1'])
})

test('statuses of workers before 4.1 have no version', () => {
  const { store } = fixture()
  store.apply(logRecord('status-connector-c', '{"state":"RUNNING","trace":null,"worker_id":"w:1","generation":3}'))
  assert.deepEqual(store.connector('c'), status('RUNNING', { worker_id: 'w:1', generation: 3, version: null }))
})

test('a record that is not understood is logged and changes nothing; other kinds of keys are ignored', () => {
  const { store, logger } = fixture()
  store.apply(logRecord('status-connector-c', text(status('RUNNING'))))
  const damaged: readonly (readonly [key: string, value: string])[] = [
    ['status-connector-c', 'not JSON'],
    ['status-connector-c', '[]'],
    ['status-connector-c', '{"state":"DANCING","worker_id":"w","generation":1}'],
    ['status-connector-c', '{"state":"RUNNING","worker_id":1,"generation":1}'],
    ['status-task-c', text(status('RUNNING'))],
    ['status-task-c-0', '{"state":"STOPPED","worker_id":"w","generation":1}'],
    ['status-topic-t', '{"topic":{}}'],
    ['status-topic-t:connector-c', '{}'],
  ]
  for (const [key, value] of damaged) store.apply(logRecord(key, value))
  store.apply(logRecord('something-else', '{}'))
  store.apply(logRecord(null, '{}'))

  assert.deepEqual([store.names, store.connector('c'), store.tasks('c')], [['c'], status('RUNNING'), []])
  assert.deepEqual(
    logger.lines.map(({ level, fields }) => [level, fields['key']]),
    damaged.map(([key]) => ['warn', key]),
  )
})
