import type { JoinedGroup } from '@tributary/kafka'
import { silentLogger, StoppedError } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { GroupMember, type CompletedRound, type GroupRounds } from './group-member.ts'
import { Occupants } from './occupants.ts'
import { ScriptedCoordinator } from './testing/scripted-coordinator.ts'

const SESSION_MS = 10_000
const REBALANCE_MS = 60_000
const HEARTBEAT_MS = 3_000

function joinedAt(generationId: number): JoinedGroup {
  const members = [{ memberId: 'a', metadata: Buffer.alloc(0) }]
  return { memberId: 'a', generationId, leaderId: 'a', protocol: 'p', members }
}

interface Fixture {
  readonly coordinator: ScriptedCoordinator
  readonly member: GroupMember
  readonly clock: FakeClock
  readonly rounds: CompletedRound[]
  /** The work that the member has to stop before it joins. */
  readonly preparing: { promise: Promise<void> }
  /** Until when the place is confirmed, by the monotonic clock. */
  readonly confirmedUntil: () => number
  readonly stop: AbortController
  /** What the member's part of each round throws, and whether it was never accepted. */
  readonly refusing: { mayBeRefused: boolean; refusal: Error | null }
}

function fixture(): Fixture {
  const [coordinator, clock, rounds] = [new ScriptedCoordinator(), fakeClock(), [] as CompletedRound[]]
  const preparing = { promise: Promise.resolve() }
  const common = { client: coordinator, groupId: 'g', sessionTimeoutMs: SESSION_MS, clock, logger: silentLogger }
  const refusal = (): never => assert.fail('nobody else is in the group')
  const refusing = { mayBeRefused: true, refusal: null as Error | null }
  const groupRounds: GroupRounds = {
    get mayBeRefused() {
      return refusing.mayBeRefused
    },
    prepare: () => preparing.promise,
    assign: () => Promise.resolve([]),
    take: (round) => {
      rounds.push(round)
      return refusing.refusal === null ? Promise.resolve('done') : Promise.reject(refusing.refusal)
    },
  }
  let until = 0
  const member = new GroupMember({
    ...common,
    occupants: new Occupants({ ...common, own: null, refusal, objection: () => null }),
    rounds: groupRounds,
    rebalanceTimeoutMs: REBALANCE_MS,
    heartbeatIntervalMs: HEARTBEAT_MS,
    onConfirmed: (end) => (until = end.monotonicMs),
  })
  const stop = new AbortController()
  return { coordinator, member, clock, rounds, preparing, confirmedUntil: () => until, stop, refusing }
}

/** A member that has completed its first round. */
async function settled(): Promise<Fixture & { readonly kept: Promise<void> }> {
  const found = fixture()
  const { coordinator, member, clock, stop } = found
  assert.deepEqual(await member.enter({ isNew: true }, stop.signal), { isAlone: true })
  const kept = member.keep(stop.signal)
  coordinator.answer({ tag: 'joined', group: joinedAt(1) })
  await clock.advance(0)
  coordinator.requests.splice(0)
  return { ...found, kept }
}

test('a member is one as soon as the coordinator lists it, and keeps its place until the join is answered', async () => {
  const { coordinator, member, clock, rounds, confirmedUntil, stop } = fixture()
  await member.enter({ isNew: true }, stop.signal)
  const kept = member.keep(stop.signal)
  await clock.advance(20_000)
  assert.deepEqual(rounds, [])
  assert.ok(confirmedUntil() > clock.monotonicMs())
  coordinator.answer({ tag: 'joined', group: joinedAt(1) })
  await clock.advance(0)
  assert.deepEqual(
    rounds.map(({ isAlone, isLeader, isContinuous }) => [isAlone, isLeader, isContinuous]),
    [[true, true, false]],
  )
  assert.deepEqual(coordinator.requests, ['join ', 'join a', 'sync 1'])
  stop.abort()
  await assert.rejects(kept, StoppedError)
})

test('a description proves no place when the answer to the first join may be lost on its way', async () => {
  const { coordinator, member, clock, confirmedUntil, stop } = fixture()
  await member.enter({ isNew: true }, stop.signal)
  const kept = member.keep(stop.signal)
  await clock.advance(HEARTBEAT_MS)
  const until = confirmedUntil()
  // The coordinator has answered, and the session has begun.
  coordinator.state = 'Stable'
  await clock.advance(2 * HEARTBEAT_MS)
  assert.equal(confirmedUntil(), until)
  coordinator.listed = ['b']
  await clock.advance(HEARTBEAT_MS)
  await kept
})

test('heartbeats continue while a round waits for tasks to stop and for other members', async () => {
  const { coordinator, clock, rounds, preparing, confirmedUntil } = await settled()
  const stopped = Promise.withResolvers<void>()
  preparing.promise = stopped.promise
  coordinator.beat = 'rebalancing'
  await clock.advance(9 * HEARTBEAT_MS)
  // It has not joined: the work that it has to give up still runs.
  assert.deepEqual([...new Set(coordinator.requests)], ['heartbeat 1'])
  stopped.resolve()
  await clock.advance(0)
  assert.equal(coordinator.requests.at(-1), 'join a')
  await clock.advance(HEARTBEAT_MS)
  assert.equal(coordinator.requests.at(-1), 'heartbeat 1')
  assert.ok(confirmedUntil() > clock.monotonicMs())
  coordinator.beat = 'alive'
  coordinator.answer({ tag: 'joined', group: joinedAt(2) })
  await clock.advance(0)
  assert.equal(rounds.at(-1)?.group.generationId, 2)
  assert.equal(rounds.at(-1)?.isContinuous, true)
})

