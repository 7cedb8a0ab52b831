import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restarted, started } from './testing/herder-fixture.ts'

/** rest/rest-replay.test.ts compares the answers with recordings of Connect. */

test('a level for the group is written to the config topic in Connect’s form and takes effect', async () => {
  const { herder, storage, clock } = await started()
  await clock.advance(7)
  await herder.setClusterLoggerLevel('org.apache.kafka.clients', 'DEBUG')
  assert.deepEqual(
    storage.configLog.records.map(({ key, value }) => [String(key), String(value)]),
    [['logger-cluster-org.apache.kafka.clients', '{"level":"DEBUG"}']],
  )
  const { level, last_modified } = herder.logger('org.apache.kafka.clients')
  assert.deepEqual([level, last_modified], ['DEBUG', clock.now()])
})

test('levels that were set before a worker started do not apply to it', async () => {
  const first = await started()
  await first.herder.setClusterLoggerLevel('root', 'DEBUG')
  const { herder } = await restarted(first)
  assert.deepEqual(herder.logger('root'), { level: 'INFO', last_modified: null })
})

test('an unknown level in the config topic is skipped', async () => {
  const { herder, storage, settle } = await started()
  await storage.configLog.write([{ key: 'logger-cluster-root', value: '{"level":"LOUD"}' }])
  await settle()
  assert.equal(herder.logger('root').level, 'INFO')
})
