import { systemClock } from '@tributary/support'
import { textPart, type Kafka } from '@tributary/kafka'
import { captureLogger, eventually, kafkaClient, uniqueName, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseHistoryRecord } from './history-record-json.ts'
import { KafkaSchemaHistory } from './kafka-schema-history.ts'
import type { HistoryRecord } from './schema-history.ts'

/** Values that Debezium 3.6.1 wrote (fixtures/history/README.md). */
const recorded = readFileSync(new URL('../../fixtures/history/inventory.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { readonly value: string }).value)

async function recovered(history: KafkaSchemaHistory): Promise<readonly HistoryRecord[]> {
  const records: HistoryRecord[] = []
  await history.recover((record) => records.push(record))
  return records
}

/** Writes values as another producer would. */
async function write(kafka: Kafka, topic: string, values: readonly (string | null)[]): Promise<void> {
  await using producer = await kafka.producer({ onDelivered: () => undefined })
  const target = await producer.topic(topic)
  for (const [token, value] of values.entries()) {
    const part = value === null ? null : textPart(value)
    target.send({ key: null, value: part, headers: [], partition: 0, timestamp: null, token })
  }
  await producer.flush()
}

test('the topic is created with one partition and without expiry; its extent is that of its records', async () => {
  const kafka = await kafkaClient((await useKafka()).bootstrapServers)
  const topic = uniqueName('history')
  const logger = captureLogger()
  await using history = new KafkaSchemaHistory({ kafka, topic, servers: 'unused', clock: systemClock, logger })
  assert.equal(await history.extent(), null)
  await history.initialize()
  assert.deepEqual(await history.extent(), { begin: 0n, end: 0n })
  await history.initialize()
  assert.deepEqual(
    logger.lines.map(({ message }) => message),
    [`Database schema history topic '${topic}' created`],
  )

  await using admin = kafka.admin()
  const config = await admin.topicConfig(topic)
  assert.deepEqual(
    ['cleanup.policy', 'retention.ms', 'retention.bytes'].map((name) => config.get(name)),
    ['delete', '9223372036854775807', '-1'],
  )
  const { partitions } = (await admin.describeTopic(topic)) ?? { partitions: [] }
  assert.deepEqual(
    partitions.map(({ replicas }) => replicas.length),
    [1],
  )
})

test('appended records are recovered in order, as the bytes that Debezium writes, after records that Debezium wrote', async () => {
  const kafka = await kafkaClient((await useKafka()).bootstrapServers)
  const topic = uniqueName('history')
  await using history = new KafkaSchemaHistory({
    kafka,
    topic,
    servers: 'unused',
    clock: systemClock,
    logger: captureLogger(),
  })
  await history.initialize()
  await write(kafka, topic, recorded)
  const records = recorded.map((value) => parseHistoryRecord(value)).filter((record) => record !== undefined)
  await history.append(records)
  await history.append([])

  assert.deepEqual(await recovered(history), [...records, ...records])
  assert.deepEqual(await history.extent(), { begin: 0n, end: BigInt(2 * records.length) })
  await using reader = await kafka.reader({ topic })
  const values: string[] = []
  await reader.readToEnd(({ key, value }) => {
    assert.equal(key, null)
    values.push(String(value))
  })
  assert.deepEqual(values.slice(recorded.length), recorded)
})

test('values that are not history records are skipped with a warning', async () => {
  const kafka = await kafkaClient((await useKafka()).bootstrapServers)
  const topic = uniqueName('history')
  const logger = captureLogger()
  await using history = new KafkaSchemaHistory({ kafka, topic, servers: 'unused', clock: systemClock, logger })
  await history.initialize()
  const [first = '', second = ''] = recorded
  await write(kafka, topic, [first, 'not JSON', '[]', '{"source":1,"position":{}}', null, second])

  assert.equal((await recovered(history)).length, 2)
  const warnings = logger.matching(
    `Skipping a record of the schema history topic '${topic}' that is not a history record`,
  )
  assert.deepEqual(
    warnings.map(({ level, fields }) => [level, fields['offset']]),
    [1, 2, 3, 4].map((offset) => ['warn', String(offset)]),
  )
})

test('a topic whose settings would lose records is logged with the command that corrects it; a compacted one is refused', async () => {
  const kafka = await kafkaClient((await useKafka()).bootstrapServers)
  const topic = uniqueName('history')
  const logger = captureLogger()
  await using admin = kafka.admin()
  const configs = { 'retention.ms': '604800000', 'retention.bytes': '1000000' }
  await admin.createTopic({ name: topic, partitions: 3, replicationFactor: 1, configs })
  await using history = new KafkaSchemaHistory({ kafka, topic, servers: 'broker:9092', clock: systemClock, logger })
  await history.initialize()
  const alter = `kafka-configs.sh --bootstrap-server broker:9092 --alter --entity-type topics --entity-name ${topic} --add-config`
  const unlimited = 'retention.ms=9223372036854775807,retention.bytes=-1'
  const warning = (what: string, remedy: string): string =>
    `Database schema history topic '${topic}' ${what}: the history may be lost, and the connector cannot continue without it. ${remedy}`
  assert.deepEqual(
    logger.lines.map(({ message }) => message),
    [
      warning('has 3 partitions and needs exactly 1', 'Name another topic, which is created correctly'),
      warning('has retention.ms=604800000 and needs 5 years or more', `Run: ${alter} ${unlimited}`),
      warning('has retention.bytes=1000000 and needs no limit', `Run: ${alter} ${unlimited}`),
    ],
  )

  await admin.alterTopicConfig(topic, { 'cleanup.policy': 'compact' })
  await eventually(
    'the broker has the setting',
    async () => (await admin.topicConfig(topic)).get('cleanup.policy') === 'compact',
  )
  await assert.rejects(history.initialize(), {
    code: 'HISTORY_TOPIC_POLICY',
    message: new RegExp(`Run: kafka-configs\\.sh .* ${topic} --add-config cleanup\\.policy=delete,${unlimited}$`),
  })
})
