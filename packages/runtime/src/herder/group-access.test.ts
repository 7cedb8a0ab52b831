import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import type { GroupView } from '../group/group-view.ts'
import { SOLE_GROUP } from '../group/sole-group.ts'
import { GroupAccess } from './group-access.ts'
import { HerderError } from './herder-error.ts'

type MutableGroup = { -readonly [K in keyof GroupView]: GroupView[K] }

function setUp(changes: Partial<GroupView>): {
  access: GroupAccess
  group: MutableGroup
  clock: FakeClock
  stop: AbortController
} {
  const clock = fakeClock()
  const stop = new AbortController()
  const group: MutableGroup = { ...SOLE_GROUP, isSole: false, ...changes }
  return { access: new GroupAccess(group, clock, stop.signal), group, clock, stop }
}

const done = (): Promise<string> => Promise.resolve('done')
const follower = { isLeader: false, leaderUrl: 'http://leader/' }

function isProblem(problem: unknown): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof HerderError)
    assert.deepEqual(error.problem, problem)
    return true
  }
}

test('the leader executes, and a follower names the leader', async () => {
  assert.equal(await setUp({}).access.asLeader(done), 'done')
  const notLeader = isProblem({ tag: 'not leader', leaderUrl: 'http://leader/' })
  await assert.rejects(setUp(follower).access.asLeader(done), notLeader)
})

test('a worker that is alone does not wait for a group', async () => {
  const { access } = setUp({ isSole: true, settled: () => new Promise(() => undefined) })
  assert.equal(await access.asLeader(done), 'done')
})

test('a change waits for the end of a rebalance, and then meets the new roles', async () => {
  let end = (): void => undefined
  const { access, group } = setUp({ settled: () => new Promise((resolve) => (end = resolve)) })
  const change = access.asLeader(done)
  Object.assign(group, follower)
  end()
  await assert.rejects(change, isProblem({ tag: 'not leader', leaderUrl: 'http://leader/' }))
})

test('a rebalance that takes longer than five seconds ends the wait', async () => {
  const { access, clock } = setUp({ settled: () => new Promise(() => undefined) })
  const rejected = assert.rejects(access.asLeader(done), isProblem({ tag: 'rebalancing' }))
  await clock.advance(5_000)
  await rejected
})

test('a stop of the worker ends the wait', async () => {
  const { access, stop } = setUp({ settled: () => new Promise(() => undefined) })
  const rejected = assert.rejects(access.asLeader(done), isProblem({ tag: 'worker stopping' }))
  stop.abort()
  await rejected
})

test('what a task reports is known where it runs; the leader knows where, and nobody waits', () => {
  const settled = (): Promise<void> => new Promise(() => undefined)
  const names = {
    taskOwnerUrl: (name: string, task: number) => `http://${name}-${task}/`,
    connectorOwnerUrl: (name: string) => `http://${name}/`,
  }
  const nothing = { settled, ...names, ownsTask: () => false, ownsConnector: () => false }
  const leader = setUp(nothing).access
  assert.throws(() => leader.requireRunner('a', true), isProblem({ tag: 'not owner', ownerUrl: 'http://a-0/' }))
  assert.throws(() => leader.requireRunner('a', false), isProblem({ tag: 'not owner', ownerUrl: 'http://a/' }))
  const other = setUp({ ...nothing, ...follower }).access
  const notLeader = isProblem({ tag: 'not leader', leaderUrl: 'http://leader/' })
  assert.throws(() => other.requireRunner('a', true), notLeader)
  const runner = setUp({ ...nothing, ...follower, ownsTask: (name, task) => name === 'a' && task === 0 }).access
  runner.requireRunner('a', true)
  assert.throws(() => runner.requireRunner('a', false), notLeader)
  setUp({ ...nothing, isSole: true }).access.requireRunner('a', true)
})

test('a restart is executed by the worker that runs the connector or task; only the leader knows which', async () => {
  const owner = setUp({
    ...follower,
    ownsConnector: (name) => name === 'a',
    ownsTask: (name, task) => name === 'a' && task === 1,
  })
  assert.equal(await owner.access.asOwnerOfConnector('a', done), 'done')
  assert.equal(await owner.access.asOwnerOfTask('a', 1, done), 'done')
  await assert.rejects(
    owner.access.asOwnerOfTask('a', 0, done),
    isProblem({ tag: 'not leader', leaderUrl: 'http://leader/' }),
  )
  const leader = setUp({
    ownsConnector: () => false,
    ownsTask: () => false,
    connectorOwnerUrl: (name) => (name === 'a' ? 'http://owner/' : null),
    taskOwnerUrl: () => 'http://other/',
  })
  await assert.rejects(
    leader.access.asOwnerOfConnector('a', done),
    isProblem({ tag: 'not owner', ownerUrl: 'http://owner/' }),
  )
  await assert.rejects(leader.access.asOwnerOfConnector('b', done), isProblem({ tag: 'not owner', ownerUrl: null }))
  await assert.rejects(
    leader.access.asOwnerOfTask('a', 0, done),
    isProblem({ tag: 'not owner', ownerUrl: 'http://other/' }),
  )
})

test('what a worker does not know may have been stored just now: it reads the topic to its end first', async () => {
  const known = new Set(['a'])
  let reads = 0
  const { access } = setUp({
    ...follower,
    settled: () => new Promise(() => undefined),
    catchUp: () => {
      reads += 1
      known.add('b')
      return Promise.resolve()
    },
  })
  const answers = []
  for (const name of ['a', 'b', 'c']) answers.push(await access.isKnown(() => known.has(name)))
  assert.deepEqual([answers, reads], [[true, true, false], 2])
})

test('a topic that cannot be read leaves unknown what exists', async () => {
  const { access, clock } = setUp({ catchUp: () => new Promise(() => undefined) })
  const rejected = assert.rejects(
    access.isKnown(() => false),
    isProblem({ tag: 'rebalancing' }),
  )
  await clock.advance(5_000)
  await rejected
})
