import type { ConfigMap } from '@tributary/connect-api'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OffsetStore } from '../storage/offset-store.ts'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { isRefused, request, started } from './testing/herder-fixture.ts'

test('a worker that starts a transactional task has the leader fence the former ones, in a turn of the connector', async () => {
  const fenced: string[] = []
  const fencing = { fence: (connector: string) => Promise.resolve(void fenced.push(connector)) }
  const { herder, settle } = await started(undefined, undefined, { fencing, leaderFencing: fencing })
  await herder.createConnector(request('c'))
  await settle()
  // This worker has fenced for the tasks that it starts itself.
  fenced.length = 0
  await herder.fenceZombies('c')
  assert.deepEqual(fenced, ['c'])
  await assert.rejects(herder.fenceZombies('other'), isRefused(404, /other/))
})

test('a leader that writes no transactions fences nothing', async () => {
  const { herder } = await started()
  await herder.createConnector(request('c'))
  await assert.rejects(herder.fenceZombies('c'), isRefused(500, /fenc/i))
})

// A new configuration may name another topic of offsets, which the task that runs does not write to.
test('the offsets of a task are those of the configuration with which it was started', async () => {
  const asked: ConfigMap[] = []
  const offsets = {
    read: (_connector: string, config: ConfigMap) => {
      asked.push(config)
      return Promise.resolve(new OffsetStore(captureLogger()))
    },
    write: () => Promise.resolve(),
  }
  const storage = new MemoryStorage(captureLogger())
  const { herder, runner, settle } = await started(storage, undefined, { offsets })
  await herder.createConnector(request('c', { 'offsets.storage.topic': 'one' }))
  await settle()
  // The change is known, and the turn that restarts the task has not run yet.
  storage.configs.listen((change) => {
    if (change.tag === 'connector') runner.listener.onClaimed('c', 0)
  })
  await herder.putConnectorConfig('c', ticksConfig('c', { 'offsets.storage.topic': 'two' }))
  await settle()
  assert.deepEqual(new Set(asked.map((config) => config['offsets.storage.topic'])), new Set(['one']))
})
