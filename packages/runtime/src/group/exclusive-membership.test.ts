import type { GroupClient, JoinedGroup } from '@tributary/kafka'
import { silentLogger } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExclusiveMembership } from './exclusive-membership.ts'
import { Occupants } from './occupants.ts'

const joined: JoinedGroup = { memberId: 'a', generationId: 1, leaderId: 'a', protocol: 'p', members: [] }

test('a lost membership is reported before the group is left, and another is entered only after that', async () => {
  const clock = fakeClock()
  const left = Promise.withResolvers<undefined>()
  const requests: string[] = []
  const client: GroupClient = {
    connect: () => Promise.resolve(),
    describe: () => Promise.resolve({ state: 'Stable', protocolType: 'connect', members: [] }),
    join: (memberId) => {
      requests.push(`join ${memberId}`)
      return Promise.resolve({ tag: 'joined', group: joined })
    },
    sync: () => Promise.resolve({ tag: 'alive', assignment: Buffer.alloc(0) }),
    heartbeat: () => Promise.resolve('lost'),
    leave: async (memberId) => {
      requests.push(`leave ${memberId}`)
      await left.promise
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
  const common = { client, groupId: 'g', clock, logger: silentLogger }
  const refusal = (): never => assert.fail('nobody else is in the group')
  const membership = new ExclusiveMembership({
    ...common,
    occupants: new Occupants({ ...common, own: null, sessionTimeoutMs: 10_000, refusal }),
    heartbeatIntervalMs: 3_000,
    onConfirmed: () => undefined,
  })
  const { signal } = new AbortController()
  await membership.enter({ isComplete: true }, signal)
  const kept = membership.keep(signal)
  await clock.advance(3_000)
  await kept
  assert.deepEqual(requests, ['join '])

  const entered = membership.enter({ isComplete: true }, signal)
  await clock.advance(60_000)
  assert.deepEqual(requests, ['join ', 'leave a'])
  left.resolve(undefined)
  await entered
  assert.deepEqual(requests, ['join ', 'leave a', 'join '])
})
