import { kafkaErrors, type JoinedGroup } from '@tributary/kafka'
import { silentLogger } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWorkerConfig } from '../config/worker-config.ts'
import { Lease } from '../lease/lease.ts'
import { GroupAssignment } from './group-assignment.ts'
import type { GroupWork } from './group-work.ts'
import { encodeMemberState } from './protocol/member-state.ts'
import { ScriptedCoordinator } from './testing/scripted-coordinator.ts'
import { topicGroup, WorkerMembership } from './worker-membership.ts'

const config = parseWorkerConfig({
  'bootstrap.servers': 'broker:9092',
  'group.id': 'g',
  'config.storage.topic': 'configs',
  'offset.storage.topic': 'offsets',
  'status.storage.topic': 'statuses',
  'key.converter': 'Text',
  'value.converter': 'Text',
})
const GUARD = topicGroup(config)
const unreachable = kafkaErrors.CONNECTION_LOST({ broker: 'b', reason: 'the machine was suspended' })

/** The work of a connector; `calls` has what the membership asks of it. */
function workOf(calls: string[]): GroupWork {
  return {
    configured: { work: { connectors: ['c'], tasks: [{ connector: 'c', task: 0 }] }, offset: 1n, changedAt: 1n },
    catchUp: () => Promise.resolve(),
    watch: () => undefined,
    canRun: () => true,
    loads: () => null,
    reconcile: () => Promise.resolve(),
    has: () => false,
    stopAll: () => Promise.resolve(void calls.push('stop all')),
    startAll: () => void calls.push('start all'),
    reportIdle: () => undefined,
  }
}

function onlyMember(generationId: number): JoinedGroup {
  const state = { version: 1, url: 'http://own:8083/', configOffset: 1n, allocation: null, own: null } as const
  const members = [{ memberId: 'a', metadata: encodeMemberState(state) }]
  return { memberId: 'a', generationId, leaderId: 'a', protocol: 'compatible', members }
}

interface StartingFixture extends Fixture {
  readonly membership: WorkerMembership
}

interface Fixture extends AsyncDisposable {
  readonly guard: ScriptedCoordinator
  readonly main: ScriptedCoordinator
  readonly lease: Lease
  readonly clock: FakeClock
  readonly calls: string[]
}

/** A worker that is alone in both groups, has everything, and is starting. */
async function starting(): Promise<StartingFixture> {
  const [guard, main, clock] = [new ScriptedCoordinator(), new ScriptedCoordinator(), fakeClock()]
  const [calls, lease] = [[] as string[], new Lease(clock)]
  const membership = new WorkerMembership({
    kafka: { group: ({ groupId }) => (groupId === GUARD ? guard : main) },
    config,
    workerId: 'own:8083',
    url: 'http://own:8083/',
    version: '1',
    assignment: new GroupAssignment(),
    lease,
    process: null,
    clock,
    logger: silentLogger,
  })
  await membership.join(new AbortController().signal)
  return { guard, main, lease, clock, calls, membership, [Symbol.asyncDispose]: () => membership.leave() }
}

/** The same when it has started. */
async function settled(): Promise<Fixture> {
  const found = await starting()
  const { guard, main, clock, calls, membership } = found
  membership.listen(workOf(calls), () => undefined)
  for (const group of [guard, main]) group.answer({ tag: 'joined', group: onlyMember(1) })
  await clock.advance(0)
  return found
}

test('after a suspension nothing starts while the place in one of the two groups is not confirmed', async () => {
  await using found = await settled()
  const { guard, main, lease, clock, calls } = found
  assert.equal(lease.isHeld, true)
  for (const group of [guard, main]) group.beat = unreachable
  await clock.advance(config.sessionTimeoutMs)
  assert.equal(lease.isHeld, false)

  // The worker hears from one coordinator first, which has removed it, and joins that group again.
  guard.beat = 'lost'
  await clock.advance(config.heartbeatIntervalMs)
  guard.beat = 'alive'
  guard.answer({ tag: 'joined', group: onlyMember(2) })
  await clock.advance(config.heartbeatIntervalMs)
  assert.ok(guard.requests.includes('sync 2'))
  assert.deepEqual([calls, lease.isHeld], [['stop all'], false])

  main.beat = 'alive'
  await clock.advance(config.heartbeatIntervalMs)
  assert.deepEqual([calls, lease.isHeld], [['stop all', 'start all'], true])
})

test('after a suspension that has ended both memberships, the work starts once, when both are regained', async () => {
  await using found = await settled()
  const { guard, main, lease, clock, calls } = found
  for (const group of [guard, main]) group.beat = 'lost'
  await clock.advance(config.heartbeatIntervalMs)
  for (const group of [guard, main]) group.beat = 'alive'
  guard.answer({ tag: 'joined', group: onlyMember(2) })
  await clock.advance(config.heartbeatIntervalMs)
  assert.deepEqual([calls, lease.isHeld], [['stop all'], false])
  main.answer({ tag: 'joined', group: onlyMember(2) })
  await clock.advance(config.heartbeatIntervalMs)
  assert.deepEqual([calls, lease.isHeld], [['stop all', 'start all'], true])
})

test('a worker whose memberships end while it starts has the lease again before it has started', async () => {
  await using found = await starting()
  const { guard, main, lease, clock, calls, membership } = found
  for (const group of [guard, main]) group.answer({ tag: 'joined', group: onlyMember(1) })
  await clock.advance(0)
  assert.equal(lease.isHeld, true)
  for (const group of [guard, main]) Object.assign(group, { beat: 'lost', listed: [] })
  await clock.advance(config.heartbeatIntervalMs)
  assert.equal(lease.isHeld, false)

  for (const group of [guard, main]) {
    Object.assign(group, { beat: 'alive', listed: ['a'] })
    group.answer({ tag: 'joined', group: onlyMember(2) })
  }
  await clock.advance(config.heartbeatIntervalMs)
  // The round waits for the start, and the start may wait for the lease.
  assert.deepEqual([main.requests.includes('sync 2'), lease.isHeld, calls], [false, true, []])

  membership.listen(workOf(calls), () => undefined)
  await clock.advance(0)
  assert.deepEqual([main.requests.includes('sync 2'), lease.isHeld], [true, true])
})
