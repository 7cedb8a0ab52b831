import { nextTurn } from '@tributary/support'
import { captureLogger, type CaptureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigStore } from './config-store.ts'
import { MemoryLog } from './testing/memory-log.ts'
import { logRecord, recordedTopic } from './testing/recorded-topic.ts'

const NAME = 'inventory-connector'
const recorded = recordedTopic('configs')

interface Fixture {
  readonly store: ConfigStore
  readonly log: MemoryLog
  readonly logger: CaptureLogger
  readonly changes: string[]
}

function fixture(): Fixture {
  const [log, logger, changes] = [new MemoryLog(), captureLogger(), [] as string[]]
  const store = new ConfigStore(log, logger)
  log.onRecord = (record) => store.apply(record)
  store.listen((change) => changes.push(change.tag === 'connector' ? change.connector : change.tag))
  return { store, log, logger, changes }
}

function propertiesAt(offset: number): Record<string, string> {
  const document = JSON.parse(recorded[offset]?.value ?? '') as { properties: Record<string, string> }
  return document.properties
}

/** Applies recorded records from one offset to another. */
function replay(store: ConfigStore, from: number, to: number): void {
  for (const { key, value, offset } of recorded.slice(from, to + 1)) store.apply(logRecord(key, value, offset))
}

test('records of a real worker are read as the state at that time', () => {
  const { store, logger } = fixture()

  replay(store, 0, 1)
  assert.deepEqual(store.get(NAME), {
    config: propertiesAt(1),
    targetState: 'STARTED',
    taskConfigs: null,
    incarnation: 1,
  })
  replay(store, 2, 2)
  assert.equal(store.get(NAME)?.taskConfigs, null, 'a set takes effect with its commit')
  replay(store, 3, 3)
  assert.deepEqual(store.get(NAME)?.taskConfigs, [propertiesAt(2)])
  replay(store, 4, 4)
  assert.equal(store.get(NAME)?.targetState, 'PAUSED')
  replay(store, 5, 6)
  assert.deepEqual(store.get(NAME), {
    config: propertiesAt(6),
    targetState: 'STARTED',
    taskConfigs: [propertiesAt(2)],
    incarnation: 1,
  })
  replay(store, 7, 10)
  assert.deepEqual(store.get(NAME)?.taskConfigs, [propertiesAt(7)])
  replay(store, 11, 12)
  assert.deepEqual([store.get(NAME)?.targetState, store.get(NAME)?.taskConfigs], ['STOPPED', []])
  replay(store, 13, 15)
  assert.deepEqual([store.get(NAME)?.targetState, store.get(NAME)?.taskConfigs], ['STARTED', [propertiesAt(14)]])
  replay(store, 16, 19)
  assert.deepEqual([store.names, store.get(NAME)], [[], null])
  replay(store, 20, 21)
  assert.equal(store.get('born-stopped')?.targetState, 'STOPPED')
  replay(store, 22, 23)
  assert.deepEqual(store.names, [])
  assert.deepEqual(logger.lines, [])
})

test('the written records are those of a real worker, in its order', async () => {
  const { store, log } = fixture()
  const keyAndValue = (from: number, to: number): unknown =>
    recorded.slice(from, to + 1).map(({ key, value }) => ({ key, value }))

  await store.putConnector(NAME, propertiesAt(1), null)
  assert.deepEqual(log.records.splice(0), keyAndValue(1, 1))
  await store.putTaskConfigs(NAME, [propertiesAt(2)])
  assert.deepEqual(log.records.splice(0), keyAndValue(2, 3))
  await store.removeConnector(NAME)
  assert.deepEqual(log.records.splice(0), keyAndValue(18, 19))
  await store.putConnector('born-stopped', propertiesAt(21), 'STOPPED')
  assert.deepEqual(log.records.splice(0), keyAndValue(20, 21))
  await store.putRestartRequest({ connector: NAME, includeTasks: true, onlyFailed: false })
  assert.deepEqual(log.records.splice(0), keyAndValue(9, 9))
  await store.removeConnector('born-stopped')
  assert.deepEqual(log.records.splice(0), keyAndValue(22, 23))
  await store.putConnector(NAME, propertiesAt(1), 'PAUSED')
  assert.deepEqual(log.records.splice(0, 1), keyAndValue(4, 4))
})

