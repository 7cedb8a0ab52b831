import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import { request, started } from './testing/herder-fixture.ts'

test('a worker that has lost its membership stops its tasks and writes no status of them', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('a'))
  await herder.createConnector(request('b'))
  await settle()
  for (const name of ['a', 'b']) runner.listener.onStarted(name, 0)
  await settle()
  const written = storage.statusLog.records.length

  await herder.loseAll()

  assert.deepEqual([...runner.running], [])
  // Changes that another worker stores, and late reports of tasks, have no effect either.
  await herder.pauseConnector('a')
  runner.listener.onFailed('b', 0, { trace: 'late', isRetriable: true })
  await settle()
  assert.equal(storage.statusLog.records.length, written)
  assert.equal(herder.connectorStatus('b').tasks[0]?.state, 'RUNNING')
})

test('when it is a member again, what is to run starts from the offsets that are stored by then', async () => {
  const { herder, storage, runner, settle } = await started()
  await herder.createConnector(request('a'))
  await herder.createConnector(request('paused'))
  await herder.pauseConnector('paused')
  await settle()
  await herder.loseAll()
  await storage.writeOffsets([{ key: offsetKey('a', { server: 's' }), value: offsetJson({ pos: 7 }) }])

  herder.takeAll()
  await settle()

  assert.deepEqual([...runner.running], ['a-0'])
  assert.deepEqual(runner.starts.at(-1)?.storedOffsets, [{ partition: { server: 's' }, offset: { pos: 7 } }])
  runner.listener.onStarted('a', 0)
  await settle()
  assert.equal(herder.connectorStatus('a').tasks[0]?.state, 'RUNNING')
})
