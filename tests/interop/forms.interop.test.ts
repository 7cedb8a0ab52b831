/** The record format after a hand-over of a connector that sets none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useKafka, useMySql } from '@tributary/testkit'
import { Relay } from './relay.ts'
import { runSeed } from './run-seed.ts'
import { type Side, sideOf } from './side.ts'

interface Payload {
  readonly op: string
  readonly source: Readonly<Record<string, unknown>> & { readonly version: string }
}

/** The side, format and kind of the topic's events, in their order, without immediate repetitions. */
async function story(relay: Relay): Promise<readonly string[]> {
  const parts: string[] = []
  const records = await relay.read('items')
  for (const { partition, value } of records) {
    if (partition !== records[0]?.partition || value === null) continue
    const { op, source } = (JSON.parse(value.toString()) as { payload: Payload }).payload
    const side: Side = sideOf(source.version)
    const part = `${side} ${'connector' in source ? 'v2' : 'v1'} ${op === 'r' ? 'snapshot' : 'stream'}`
    if (parts.at(-1) !== part) parts.push(part)
  }
  return parts
}

test('a topic in format v1 continues in v2 when Kafka Connect takes it over, and stays so', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t), form: null })

  await relay.begin('tributary')
  assert.equal((await relay.storedOffset())?.['record_format'], 'v1')
  await relay.end('stop')
  await relay.goOn('connect')
  await eventually(
    'Kafka Connect has stored an offset',
    async () => (await relay.storedOffset())?.['record_format'] === undefined,
    { timeoutMs: 60_000, everyMs: 500 },
  )
  await relay.end('stop')
  await relay.goOn('tributary')

  assert.deepEqual(await story(relay), [
    'tributary v1 snapshot',
    'tributary v1 stream',
    'connect v2 stream',
    'tributary v2 stream',
  ])
  assert.match(
    relay.worker('tributary').log,
    /The stored offset was written by Debezium.*: records continue in the form v2/,
  )
})

test('a connector whose offset was deleted takes its snapshot in v2 if Debezium wrote the history', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using relay = await Relay.open({ database, bootstrapServers, random: runSeed(t), form: null })
  const path = `/connectors/${relay.name}`

  await relay.begin('connect')
  const connect = relay.worker('connect')
  await connect.rest('PUT', `${path}/stop`)
  await eventually(
    'the offset is deleted',
    async () => (await connect.rest('DELETE', `${path}/offsets`)).status === 200,
    { timeoutMs: 60_000, everyMs: 500 },
  )
  await relay.halt()
  const tributary = await relay.start('tributary')
  await tributary.rest('PUT', `${path}/resume`)
  await tributary.waitForLog(/Snapshot ended with SnapshotResult \[status=COMPLETED/)
  await relay.change()
  await relay.waitUntilTold()

  assert.deepEqual(await story(relay), [
    'connect v2 snapshot',
    'connect v2 stream',
    'tributary v2 snapshot',
    'tributary v2 stream',
  ])
  assert.match(tributary.log, /no stored offset, but a schema history that was written by Debezium/)
})
