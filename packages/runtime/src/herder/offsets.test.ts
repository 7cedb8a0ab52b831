import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logRecord } from '../storage/testing/recorded-topic.ts'
import { HerderError } from './herder-error.ts'
import { isRefused, request, started, type HerderFixture } from './testing/herder-fixture.ts'

const notStopped =
  "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by issuing a 'PUT' request to the '/connectors/c/stop' endpoint"

/** A herder with a connector `c` that has two offsets, and the offset of another one. */
async function withOffsets(): Promise<HerderFixture> {
  const fixture = await started()
  const { herder, storage, settle } = fixture
  await storage.offsetLog.write([
    { key: '["c",{"server":"s"}]', value: '{"pos":4,"gtids":null}' },
    { key: '["c",{"server":"t","x":1}]', value: '{"pos":9007199254740993}' },
    { key: '["d",{"server":"s"}]', value: '{"pos":7}' },
  ])
  await herder.createConnector(request('c'))
  await settle()
  return fixture
}

test('the offsets of a connector are those stored at the time of the request, whatever its state', async () => {
  const { herder, storage, settle } = await withOffsets()
  storage.offsetLog.hold()
  await storage.offsetLog.write([{ key: '["c",{"server":"s"}]', value: '{"pos":5}' }])
  let isAnswered = false
  const asked = herder.connectorOffsets('c').finally(() => (isAnswered = true))
  await settle()
  assert.equal(isAnswered, false)
  storage.offsetLog.release()
  assert.deepEqual(await asked, {
    offsets: [
      { partition: { server: 's' }, offset: { pos: 5 } },
      { partition: { server: 't', x: 1 }, offset: { pos: 9007199254740993n } },
    ],
  })
})

test('an offset that the connector could not read is refused, and nothing is stored', async () => {
  const { herder, storage } = await withOffsets()
  await herder.stopConnector('c')
  const stored = storage.offsetLog.records.length
  const alter = herder.alterOffsets('c', [
    { partition: { server: 's' }, offset: { ticks: 1 } },
    { partition: { server: 't' }, offset: { ticks: 'abc' } },
  ])
  await assert.rejects(alter, (error) => {
    assert.ok(error instanceof HerderError)
    assert.deepEqual(error.problem, { tag: 'invalid offset', reason: 'abc is no number of ticks' })
    return true
  })
  assert.equal(storage.offsetLog.records.length, stored)
})

test('a reset removes all offsets of a stopped connector, and of no other', async () => {
  const { herder, storage, runner, settle } = await withOffsets()
  storage.offsets.apply(logRecord('["c",{"server":"u"}]', 'damaged'))
  await herder.stopConnector('c')
  assert.deepEqual(await herder.resetOffsets('c'), {
    message:
      'The Connect framework-managed offsets for this connector have been reset successfully. However, if this connector manages offsets externally, they will need to be manually reset in the system that the connector uses.',
  })
  assert.deepEqual(storage.offsetLog.records.slice(3), [
    { key: '["c",{"server":"s"}]', value: null },
    { key: '["c",{"server":"t","x":1}]', value: null },
    { key: '["c",{"server":"u"}]', value: null },
  ])
  assert.deepEqual(await herder.connectorOffsets('c'), { offsets: [] })
  assert.equal(storage.offsets.offsets('d').length, 1)
  await herder.resumeConnector('c')
  await settle()
  assert.deepEqual(runner.starts.at(-1)?.storedOffsets, [])
})

test('a reset waits until the tasks have ended and stored their last offsets', async () => {
  const { herder, storage, runner, settle } = await withOffsets()
  const stopped = Promise.withResolvers<void>()
  runner.stopping = stopped.promise
  await herder.stopConnector('c')
  const reset = herder.resetOffsets('c')
  await settle()
  await storage.offsetLog.write([{ key: '["c",{"server":"late"}]', value: '{"pos":6}' }])
  stopped.resolve()
  await reset
  assert.deepEqual(await herder.connectorOffsets('c'), { offsets: [] })
})

test('offsets of a running, paused or unknown connector cannot be changed', async () => {
  const { herder, storage, settle } = await withOffsets()
  await assert.rejects(herder.resetOffsets('c'), isRefused(400, notStopped))
  await herder.pauseConnector('c')
  await settle()
  await assert.rejects(herder.resetOffsets('c'), isRefused(400, notStopped))
  assert.equal(storage.offsetLog.records.length, 3)
  await assert.rejects(herder.resetOffsets('no'), isRefused(404, 'Connector no not found'))
  await assert.rejects(herder.connectorOffsets('no'), isRefused(404, 'Connector no not found'))
})

test('the error of a failed write to the offset topic contains the reason', async () => {
  const { herder, storage } = await withOffsets()
  await herder.stopConnector('c')
  storage.offsetLog.writeError = new Error('TOPIC_AUTHORIZATION_FAILED')
  await assert.rejects(
    herder.resetOffsets('c'),
    isRefused(500, /^Failed to write to the offset topic; .* \(TOPIC_AUTHORIZATION_FAILED\)\.$/),
  )
})

test('offsets of a stopped connector are changed, added and removed under their stored keys', async () => {
  const { herder, storage } = await withOffsets()
  const altered = [
    { partition: { x: 1, server: 't' }, offset: { pos: 9007199254740993n, gtids: null } },
    { partition: { server: 's' }, offset: null },
    { partition: { server: 'new' }, offset: { pos: 1 } },
  ]
  await assert.rejects(herder.alterOffsets('no', altered), isRefused(404, 'Connector no not found'))
  await assert.rejects(herder.alterOffsets('c', altered), isRefused(400, notStopped))
  await herder.stopConnector('c')
  assert.match((await herder.alterOffsets('c', altered)).message, /have been altered successfully/)
  assert.deepEqual(storage.offsetLog.records.slice(3), [
    { key: '["c",{"server":"t","x":1}]', value: '{"pos":9007199254740993,"gtids":null}' },
    { key: '["c",{"server":"s"}]', value: null },
    { key: '["c",{"server":"new"}]', value: '{"pos":1}' },
  ])
})
