import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { HeartbeatRecords } from '../events/heartbeat-records.ts'
import type { ChangePosition } from './change.ts'
import { HeartbeatStage } from './heartbeat-stage.ts'
import { PollScope } from './poll-scope.ts'
import { StageChain } from './stage-chain.ts'

function positionAt(pos: number): ChangePosition {
  return { toDocument: () => ({ pos }), isSamePlace: () => false }
}

const records = new HeartbeatRecords({
  partition: { server: 'shop' },
  topic: '__debezium-heartbeat.shop',
  serverName: 'shop',
})

/** The positions of the heartbeats of polls at these times. */
async function beats(
  polls: readonly (readonly [atMs: number, isMilestone: boolean])[],
  action: (() => Promise<void>) | null = null,
): Promise<readonly unknown[]> {
  const clock = fakeClock()
  const startMs = clock.now()
  const stages = new StageChain([new HeartbeatStage({ records, intervalMs: 1000, action })])
  const found: unknown[] = []
  for (const [atMs, isMilestone] of polls) {
    await clock.advance(startMs + atMs - clock.now())
    const scope = new PollScope({ stages, clock, signal: new AbortController().signal })
    await scope.handle({ tag: 'progress', position: positionAt(atMs), isMilestone })
    found.push(...scope.records.map(({ sourceOffset }) => sourceOffset.toDocument()['pos']))
  }
  return found
}

test('a heartbeat follows the last one after the interval; one follows a snapshot at once', async () => {
  const polls = [0, 500, 999, 1000, 1500, 2300].map((atMs) => [atMs, false] as const)
  assert.deepEqual(await beats(polls), [1000, 2300])
  assert.deepEqual(
    await beats([
      [0, false],
      [10, true],
      [900, false],
      [1010, false],
    ]),
    [10, 1010],
  )
})

test('the action runs before each heartbeat; one that fails ends the poll without a heartbeat', async () => {
  let runs = 0
  const count = (): Promise<void> => {
    runs += 1
    return Promise.resolve()
  }
  assert.deepEqual(
    await beats(
      [
        [0, false],
        [1000, false],
        [1100, false],
      ],
      count,
    ),
    [1000],
  )
  assert.equal(runs, 1)
  await assert.rejects(
    beats([[0, true]], () => Promise.reject(new Error('refused'))),
    /refused/,
  )
})

test('records have the form of Debezium’s', () => {
  const { topic, partition, key, value, keySchema, valueSchema } = records.record(17, positionAt(1))
  assert.deepEqual([topic, partition], ['__debezium-heartbeat.shop', 0])
  assert.deepEqual(
    [keySchema?.name, valueSchema?.name],
    ['io.debezium.connector.common.ServerNameKey', 'io.debezium.connector.common.Heartbeat'],
  )
  assert.ok(key !== null && value !== null)
})
