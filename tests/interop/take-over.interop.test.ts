/**
 * Tributary and Kafka Connect with Debezium take a running connector over from each other, back and forth, in the
 * middle of a stream of changes: neither side takes a snapshot, no event is lost or repeated, and consumers cannot see
 * which side wrote it.
 *
 *     RELAY_SEED=7 npm run interop -- take-over
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, startMySql, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import type { Side } from './side.ts'

interface Setting {
  readonly title: string
  readonly database: () => Promise<Database & Partial<AsyncDisposable>>
}

const mysql: Setting = { title: 'MySQL', database: useMySql }
const mysqlWithoutGtids: Setting = { title: 'MySQL without GTIDs', database: () => startMySql({ gtid: false }) }
const mariadb: Setting = { title: 'MariaDB', database: useMariaDb }

const runs: readonly (readonly [Setting, readonly Side[]])[] = [
  [mysql, ['tributary', 'connect', 'tributary']],
  [mysql, ['connect', 'tributary', 'connect']],
  [mysqlWithoutGtids, ['tributary', 'connect', 'tributary']],
  [mysqlWithoutGtids, ['connect', 'tributary', 'connect']],
  [mariadb, ['tributary', 'connect', 'tributary']],
  [mariadb, ['connect', 'tributary', 'connect']],
]

for (const [{ title, database: open }, sides] of runs) {
  test(`${title}: ${sides.join(', then ')}`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    await using stack = new AsyncDisposableStack()
    stack.defer(async () => database[Symbol.asyncDispose]?.())
    const relay = stack.use(await Relay.open({ database, bootstrapServers, random: runSeed(t) }))
    const [first = 'tributary', ...others] = sides

    await relay.begin(first)
    for (const side of others) {
      await relay.end('stop')
      await relay.goOn(side)
    }
    await relay.end('stop')
    await relay.goOn(others.at(-1) ?? first)
    const result = await relay.check()

    t.diagnostic(JSON.stringify(result))
    assert.equal(result.repeats, 0)
    assert.ok(result.tributary > 100 && result.connect > 100)
  })
}
