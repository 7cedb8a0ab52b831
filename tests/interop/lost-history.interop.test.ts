/**
 * Tributary rebuilds a schema history that was deleted while it was stopped. Debezium, which fails without one, continues
 * with the rebuilt one, and Tributary after it.
 */
import { kafkaClient, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'

for (const [title, open] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${title}: Kafka Connect continues with a schema history that Tributary has rebuilt`, async (t) => {
    const [database, { bootstrapServers }] = await Promise.all([open(), useKafka()])
    await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t) })
    await relay.begin('tributary')
    await relay.end('stop')
    await using admin = (await kafkaClient(bootstrapServers)).admin()
    assert.ok(await admin.deleteTopic(relay.config['schema.history.internal.kafka.topic'] ?? ''))

    const from = relay.worker('tributary').log.length
    await (await relay.start('tributary')).waitForLog(/The schema history is rebuilt from/, from)
    await relay.waitUntilTold()
    await relay.end('stop')
    await relay.goOn('connect')
    await relay.end('stop')
    await relay.goOn('tributary')

    const result = await relay.check()
    t.diagnostic(JSON.stringify(result))
    assert.equal(result.repeats, 0)
    assert.ok(result.tributary > 100 && result.connect > 100)
  })
}
