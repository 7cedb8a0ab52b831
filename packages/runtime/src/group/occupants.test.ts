import type { GroupClient, GroupMember } from '@tributary/kafka'
import { StoppedError } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { Occupants } from './occupants.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { encodeMemberState } from './protocol/member-state.ts'

/** A group with the members of the test. Real groups are in tests/e2e/group-membership.full.test.ts; here time passes faster. */
class ScriptedGroup implements Pick<GroupClient, 'describe' | 'leave'> {
  members: readonly GroupMember[]
  protocolType = 'connect'

  constructor(...members: readonly GroupMember[]) {
    this.members = members
  }

  describe(): ReturnType<GroupClient['describe']> {
    return Promise.resolve({ state: 'Stable', protocolType: this.protocolType, members: this.members })
  }

  readonly removed: string[] = []

  leave(memberId: string): Promise<void> {
    this.removed.push(memberId)
    return Promise.resolve()
  }
}

const ELSEWHERE = { host: 'elsewhere', bootId: 'b', pidNamespace: 'n', pid: 1, startTime: '1' }

function member(memberId: string, sessionTimeoutMs: number, process: ProcessIdentity = ELSEWHERE): GroupMember {
  const topics = { configTopic: 'c', offsetTopic: 'o', statusTopic: 's' }
  const own = { version: '1', features: [], group: 'g', ...topics, sessionTimeoutMs, process, loads: null }
  const state = { version: 0, url: 'http://a:8083/', configOffset: -1n, allocation: null } as const
  const metadata = encodeMemberState({ ...state, own: { ...own, isLeaving: false } })
  return { memberId, clientId: 'connect-a:8083', host: '10.0.0.1', metadata }
}

function otherTopics(): Buffer {
  const topics = { configTopic: 'x', offsetTopic: 'o', statusTopic: 's' }
  const own = { version: '1', features: [], group: 'g', ...topics, sessionTimeoutMs: 1, process: null, loads: null }
  const state = { version: 2, url: 'http://a:8083/', configOffset: 5n, allocation: null } as const
  return encodeMemberState({ ...state, own: { ...own, isLeaving: false } })
}

const HERE = { host: 'here', bootId: 'b', pidNamespace: 'n', pid: 2, startTime: '2' }

function fixture(group: ScriptedGroup, own: ProcessIdentity = HERE) {
  const [clock, logger] = [fakeClock(), captureLogger()]
  const occupants = new Occupants({
    client: group as unknown as GroupClient,
    groupId: 'g',
    own,
    sessionTimeoutMs: 10_000,
    refusal: (worker) => runtimeErrors.WORKER_GROUP_TAKEN({ group: 'g', worker }),
    objection: (worker, { own }) =>
      own?.configTopic === 'c'
        ? null
        : runtimeErrors.WORKER_GROUP_TOPICS({ group: 'g', worker, theirs: 'x', own: 'c' }),
    clock,
    logger,
  })
  const stop = new AbortController()
  /** Meets the members again and again until the time is over or the worker is refused. */
  const meetFor = async (ms: number): Promise<Error | null> => {
    const untilMs = clock.monotonicMs() + ms
    while (clock.monotonicMs() < untilMs) {
      const outcome = occupants.meet(stop.signal).then(
        () => null,
        (error: Error) => error,
      )
      let result: Error | null | undefined
      void outcome.then((value) => (result = value))
      for (let i = 0; i < 10 && result === undefined; i++) await clock.advance(50)
      if (result !== null && result !== undefined) return result
    }
    return null
  }
  return { occupants, clock, logger, stop, meetFor }
}

test('a member that stays is refused after its session, or this one if that is longer, and five seconds', async () => {
  for (const [sessionMs, waitMs] of [
    [30_000, 35_000],
    [6_000, 15_000],
  ] as const) {
    const { logger, meetFor } = fixture(new ScriptedGroup(member('m', sessionMs)))
    assert.equal(await meetFor(waitMs - 500), null)
    const refusal = await meetFor(1_500)
    assert.match(
      refusal?.message ?? '',
      /Group g .* running worker .*: worker http:\/\/a:8083\/ \(client connect-a:8083 at 10\.0\.0\.1\)/,
    )
    assert.equal(logger.lines.length, 1)
    assert.match(JSON.stringify(logger.lines), new RegExp(`ends within ${waitMs / 1000} s`))
  }
})

test('a member that has joined during the wait runs', async () => {
  const group = new ScriptedGroup(member('first', 10_000))
  const { meetFor } = fixture(group)
  assert.equal(await meetFor(2_000), null)
  group.members = [member('second', 10_000)]
  assert.match((await meetFor(500))?.message ?? '', /Group g/)
})

test('an empty group is tried again; consumers are refused at once', async () => {
  const group = new ScriptedGroup()
  const { meetFor } = fixture(group)
  assert.equal(await meetFor(60_000), null)
  group.members = [member('consumer', 10_000)]
  group.protocolType = 'consumer'
  assert.match(
    (await meetFor(500))?.message ?? '',
    /members that are not Connect workers: .*\(protocol type consumer\)/,
  )
})

test('a stop ends the wait', async () => {
  const { occupants, stop } = fixture(new ScriptedGroup(member('m', 10_000)))
  const meeting = occupants.meet(stop.signal)
  stop.abort()
  await assert.rejects(meeting, StoppedError)
})

test('before a worker joins, members whose process has ended are removed, and others are left alone', async () => {
  const ended = { ...HERE, pid: 2 ** 22 + 1, startTime: '1' }
  const group = new ScriptedGroup(member('ended', 10_000, ended), member('unknown', 10_000))
  const { occupants, stop, logger } = fixture(group, HERE)
  await occupants.inspect(stop.signal)
  assert.deepEqual(group.removed, ['ended'])
  assert.match(JSON.stringify(logger.lines), /worker http:..a:8083. .* has ended without leaving group g: its process/)
})

test('a worker with other topics refuses to join; members of another kind are for the coordinator to refuse', async () => {
  const group = new ScriptedGroup({ ...member('m', 10_000), metadata: otherTopics() })
  const { occupants, stop } = fixture(group)
  await assert.rejects(occupants.inspect(stop.signal), /other internal topics: worker http:..a:8083/)
  group.protocolType = 'consumer'
  await occupants.inspect(stop.signal)
})