test('a write resolves when its records have been read back', async () => {
  const { store, log } = fixture()
  log.hold()
  let isWritten = false
  const written = store.putConnector('c', { a: 'b' }, null).then(() => (isWritten = true))
  await nextTurn()
  assert.deepEqual([isWritten, store.get('c')], [false, null])
  log.release()
  await written
  assert.deepEqual(store.get('c')?.config, { a: 'b' })
})

test('changes of existing connectors and of sets of tasks are reported; those of unknown connectors are not', async () => {
  const { store, changes } = fixture()
  await store.putConnector('c', {}, 'PAUSED')
  assert.deepEqual(changes, ['c'], 'the target state precedes the connector')
  await store.putTaskConfigs('c', [{}])
  store.apply(logRecord('target-state-c', '{"state":"STARTED"}'))
  await store.removeConnector('c')
  assert.deepEqual(changes, ['c', 'tasks', 'c', 'c'])
  await store.removeConnector('c')
  assert.equal(changes.length, 4)
})

test('the offset follows every record, and that of the work only connectors and numbers of tasks', async () => {
  const { store } = fixture()
  const offsets = (): readonly bigint[] => [store.offset, store.workChangedAt]
  assert.deepEqual(offsets(), [-1n, -1n])
  await store.putConnector('c', { a: '1' }, null)
  assert.deepEqual(offsets(), [1n, 1n])
  await store.putTaskConfigs('c', [{}])
  assert.deepEqual(offsets(), [3n, 3n])
  await store.putConnector('c', { a: '2' }, null)
  await store.putTaskConfigs('c', [{ a: '2' }])
  await store.putTargetState('c', 'PAUSED')
  await store.putRestartRequest({ connector: 'c', includeTasks: true, onlyFailed: false })
  assert.deepEqual(offsets(), [8n, 3n])
  await store.putTargetState('c', 'STOPPED')
  assert.deepEqual(offsets(), [10n, 9n])
  await store.removeConnector('c')
  assert.deepEqual(offsets(), [12n, 11n])
})

test('a target state that a deletion left does not apply to a new connector of that name', async () => {
  const { store, log } = fixture()
  store.apply(logRecord('target-state-c', '{"state":"PAUSED","state.v2":"STOPPED"}'))
  await store.putConnector('c', {}, null)
  assert.equal(store.get('c')?.targetState, 'STARTED')
  assert.equal(log.records[0]?.value, '{"state":"STARTED","state.v2":"STARTED"}')
})

test('target states of workers before 3.5 have one field', () => {
  const { store } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{}}'))
  store.apply(logRecord('target-state-c', '{"state":"PAUSED"}'))
  assert.equal(store.get('c')?.targetState, 'PAUSED')
})

test('a task set that compaction has made incomplete is ignored until a complete one follows', async () => {
  const { store } = fixture()
  await store.putConnector('c', {}, null)
  store.apply(logRecord('task-c-1', '{"properties":{"n":"1"}}'))
  store.apply(logRecord('commit-c', '{"tasks":2}'))
  assert.equal(store.get('c')?.taskConfigs, null)
  await store.putTaskConfigs('c', [{ n: '0' }, { n: '1' }])
  assert.deepEqual(store.get('c')?.taskConfigs, [{ n: '0' }, { n: '1' }])
})

test('a smaller set replaces a larger one; tasks that are not written again keep their configuration', () => {
  const { store } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{}}'))
  for (const n of [0, 1, 2]) store.apply(logRecord(`task-c-${n}`, `{"properties":{"n":"${n}"}}`))
  store.apply(logRecord('commit-c', '{"tasks":3}'))
  store.apply(logRecord('task-c-0', '{"properties":{"n":"new"}}'))
  store.apply(logRecord('commit-c', '{"tasks":2}'))
  assert.deepEqual(store.get('c')?.taskConfigs, [{ n: 'new' }, { n: '1' }])
})

test('names may look like other keys: the last number is the task', () => {
  const { store } = fixture()
  store.apply(logRecord('connector-a-1', '{"properties":{}}'))
  store.apply(logRecord('connector-connector-x', '{"properties":{}}'))
  store.apply(logRecord('task-a-1-0', '{"properties":{"n":"0"}}'))
  store.apply(logRecord('commit-a-1', '{"tasks":1}'))
  assert.deepEqual(store.names, ['a-1', 'connector-x'])
  assert.deepEqual(store.get('a-1')?.taskConfigs, [{ n: '0' }])
})

