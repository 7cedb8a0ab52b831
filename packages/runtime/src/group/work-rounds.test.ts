import type { JoinedGroup } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { Lease, momentOf } from '../lease/lease.ts'
import { heldLease } from '../lease/testing/held-lease.ts'
import { GroupAssignment } from './group-assignment.ts'
import type { GroupMembers, GroupWork, WorkWatcher } from './group-work.ts'
import { CONFIG_MISMATCH, decodeAssignment, encodeAssignment, type Assignment } from './protocol/assignment.ts'
import { decodeMemberState, encodeMemberState, type MemberState } from './protocol/member-state.ts'
import type { OwnData } from './protocol/own-data.ts'
import { NO_WORK, type TaskRef, type Work } from './protocol/work.ts'
import { WorkRounds } from './work-rounds.ts'

const OWN: OwnData = {
  version: '1',
  features: [],
  group: 'g',
  configTopic: 'c',
  offsetTopic: 'o',
  statusTopic: 's',
  sessionTimeoutMs: 10_000,
  process: null,
  loads: null,
  isLeaving: false,
}

function workOf(...connectors: readonly string[]): Work {
  return { connectors, tasks: connectors.map((connector) => ({ connector, task: 0 })) }
}

/** Work whose reconcilers the test controls. */
class ScriptedWork implements GroupWork {
  configured: GroupWork['configured']
  readonly calls: string[] = []
  reconciling: Promise<void> = Promise.resolve()
  watcher: WorkWatcher | null = null
  unknown: readonly string[] = []

  constructor(work: Work) {
    this.configured = { work, offset: 10n, changedAt: 10n }
  }

  async catchUp(): Promise<void> {
    this.calls.push('catch up')
    this.configured = { ...this.configured, offset: 20n }
  }

  watch(watcher: WorkWatcher): void {
    this.watcher = watcher
  }

  canRun(connector: string): boolean {
    return !this.unknown.includes(connector)
  }

  loads(): null {
    return null
  }

  async reconcile(connectors: Iterable<string>): Promise<void> {
    this.calls.push(`reconcile ${[...connectors].join(' ')}`)
    await this.reconciling
  }

  readonly stuck = new Set<string>()

  has({ connector }: TaskRef): boolean {
    return this.stuck.has(connector)
  }

  async stopAll(): Promise<void> {
    this.calls.push('stop all')
  }

  startAll(): void {
    this.calls.push('start all')
  }

  members: GroupMembers | null = null

  reportIdle(idle: Work, members: GroupMembers): void {
    this.calls.push(`idle ${idle.connectors.join(' ')}`)
    this.members = members
  }
}

interface Fixture {
  readonly rounds: WorkRounds
  readonly assignment: GroupAssignment
  readonly work: ScriptedWork
  readonly requested: () => number
  readonly signal: AbortSignal
  readonly clock: FakeClock
}

function fixture(
  configured: Work = workOf('a', 'b'),
  lease: Lease = heldLease(),
  { isAttached = true, maxDelayMs = 0 } = {},
): Fixture {
  const [assignment, work, clock] = [new GroupAssignment(), new ScriptedWork(configured), fakeClock()]
  let requested = 0
  const rounds = new WorkRounds({
    assignment,
    url: 'http://own:8083/',
    own: OWN,
    protocol: 'sessioned',
    maxDelayMs,
    lease,
    onRound: () => Promise.resolve(),
    refuse: ({ own }) =>
      own === null || own.configTopic === 'c'
        ? null
        : runtimeErrors.WORKER_GROUP_TOPICS({ group: 'g', worker: '', theirs: own.configTopic, own: 'c' }),
    inspect: () => Promise.resolve(),
    requestRound: () => (requested += 1),
    expectRound: () => undefined,
    clock,
    logger: silentLogger,
  })
  if (isAttached) rounds.attach(work, () => undefined)
  return { rounds, assignment, work, requested: () => requested, signal: new AbortController().signal, clock }
}

/** The report of another member. */
function stateOf(running: Work, changes: Partial<MemberState> = {}): MemberState {
  const allocation = { ...MESSAGE, assigned: running, revoked: NO_WORK }
  return { version: 2, url: 'http://other:8083/', configOffset: 10n, allocation, own: OWN, ...changes }
}

const MESSAGE: Assignment = {
  version: 2,
  error: 0,
  leader: 'own',
  leaderUrl: 'http://own:8083/',
  configOffset: 10n,
  assigned: NO_WORK,
  revoked: NO_WORK,
  delayMs: 0,
}

