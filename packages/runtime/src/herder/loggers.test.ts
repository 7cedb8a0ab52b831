import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restarted, started } from './testing/herder-fixture.ts'

/** How the answers look is compared with recordings of Connect in rest/rest-replay.test.ts. */

test('a level for the group goes through the config topic, as Connect writes it, and takes effect', async () => {
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

test('levels that were set before a worker has started are not for it', async () => {
  const first = await started()
  await first.herder.setClusterLoggerLevel('root', 'DEBUG')
  const { herder } = await restarted(first)
  assert.deepEqual(herder.logger('root'), { level: 'INFO', last_modified: null })
})

test('what another worker has written that is no level is skipped', async () => {
  const { herder, storage, settle } = await started()
  await storage.configLog.write([{ key: 'logger-cluster-root', value: '{"level":"LOUD"}' }])
  await settle()
  assert.equal(herder.logger('root').level, 'INFO')
})
