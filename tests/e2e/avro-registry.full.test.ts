/** A real registry: what it accepts and refuses, and what the task does while it does not answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas } from '@tributary/connect-api'
import { confluentAvroConverterPlugin } from '@tributary/converters'
import {
  connectorConfig,
  startRegistry,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { avroProperties } from './avro/memory-registry.ts'

test('a change that the compatibility level forbids fails the task, which continues when the subject allows it', async () => {
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await startRegistry())
  const { bootstrapServers } = await useKafka()
  const mysql = await useMySql()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('compat')
  const topic = `${schema}.${schema}.t`
  await mysql.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY, note TEXT);
    INSERT INTO ${schema}.t VALUES (1, 'a')`)
  const more = {
    ...avroProperties(registry.confluentUrl),
    // The first address never answers.
    'value.converter.schema.registry.url': `http://127.0.0.1:1,${registry.confluentUrl}`,
    'value.converter.http.read.timeout.ms': '2000',
    'key.converter.http.read.timeout.ms': '2000',
  }
  await service.register(
    schema,
    connectorConfig({ database: mysql, bootstrapServers, prefix: schema, includes: schema, more }),
  )
  await waitForRecords(bootstrapServers, topic, 1)
  await service.waitForLog(new RegExp(`${schema}.streaming {2}Connected to binlog`))
  await registry.request('PUT', `/config/${topic}-value`, { compatibility: 'BACKWARD' })

  await mysql.query(`ALTER TABLE ${schema}.t ADD free INT NULL; INSERT INTO ${schema}.t VALUES (2, 'b', 1)`)
  await waitForRecords(bootstrapServers, topic, 2)
  await mysql.query(`ALTER TABLE ${schema}.t ADD strict INT NOT NULL; INSERT INTO ${schema}.t VALUES (3, 'c', 1, 1)`)
  const { trace } = await service.waitForTask(schema, ['FAILED'])
  assert.match(
    trace,
    /not compatible with version 2 under compatibility BACKWARD\. Changed since then: before\.strict \(int\) is new\./,
  )
  await registry.request('PUT', `/config/${topic}-value`, { compatibility: 'NONE' })
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  await waitForRecords(bootstrapServers, topic, 3)

  await service.waitUntilRunning(schema)
  const from = service.log.length
  await registry.pause()
  await mysql.query(`INSERT INTO ${schema}.t VALUES (4, 'known', 1, 1)`)
  await waitForRecords(bootstrapServers, topic, 4)
  await mysql.query(`CREATE TABLE ${schema}.u (id INT PRIMARY KEY); INSERT INTO ${schema}.u VALUES (1)`)
  await service.waitForLog(/wait for their schema/, from)
  assert.match(service.log.slice(from), /no answer within 2000 ms/)
  await registry.wake()
  await waitForRecords(bootstrapServers, `${schema}.${schema}.u`, 1)
  const records = await waitForRecords(bootstrapServers, topic, 4)
  assert.equal(records.length, 4)
})

test('under a transitive level a preview predicts a refusal because of an earlier version', async () => {
  await using registry = await startRegistry()
  const { signal } = new AbortController()
  const schemaOf = (...fields: readonly (readonly [string, Schema])[]): Schema =>
    Schema.struct([['id', Schemas.int32], ...fields], { name: 'p.t' })
  const strict: readonly [string, Schema] = ['strict', Schemas.int32]
  const converter = confluentAvroConverterPlugin.create()
  converter.configure({ 'schema.registry.url': registry.confluentUrl }, false)
  await converter.register?.(schemaOf(), 't', signal)
  await registry.request('PUT', '/config/t-value', { compatibility: 'NONE' })
  await converter.register?.(schemaOf(strict), 't', signal)

  const next = schemaOf(strict, ['free', Schema.of('int32', { optional: true })])
  await registry.request('PUT', '/config/t-value', { compatibility: 'BACKWARD' })
  assert.equal((await converter.checkCompatibility?.(next, 't', signal))?.isAccepted, true)
  await registry.request('PUT', '/config/t-value', { compatibility: 'BACKWARD_TRANSITIVE' })
  const preview = await converter.checkCompatibility?.(next, 't', signal)
  assert.equal(preview?.isAccepted, false)
  const expected =
    /not compatible with an earlier version under compatibility BACKWARD_TRANSITIVE\. Changed since version 2, the latest: free \(/
  assert.match(preview.text, expected)
  await assert.rejects(async () => converter.register?.(next, 't', signal), {
    code: 'SCHEMA_INCOMPATIBLE',
    message: expected,
  })
})