/** A round that this worker leads. */
function groupOf({ rounds }: Fixture, others: Readonly<Record<string, MemberState>>, generationId = 1): JoinedGroup {
  const [own] = rounds.protocols()
  const members = Object.entries(others).map(([memberId, state]) => ({ memberId, metadata: encodeMemberState(state) }))
  return {
    memberId: 'own',
    generationId,
    leaderId: 'own',
    protocol: 'sessioned',
    members: [{ memberId: 'own', metadata: own?.metadata ?? Buffer.alloc(0) }, ...members],
  }
}

async function assigned({ rounds, signal }: Fixture, group: JoinedGroup): Promise<ReadonlyMap<string, Assignment>> {
  const list = await rounds.assign(group, signal)
  return new Map(list.map(({ memberId, assignment }) => [memberId, decodeAssignment(assignment)]))
}

/** Computes a round as its leader, and takes this worker's own part of it. */
async function lead(found: Fixture, group: JoinedGroup): Promise<'done' | 'again'> {
  const list = await found.rounds.assign(group, found.signal)
  const assignment = list.find(({ memberId }) => memberId === 'own')?.assignment ?? Buffer.alloc(0)
  const isAlone = group.members.length === 1
  return found.rounds.take({ group, assignment, isLeader: true, isAlone, isContinuous: true }, found.signal)
}

test('a worker that is alone has everything, and needs no round for what is created later', async () => {
  const found = fixture()
  const { rounds, assignment, work, requested } = found
  assert.equal(await lead(found, groupOf(found, {})), 'done')
  assert.equal(assignment.isAll, true)
  assert.deepEqual(work.calls, ['reconcile a b'])
  work.configured = { work: workOf('a', 'b', 'c'), offset: 11n, changedAt: 11n }
  work.watcher?.onChanged()
  assert.equal(requested(), 0)
  assert.equal(rounds.connectorOwnerUrl('c'), 'http://own:8083/')
})

test('a member that cannot be read gets nothing, and the others their share', async () => {
  const found = fixture()
  const group = groupOf(found, { other: stateOf(NO_WORK) })
  const stranger = { memberId: 'stranger', metadata: Buffer.from('x') }
  const byMember = await assigned(found, { ...group, members: [...group.members, stranger] })
  assert.deepEqual(byMember.get('stranger')?.assigned, NO_WORK)
  const shares = ['own', 'other'].flatMap((each) => byMember.get(each)?.assigned?.connectors ?? [])
  assert.deepEqual(shares.toSorted(), ['a', 'b'])
})

test('a worker that was suspended since its round alone starts nothing before its place is confirmed', async () => {
  const ownLease = new Lease(systemClock)
  const found = fixture(workOf('a'), ownLease)
  const taken = lead(found, groupOf(found, {}))
  await found.clock.advance(1_000)
  assert.deepEqual([found.work.calls, found.assignment.hasTask('a', 0)], [[], false])
  ownLease.renew(momentOf(systemClock), 86_400_000)
  assert.equal(await taken, 'done')
  assert.deepEqual(found.work.calls, ['reconcile a'])
})

test('work moves in two rounds: it is revoked and stopped in the first, and assigned in the second', async () => {
  const found = fixture()
  const { rounds, assignment, work, signal } = found
  rounds.startAlone()
  const stopping = Promise.withResolvers<void>()
  work.reconciling = stopping.promise
  await rounds.prepare(signal)
  const first = groupOf(found, { other: stateOf(NO_WORK) })
  const plan = await assigned(found, first)
  const moved = plan.get('own')?.revoked
  assert.deepEqual([moved?.connectors.length, moved?.tasks.length], [1, 1])
  assert.deepEqual(plan.get('other')?.assigned, NO_WORK)

  let outcome: string | null = null
  const taken = lead(found, first).then((result) => (outcome = result))
  await new Promise(setImmediate)
  assert.equal(outcome, null)
  assert.equal(assignment.hasConnector(moved?.connectors[0] ?? ''), false)
  stopping.resolve()
  await taken
  assert.equal(outcome, 'again')

  await rounds.prepare(signal)
  const second = await assigned(found, groupOf(found, { other: stateOf(NO_WORK) }, 2))
  assert.deepEqual(second.get('other')?.assigned, moved)
  assert.deepEqual(second.get('own')?.revoked, NO_WORK)
  assert.equal(rounds.connectorOwnerUrl(moved?.connectors[0] ?? ''), 'http://other:8083/')
})

test('a worker does not join the next round while a revoked task has not stopped', async () => {
  const found = fixture()
  const { rounds, work, signal, clock } = found
  rounds.startAlone()
  await rounds.prepare(signal)
  work.stuck.add('a').add('b')
  let outcome: string | null = null
  const taken = lead(found, groupOf(found, { other: stateOf(NO_WORK) })).then((result) => (outcome = result))
  await clock.advance(10_000)
  assert.equal(outcome, null)
  work.stuck.clear()
  await clock.advance(1_000)
  await taken
  assert.equal(outcome, 'again')
})

