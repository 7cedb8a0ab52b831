/**
 * Replays what two workers of Kafka Connect answered (fixtures/two-workers) while one of them was killed, came back,
 * and the other one was stopped.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useKafka, useMySql } from '@tributary/testkit'
import { Replay } from './two-workers/replay.ts'
import { readTrace } from './two-workers/trace.ts'

const SHORT_SESSION = { CONNECT_SESSION_TIMEOUT_MS: '6000', CONNECT_HEARTBEAT_INTERVAL_MS: '1000' }

/** Differences that are meant: a part of the sentence, and why. The test fails for one that is not found. */
const deviations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'leader-crash': {},
  'follower-crash': {},
}

for (const [name, expected] of Object.entries(deviations)) {
  test(`two workers answer as those of Kafka Connect: ${name}`, async (context) => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using replay = await Replay.create({ database, bootstrapServers, env: SHORT_SESSION })

    await replay.run(readTrace(new URL(`../../fixtures/two-workers/${name}.json`, import.meta.url)))

    context.diagnostic(`${replay.steps} steps, ${replay.differences.length} differences`)
    const isMeant = (found: string): boolean => Object.keys(expected).some((part) => found.includes(part))
    assert.deepEqual(
      replay.differences.filter((found) => !isMeant(found)),
      [],
    )
    for (const part of Object.keys(expected)) {
      assert.ok(
        replay.differences.some((found) => found.includes(part)),
        `no difference any more: ${part}`,
      )
    }
  })
}
