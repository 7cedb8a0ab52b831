import type { GroupClient, GroupMember } from '@tributary/kafka'
import { StoppedError } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runtimeErrors } from '../errors.ts'
import { encodeMetadata } from './member-metadata.ts'
import { Occupants } from './occupants.ts'

/** A group with the members of the test. Real groups are in tests/e2e/group.server.test.ts; here time passes faster. */
class ScriptedGroup implements Pick<GroupClient, 'describe' | 'leave'> {
  members: readonly GroupMember[]
  protocolType = 'connect'

  constructor(...members: readonly GroupMember[]) {
    this.members = members
  }

  describe(): ReturnType<GroupClient['describe']> {
    return Promise.resolve({ state: 'Stable', protocolType: this.protocolType, members: this.members })
  }

  leave(): Promise<void> {
    return Promise.reject(new Error('no member may be removed whose process is unknown'))
  }
}

function member(memberId: string, sessionTimeoutMs: number): GroupMember {
  const process = { host: 'elsewhere', bootId: 'b', pidNamespace: 'n', pid: 1, startTime: '1' }
  const metadata = encodeMetadata({ url: 'http://a:8083/', group: 'g', configTopic: 'c', sessionTimeoutMs, process })
  return { memberId, clientId: 'connect-a:8083', host: '10.0.0.1', metadata }
}

function fixture(group: ScriptedGroup) {
  const [clock, logger] = [fakeClock(), captureLogger()]
  const occupants = new Occupants({
    client: group as unknown as GroupClient,
    groupId: 'g',
    own: { host: 'here', bootId: 'b', pidNamespace: 'n', pid: 2, startTime: '2' },
    sessionTimeoutMs: 10_000,
    refusal: (worker) => runtimeErrors.WORKER_GROUP_TAKEN({ group: 'g', worker }),
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
      /Group g .* running worker: worker http:\/\/a:8083\/ \(client connect-a:8083 at 10\.0\.0\.1\)/,
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