test('what a lost member ran is assigned in the round without it', async () => {
  const found = fixture()
  await found.rounds.prepare(found.signal)
  const other = stateOf(workOf('a', 'b'))
  await lead(found, groupOf(found, { other, third: stateOf(NO_WORK, { url: 'http://third:8083/' }) }))
  const plan = await assigned(found, groupOf(found, { third: stateOf(NO_WORK, { url: 'http://third:8083/' }) }, 2))
  const all = [...plan.values()].flatMap((each) => each.assigned?.tasks ?? [])
  assert.equal(all.length, 2)
})

test('the leader regards a task as run until its worker has joined a round without it', async () => {
  const found = fixture(workOf('a'))
  await found.rounds.prepare(found.signal)
  // The task of b no longer exists; this round revokes it.
  await lead(found, groupOf(found, { other: stateOf(workOf('b')) }))
  assert.equal(found.work.members?.mayRunTask('b', 0), true)
  assert.equal(found.work.members?.mayRunTask('a', 0), true)
  await lead(found, groupOf(found, { other: stateOf(NO_WORK) }, 2))
  assert.equal(found.work.members?.mayRunTask('b', 0), false)
})

test('the leader reads the config topic as far as the newest member has, and a follower as far as the leader', async () => {
  const found = fixture()
  const { rounds, work, signal } = found
  await rounds.prepare(signal)
  const plan = await assigned(found, groupOf(found, { other: stateOf(NO_WORK, { configOffset: 20n }) }))
  assert.deepEqual(work.calls, ['catch up'])
  assert.equal(plan.get('other')?.configOffset, 20n)

  const follower = fixture()
  const message = { ...MESSAGE, leader: 'other', configOffset: 20n, assigned: workOf('a') }
  const group = { ...groupOf(follower, {}), leaderId: 'other', members: [] }
  const round = { group, assignment: encodeAssignment(message), isLeader: false, isAlone: false, isContinuous: true }
  assert.equal(await follower.rounds.take(round, follower.signal), 'done')
  assert.deepEqual(follower.work.calls, ['catch up', 'reconcile a'])
  assert.deepEqual(follower.assignment.work(NO_WORK), workOf('a'))
})

test('connectors and tasks that were added or removed since the last round are a reason for another one', async () => {
  const found = fixture()
  const { work, requested, rounds, signal } = found
  await rounds.prepare(signal)
  await lead(found, groupOf(found, { other: stateOf(NO_WORK) }))
  // A changed configuration is no reason for a round.
  work.configured = { ...work.configured, offset: 12n }
  work.watcher?.onChanged()
  assert.equal(requested(), 0)
  work.configured = { work: workOf('a', 'b', 'c'), offset: 13n, changedAt: 13n }
  work.watcher?.onChanged()
  assert.equal(requested(), 1)
})

test('a worker with other topics gets no work and an error', async () => {
  const found = fixture()
  await found.rounds.prepare(found.signal)
  const stranger = stateOf(NO_WORK, { allocation: null, own: { ...OWN, configTopic: 'theirs' } })
  const plan = await assigned(found, groupOf(found, { stranger }))
  assert.deepEqual([plan.get('stranger')?.error, plan.get('stranger')?.assigned], [CONFIG_MISMATCH, NO_WORK])
  assert.deepEqual(plan.get('own')?.assigned, workOf('a', 'b'))
})

test('a newcomer with other topics gives way, also as the leader of workers that run something', async () => {
  const found = fixture()
  await found.rounds.prepare(found.signal)
  const state = stateOf(workOf('x'), { own: { ...OWN, configTopic: 'theirs' } })
  await assert.rejects(found.rounds.assign(groupOf(found, { state }), found.signal), { code: 'WORKER_GROUP_TOPICS' })
  assert.equal(found.rounds.mayBeRefused, true)
  found.rounds.startAlone()
  const plan = await assigned(found, groupOf(found, { state }))
  assert.equal(plan.get('state')?.error, CONFIG_MISMATCH)
})