test('tasks of a connector that is deleted before their commit are dropped', () => {
  const { store } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{}}'))
  store.apply(logRecord('task-c-0', '{"properties":{"n":"old"}}'))
  store.apply(logRecord('connector-c', null))
  store.apply(logRecord('connector-c', '{"properties":{}}'))
  store.apply(logRecord('commit-c', '{"tasks":1}'))
  assert.equal(store.get('c')?.taskConfigs, null)
})

test('values other than strings become strings; null means no value', () => {
  const { store } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{"a":1,"b":true,"c":null,"d":"x"}}'))
  assert.deepEqual(store.get('c')?.config, { a: '1', b: 'true', d: 'x' })
})

test('a record that is not understood is logged with its key and offset, and changes nothing', () => {
  const { store, logger } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{"a":"b"}}'))
  const damaged: readonly (readonly [key: string, value: string | null])[] = [
    ['connector-c', 'not JSON'],
    ['connector-c', '[]'],
    ['connector-c', '{}'],
    ['connector-c', '{"properties":[]}'],
    ['task-c', '{"properties":{}}'],
    ['task-c-0', '{"properties":null}'],
    ['commit-c', '{"tasks":"1"}'],
    ['commit-c', '{"tasks":-1}'],
    ['commit-c', '{"tasks":1.5}'],
    ['commit-c', '{"tasks":1000000000}'],
    ['commit-c', null],
    ['target-state-c', '{"state":"DANCING"}'],
    ['restart-connector-c', '{}'],
    ['restart-connector-c', '{"include-tasks":"true","only-failed":false}'],
    ['logger-cluster-root', '{"level":"LOUD"}'],
    ['session-key', '{}'],
    ['session-key', 'AAAA'],
  ]
  for (const [at, [key, value]] of damaged.entries()) store.apply(logRecord(key, value, at))

  assert.deepEqual(store.get('c'), { config: { a: 'b' }, targetState: 'STARTED', taskConfigs: null, incarnation: 1 })
  assert.deepEqual(
    logger.lines.map(({ level, fields }) => [level, fields]),
    damaged.map(([key], at) => ['error', { key, offset: String(at) }]),
  )
})

test('keys of other kinds are ignored', () => {
  const { store, logger } = fixture()
  for (const key of ['connector', '']) {
    store.apply(logRecord(key, '{}'))
  }
  store.apply(logRecord(null, '{}'))
  assert.deepEqual([store.names, logger.lines], [[], []])
})

test('the last readable session key is the key of the group, and a stored one is read by the others', async () => {
  const { store, logger } = fixture()
  const current = (): typeof store.sessionKey => store.sessionKey
  assert.equal(current(), null)
  const document = { key: 'AAAAAAAA', algorithm: 'HmacSHA256', 'creation-timestamp': 7 }
  store.apply(logRecord('session-key', JSON.stringify(document)))
  store.apply(logRecord('session-key', '{"key":"AAAAAAAA"}', 1))
  store.apply(logRecord('session-key', null, 2))
  const sessionKey = current()
  assert.deepEqual([sessionKey?.createdMs, sessionKey?.key.symmetricKeySize], [7, 6])
  // Not the value: it is a secret.
  assert.equal(JSON.stringify(logger.lines).includes('AAAA'), false)
  assert.ok(sessionKey !== null)
  await store.putSessionKey({ ...sessionKey, createdMs: 8 })
  assert.equal(current()?.createdMs, 8)
})

test('a task-count record of any worker counts until the next set of tasks; a damaged one is skipped', () => {
  const { store, logger } = fixture()
  store.apply(logRecord('connector-c', '{"properties":{}}'))
  store.apply(logRecord('task-c-0', '{"properties":{}}'))
  store.apply(logRecord('commit-c', '{"tasks":1}'))
  assert.deepEqual([store.taskCountRecord('c'), store.isPendingFencing('c')], [null, true])
  store.apply(logRecord('tasks-fencing-c', '{"task-count":1}'))
  assert.deepEqual([store.taskCountRecord('c'), store.isPendingFencing('c')], [1, false])
  store.apply(logRecord('tasks-fencing-c', '{"task-count":"many"}'))
  store.apply(logRecord('commit-c', '{"tasks":1}'))
  assert.deepEqual([store.taskCountRecord('c'), store.isPendingFencing('c')], [1, true])
  assert.equal(logger.lines.length, 1)
})
