/**
 * As take-over.interop.test.ts, but the running side is killed (SIGKILL) in the middle of a large transaction: no event
 * is lost; repeats are counted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import type { Side } from './side.ts'

const runs: readonly (readonly [string, () => Promise<Database>, readonly Side[]])[] = [
  ['MySQL', useMySql, ['tributary', 'connect', 'tributary', 'connect']],
  ['MariaDB', useMariaDb, ['connect', 'tributary', 'connect', 'tributary']],
]

for (const [title, open, [first = 'tributary', ...others]] of runs) {
  test(`${title}: ${[first, ...others].join(', killed, then ')}`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t) })

    await relay.begin(first)
    for (const side of others) {
      await relay.end('kill')
      await relay.goOn(side)
    }
    const result = await relay.check()

    t.diagnostic(JSON.stringify(result))
    assert.ok(result.tributary > 100 && result.connect > 100)
  })
}