test('a worker that cannot run anything yet gets nothing, and asks for its share when it can', async () => {
  const newcomer = fixture(NO_WORK, heldLease(), { isAttached: false })
  const { rounds, work, signal, requested } = newcomer
  await rounds.prepare(signal)
  const join = (): MemberState => decodeMemberState(rounds.protocols()[0]?.metadata ?? Buffer.alloc(0))
  const leader = fixture()
  leader.rounds.startAlone()
  await leader.rounds.prepare(leader.signal)
  const plan = await assigned(leader, groupOf(leader, { newcomer: join() }))
  assert.deepEqual([plan.get('own')?.revoked, plan.get('newcomer')?.assigned], [NO_WORK, NO_WORK])

  // It takes part in rounds meanwhile.
  const message = { ...MESSAGE, leader: 'other', configOffset: 20n }
  const group = { ...groupOf(newcomer, {}), leaderId: 'other', members: [] }
  const round = { group, assignment: encodeAssignment(message), isLeader: false, isAlone: false, isContinuous: true }
  assert.equal(await rounds.take(round, signal), 'done')
  assert.equal(requested(), 0)
  rounds.attach(work, () => undefined)
  assert.equal(requested(), 1)
  const next = await assigned(leader, groupOf(leader, { newcomer: join() }, 2))
  assert.equal(next.get('own')?.revoked?.tasks.length, 1)
})

test('work that waits for a lost worker waits on while that worker starts again', async () => {
  const found = fixture(workOf('a'), heldLease(), { maxDelayMs: 60_000 })
  await found.rounds.prepare(found.signal)
  const third = stateOf(NO_WORK, { url: 'http://third:8083/' })
  await lead(found, groupOf(found, { other: stateOf(workOf('a')), third }))
  const early = { ...stateOf(NO_WORK, { configOffset: -1n }), own: { ...OWN, isLeaving: true } }
  const plan = await assigned(found, groupOf(found, { other: early, third }, 2))
  assert.deepEqual(
    [...plan.values()].flatMap((each) => each.assigned?.tasks ?? []),
    [],
  )
  const ready = await assigned(found, groupOf(found, { other: stateOf(NO_WORK), third }, 3))
  assert.deepEqual(ready.get('other')?.assigned, workOf('a'))
})

test('a worker that the leader does not accept is not admitted', async () => {
  const { rounds, signal, clock } = fixture()
  const group = { memberId: 'own', generationId: 2, leaderId: 'other', protocol: 'sessioned', members: [] }
  const message = { ...MESSAGE, leader: 'other', error: CONFIG_MISMATCH }
  const round = { group, assignment: encodeAssignment(message), isLeader: false, isAlone: false, isContinuous: true }
  const taken = rounds.take(round, signal)
  await clock.advance(1_000)
  assert.equal(await taken, 'again')
  assert.equal(rounds.mayBeRefused, true)
  await rounds.take({ ...round, assignment: encodeAssignment({ ...message, error: 0 }) }, signal)
  assert.equal(rounds.mayBeRefused, false)
})

test('a worker of Kafka Connect gets only connectors whose class this worker does not have', async () => {
  const found = fixture(workOf('a', 'java'))
  found.work.unknown = ['java']
  await found.rounds.prepare(found.signal)
  const plan = await assigned(found, groupOf(found, { other: stateOf(NO_WORK, { own: null }) }))
  assert.deepEqual(plan.get('own')?.assigned, workOf('a'))
  assert.deepEqual(plan.get('other')?.assigned, workOf('java'))
})

test('a worker that has lost its membership reports nothing of what it may still run', async () => {
  const found = fixture()
  found.rounds.startAlone()
  await found.rounds.prepare(found.signal)
  found.rounds.lose()
  const group = groupOf(found, { other: stateOf(workOf('a', 'b')) }, 5)
  const plan = await assigned(found, group)
  // Otherwise neither worker would run it.
  assert.deepEqual([plan.get('own')?.revoked, plan.get('other')?.revoked?.tasks.length], [NO_WORK, 1])
})

test('when version 0 of the protocol is chosen, everything is stopped in one round and assigned in the next', async () => {
  const found = fixture()
  const { rounds, assignment, work, signal } = found
  rounds.startAlone()
  await rounds.prepare(signal)
  const eager = (generationId: number): JoinedGroup => ({
    ...groupOf(found, { other: stateOf(NO_WORK, { version: 0, allocation: null }) }, generationId),
    protocol: 'default',
  })
  assert.equal(await lead(found, eager(1)), 'again')
  assert.deepEqual(assignment.work(NO_WORK), NO_WORK)
  assert.deepEqual(work.calls.slice(0, 1), ['reconcile a b'])

  await rounds.prepare(signal)
  const plan = await assigned(found, eager(2))
  const all = [...plan.values()].flatMap((each) => each.assigned?.connectors ?? [])
  assert.deepEqual(all.toSorted(), ['a', 'b'])
  assert.equal(await lead(found, eager(2)), 'done')
  // And before each further round.
  await rounds.prepare(signal)
  assert.deepEqual(assignment.work(NO_WORK), NO_WORK)
})