test('a member that does not join a round loses its place in time, whatever its heartbeats', async () => {
  const { coordinator, clock, preparing, confirmedUntil } = await settled()
  preparing.promise = new Promise(() => undefined)
  await clock.advance(HEARTBEAT_MS)
  // The coordinator may have begun the round right after this heartbeat.
  const lastAliveMs = clock.monotonicMs()
  coordinator.beat = 'rebalancing'
  await clock.advance(REBALANCE_MS)
  assert.ok(confirmedUntil() <= lastAliveMs + REBALANCE_MS * 0.8, `${confirmedUntil() - lastAliveMs}`)
})

test('an answer about another generation confirms nothing, and makes the member join again with its id', async () => {
  const { coordinator, clock, confirmedUntil } = await settled()
  const until = confirmedUntil()
  coordinator.beat = 'stale'
  await clock.advance(HEARTBEAT_MS)
  assert.equal(confirmedUntil(), until)
  assert.equal(coordinator.requests.at(-1), 'join a')
})

test('a join that the coordinator has not received is repeated, and so is a sync whose answer is lost', async () => {
  const { coordinator, member, clock, rounds } = await settled()
  const interrupts = (): number => coordinator.requests.filter((each) => each === 'interrupt').length
  member.requestRound()
  await clock.advance(0)
  // Others are still joining.
  coordinator.beat = 'rebalancing'
  await clock.advance(3 * SESSION_MS)
  assert.equal(interrupts(), 0)
  // Nobody is: the coordinator waits for no member.
  coordinator.beat = 'alive'
  await clock.advance(HEARTBEAT_MS + 2_000)
  assert.equal(interrupts(), 1)
  assert.equal(coordinator.requests.filter((each) => each === 'join a').length, 2)

  coordinator.loseSync()
  coordinator.state = 'CompletingRebalance'
  coordinator.answer({ tag: 'joined', group: joinedAt(2) })
  // The leader has not synchronized yet.
  await clock.advance(3 * SESSION_MS)
  assert.equal(interrupts(), 1)
  coordinator.state = 'Stable'
  await clock.advance(HEARTBEAT_MS + 2_000)
  assert.equal(interrupts(), 2)
  coordinator.answer({ tag: 'joined', group: joinedAt(2) })
  await clock.advance(0)
  assert.equal(rounds.at(-1)?.group.generationId, 2)
})

test('a refusal in a round ends a member that was never accepted; one that was runs on', async () => {
  const refusal = runtimeErrors.WORKER_GROUP_TOPICS({ group: 'g', worker: 'w', theirs: 'a', own: 'b' })
  for (const mayBeRefused of [true, false]) {
    const { coordinator, member, clock, rounds, refusing, stop } = fixture()
    Object.assign(refusing, { mayBeRefused, refusal })
    await member.enter({ isNew: true }, stop.signal)
    let ended: unknown = null
    const kept = member.keep(stop.signal).catch((error: unknown) => (ended = error))
    coordinator.answer({ tag: 'joined', group: joinedAt(1) })
    await clock.advance(0)
    assert.equal(rounds.length, 1)
    assert.equal(ended, mayBeRefused ? refusal : null)
    stop.abort()
    await kept
  }
})

test('a requested round takes place at once', async () => {
  const { coordinator, member, clock } = await settled()
  member.requestRound()
  await clock.advance(0)
  assert.deepEqual(coordinator.requests, ['join a'])
})

test('a member that expects a round asks often for a while', async () => {
  const { coordinator, member, clock } = await settled()
  member.expectRound()
  await clock.advance(500)
  const { length } = coordinator.requests
  assert.ok(length >= 5, `${length}`)
  await clock.advance(1_700)
  coordinator.requests.splice(0)
  await clock.advance(HEARTBEAT_MS)
  assert.ok(coordinator.requests.length <= 2, `${coordinator.requests.length}`)
})

test('a lost membership is reported before the group is left, and another is entered only after that', async () => {
  const { coordinator, member, clock, rounds, kept, stop } = await settled()
  const left = Promise.withResolvers<void>()
  coordinator.left = left.promise
  coordinator.beat = 'lost'
  await clock.advance(HEARTBEAT_MS)
  await kept
  assert.deepEqual(coordinator.requests, ['heartbeat 1'])

  coordinator.beat = 'alive'
  const entered = member.enter({ isNew: false }, stop.signal)
  await clock.advance(60_000)
  assert.deepEqual(coordinator.requests.slice(1), ['leave a'])
  left.resolve()
  await entered
  assert.deepEqual(coordinator.requests.slice(1), ['leave a', 'join ', 'join a'])

  // Two generations later: one without members, and its own. But a worker that was listed alone has run before its
  // first generation.
  void member.keep(stop.signal).catch(() => undefined)
  coordinator.answer({ tag: 'joined', group: joinedAt(3) })
  await clock.advance(0)
  assert.equal(rounds.at(-1)?.isAlone, true)
  assert.equal(rounds.at(-1)?.isContinuous, false)
})
