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

/** Differences that may occur: a part of the sentence, and why. */
const deviations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'leader-crash': {},
  'follower-crash': {
    'GET /connectors/two/status: just created: {"name":"two"': 'the recording ends before the task runs',
    'GET /connectors?expand=status: return of B:': 'the worker that returns gets its share at once, not after a delay',
    'GET /connectors?expand=status: after the return of B:': 'which of two connectors moves to a worker that returns',
  },
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
  })
}
