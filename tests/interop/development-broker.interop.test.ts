/**
 * Kafka Connect 4.3 with Debezium on the development broker: a distributed worker with its three internal topics, which
 * delivers exactly once, so with transactions and fenced producers. Tributary takes the connector over from it, and it
 * from Tributary.
 *
 *     npm run interop -- development-broker
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '@tributary/broker'
import { readTopic, storageTopics, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'

test('Kafka Connect and Tributary deliver exactly once on the development broker, killed in turn', async (t) => {
  await using broker = await startBroker()
  const bootstrapServers = [broker.bootstrapServers]
  const database = await useMySql()
  await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t), isExactlyOnce: true })

  await relay.begin('connect')
  for (const side of ['tributary', 'connect'] as const) {
    await relay.end('kill')
    await relay.goOn(side)
  }
  const result = await relay.check()

  t.diagnostic(JSON.stringify(result))
  assert.equal(result.repeats, 0)
  assert.ok(result.tributary > 100 && result.connect > 100)
  for (const topic of Object.values(storageTopics(relay.name))) {
    assert.ok((await readTopic(bootstrapServers, topic)).length > 0, topic)
  }
})
