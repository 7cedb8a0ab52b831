/**
 * Tributary and Kafka Connect take a connector over from each other while both deliver exactly once: killed in the middle
 * of a stream of changes, and frozen while the other continues. A consumer of committed records sees each event once.
 *
 *     RELAY_SEED=7 npm run interop -- exactly-once
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTopic, useKafka, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import type { Side } from './side.ts'

const runs: readonly (readonly Side[])[] = [
  ['tributary', 'connect', 'tributary', 'connect'],
  ['connect', 'tributary', 'connect', 'tributary'],
]

for (const [first = 'tributary', ...others] of runs) {
  test(`killed in turn: ${[first, ...others].join(', then ')}`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t), isExactlyOnce: true })

    await relay.begin(first)
    for (const side of others) {
      await relay.end('kill')
      await relay.goOn(side)
    }
    const result = await relay.check()

    t.diagnostic(JSON.stringify(result))
    assert.equal(result.repeats, 0)
    assert.ok(result.tributary > 100 && result.connect > 100)
    const configs = await readTopic(bootstrapServers, `${relay.name}_configs`)
    const counts = configs.filter(({ key }) => key?.toString() === `tasks-fencing-${relay.name}`)
    assert.deepEqual([...new Set(counts.map(({ value }) => value?.toString()))], ['{"task-count":1}'])
  })
}

for (const [first, second] of [
  ['connect', 'tributary'],
  ['tributary', 'connect'],
] as const) {
  test(`a frozen worker that wakes is fenced: ${first}, then ${second}`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t), isExactlyOnce: true })
    await relay.begin(first)
    const frozen = await relay.freeze()

    await relay.goOn(second)
    await relay.writer.large(2000)
    process.kill(frozen.pid, 'SIGCONT')
    // More than the worker would need to send what it had read.
    await relay.change(20)
    await relay.waitUntilTold()
    await frozen.kill()
    const result = await relay.check()

    t.diagnostic(JSON.stringify(result))
    assert.equal(result.repeats, 0)
  })
}
