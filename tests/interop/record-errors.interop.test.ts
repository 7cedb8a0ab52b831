/**
 * Records that a transformation cannot handle, in the same document on Kafka Connect and on Tributary: which records
 * are skipped, what the log reports, and how the task fails without tolerance.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  readTopic,
  startConnect,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

const SIDES = ['connect', 'tributary'] as const

const CAST = {
  'source.struct.version': 'v2',
  transforms: 'unwrap,cast',
  'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
  'transforms.cast.type': 'org.apache.kafka.connect.transforms.Cast$Value',
  'transforms.cast.spec': 'code:int32',
  'transforms.cast.predicate': 'isTable',
  predicates: 'isTable',
  'predicates.isTable.type': 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
  'predicates.isTable.pattern': '.*\\.t',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
}

interface Outcome {
  readonly values: readonly (string | undefined)[]
  readonly lines: readonly string[]
}

test('with errors.tolerance=all both skip the same records and log the same line', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const found: Record<string, Outcome> = {}
  for (const side of SIDES) {
    const name = uniqueName('tolerant')
    await database.query(`CREATE DATABASE ${name}`)
    await database.query(`CREATE TABLE ${name}.t (id INT PRIMARY KEY, code VARCHAR(10))`)
    await database.query(`INSERT INTO ${name}.t VALUES (1, '10'), (2, 'secret'), (3, NULL), (4, '30')`)
    await using service = await (side === 'connect'
      ? startConnect({ bootstrapServers })
      : startService({ bootstrapServers }))
    const more = { ...CAST, 'errors.tolerance': 'all', 'errors.log.enable': 'true' }
    await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
    const records = await waitForRecords(bootstrapServers, `${name}.${name}.t`, 3)
    await service.waitForLog(/Error encountered in task/)
    const lines = service.log.match(/Error encountered in task .*? with class '[^']*'/g) ?? []
    found[side] = {
      values: records.map(({ value }) => value?.toString()).toSorted((a = '', b = '') => (a < b ? -1 : 1)),
      lines: lines.map((line) => line.replace(name, 'NAME')),
    }
    if (side === 'tributary') assert.ok(!service.log.includes('secret'))
  }
  assert.deepEqual(found['tributary'], found['connect'])
  assert.deepEqual(found['tributary']?.values, ['{"id":1,"code":10}', '{"id":3,"code":null}', '{"id":4,"code":30}'])
  assert.deepEqual(found['tributary']?.lines, [
    "Error encountered in task NAME-0. Executing stage 'TRANSFORMATION' with class 'org.apache.kafka.connect.transforms.Cast$Value'",
  ])
})

test('without tolerance both fail with the same text, after the records before it', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const first: Record<string, string> = {}
  for (const side of SIDES) {
    const name = uniqueName('strict')
    await database.query(`CREATE DATABASE ${name}`)
    await database.query(`CREATE TABLE ${name}.t (id INT PRIMARY KEY, code VARCHAR(10))`)
    await database.query(`INSERT INTO ${name}.t VALUES (1, '10'), (2, 'x'), (3, '30')`)
    await using service = await (side === 'connect'
      ? startConnect({ bootstrapServers })
      : startService({ bootstrapServers }))
    await service.register(
      name,
      connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more: CAST }),
    )
    const { trace } = await service.waitForTask(name, ['FAILED'])
    first[side] = trace.split('\n')[0] ?? ''
    const sent = await readTopic(bootstrapServers, `${name}.${name}.t`)
    assert.deepEqual(
      sent.map(({ value }) => value?.toString()),
      ['{"id":1,"code":10}'],
    )
  }
  assert.match(first['connect'] ?? '', /^org\.apache\.kafka\.connect\.errors\.ConnectException: Tolerance exceeded in/)
  assert.ok(first['tributary']?.startsWith(first['connect'] ?? ' '))
})
