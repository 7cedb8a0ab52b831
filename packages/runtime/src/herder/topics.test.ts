import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused, request, restarted, started } from './testing/herder-fixture.ts'

test('topics are recorded until a reset or the deletion of the connector, also across a restart', async () => {
  const fixture = await started()
  await fixture.herder.createConnector(request('c'))
  await fixture.settle()
  for (const topic of ['orders', 'customers', 'orders']) fixture.runner.listener.onTopic('c', 0, topic)
  assert.deepEqual(fixture.herder.connectorTopics('c'), { c: { topics: ['orders', 'customers'] } })

  const { herder, runner, settle } = await restarted(fixture)
  assert.deepEqual(herder.connectorTopics('c'), { c: { topics: ['orders', 'customers'] } })
  herder.resetTopics('c')
  assert.deepEqual([herder.connectorTopics('c'), runner.calls.at(-1)], [{ c: { topics: [] } }, 'forget topics c'])
  runner.listener.onTopic('c', 0, 'customers')
  assert.deepEqual(herder.connectorTopics('c'), { c: { topics: ['customers'] } })
  await herder.deleteConnector('c')
  await settle()
  assert.deepEqual(herder.connectorTopics('c'), { c: { topics: [] } })
})

test('an unknown connector has written to no topics', async () => {
  const { herder } = await started()
  assert.deepEqual(herder.connectorTopics('c'), { c: { topics: [] } })
})

test('requests about topics are refused when tracking or resetting is disabled', async () => {
  const noting = await started(undefined, { isEnabled: false, mayReset: true })
  await noting.herder.createConnector(request('c'))
  noting.runner.listener.onTopic('c', 0, 'orders')
  assert.deepEqual(noting.storage.statuses.topics('c'), [])
  const isDisabled = isRefused(403, 'Topic tracking is disabled.')
  assert.throws(() => noting.herder.connectorTopics('c'), isDisabled)
  assert.throws(() => noting.herder.resetTopics('c'), isDisabled)

  const { herder } = await started(undefined, { isEnabled: true, mayReset: false })
  assert.throws(() => herder.resetTopics('c'), isRefused(403, 'Topic tracking reset is disabled.'))
})
