import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import type { GroupView } from '../group/group-view.ts'
import { SOLE_GROUP } from '../group/sole-group.ts'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { soleInternal } from '../testing/sole-internal.ts'
import { SessionKeyRotation } from './session-key-rotation.ts'

interface Fixture {
  readonly rotation: SessionKeyRotation
  readonly storage: MemoryStorage
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly stop: AbortController
}

function setUp(group: GroupView, storage = new MemoryStorage(captureLogger())): Fixture {
  const [clock, logger, stop] = [fakeClock(), captureLogger(), new AbortController()]
  const settings = { ...soleInternal().sessionKeys, keyTtlMs: 60_000 }
  const rotation = new SessionKeyRotation({
    configs: storage.configs,
    settings,
    group,
    clock,
    logger,
    stop: stop.signal,
  })
  return { rotation, storage, clock, logger, stop }
}

test('the leader stores a key, and another one whenever the last one is too old', async () => {
  const { rotation, storage, clock, stop } = setUp(SOLE_GROUP)
  rotation.check()
  await clock.advance(0)
  const first = storage.configs.sessionKey
  assert.ok(first !== null)
  await clock.advance(59_999)
  assert.equal(storage.configs.sessionKey, first)
  await clock.advance(1)
  assert.notEqual(storage.configs.sessionKey, first)
  stop.abort()
  assert.equal(clock.pending, 0)
})

for (const [name, group] of [
  ['a follower', { ...SOLE_GROUP, isLeader: false }],
  ['the leader of a group whose protocol has no session keys', { ...SOLE_GROUP, isSigned: false }],
] as const) {
  test(`${name} stores none`, async () => {
    const { rotation, storage, clock } = setUp(group)
    rotation.check()
    await clock.advance(120_000)
    assert.equal(storage.configs.sessionKey, null)
  })
}

test('a new leader keeps a key that is young enough', async () => {
  const { rotation, storage, clock } = setUp(SOLE_GROUP)
  rotation.check()
  await clock.advance(0)
  const key = storage.configs.sessionKey
  const next = setUp(SOLE_GROUP, storage)
  next.rotation.check()
  await next.clock.advance(59_000)
  assert.equal(storage.configs.sessionKey, key)
})

test('a write that fails is repeated', async () => {
  const { rotation, storage, clock, logger } = setUp(SOLE_GROUP)
  const put = storage.configs.putSessionKey.bind(storage.configs)
  storage.configs.putSessionKey = () => Promise.reject(new Error('the topic is gone'))
  rotation.check()
  await clock.advance(0)
  assert.match(logger.lines.at(-1)?.message ?? '', /could not be replaced.*the topic is gone/)
  storage.configs.putSessionKey = put
  await clock.advance(5_000)
  assert.notEqual(storage.configs.sessionKey, null)
})
