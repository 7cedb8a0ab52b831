import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused, request, restarted, started } from './testing/herder-fixture.ts'

test('topics are noted until they are reset or the connector is deleted, also across a restart', async () => {
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

test('a worker that does not note topics, or does not let them be reset, says so', async () => {
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
