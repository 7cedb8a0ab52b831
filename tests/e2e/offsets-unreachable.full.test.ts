/** The leader of the offset topic does not answer; the leader of the data topics does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  idOf,
  readTopic,
  runKafkaTool,
  startKafka,
  startService,
  storageTopics,
  uniqueName,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** Several times what may be sent beyond a stored offset (docs/05). */
const ROWS = 20_000
const DATA_BROKER = 1
const OFFSET_BROKER = 3

test('records continue while their offsets cannot be stored, and none is lost', async () => {
  const schema = uniqueName('offsetsunreachable')
  const name = uniqueName('worker')
  const topic = `${schema}.${schema}.t`
  await using kafka = await startKafka({ brokers: 3 })
  const { bootstrapServers, brokers } = kafka
  const database = await useMySql()
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY)`)
  await createTopicOn(kafka.internalServers, storageTopics(name).offsets, OFFSET_BROKER, ['cleanup.policy=compact'])
  await createTopicOn(kafka.internalServers, topic, DATA_BROKER)
  await using service = await startService({ bootstrapServers, name })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await service.waitForLog(/Connected to binlog at/)
  await database.query(`INSERT INTO ${schema}.t VALUES (0)`)
  await waitForRecords(bootstrapServers, topic, 1)

  await brokers[OFFSET_BROKER - 1]?.kill('SIGSTOP')
  await database.query(`
    SET SESSION cte_max_recursion_depth = ${ROWS};
    INSERT INTO ${schema}.t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) SELECT i FROM n`)
  const answering = bootstrapServers.slice(0, 1)
  assert.equal((await waitForRecords(answering, topic, ROWS + 1)).length, ROWS + 1)

  await service.kill()
  await brokers[OFFSET_BROKER - 1]?.kill('SIGCONT')
  await service.start()
  await database.query(`INSERT INTO ${schema}.t VALUES (${ROWS + 1})`)
  const ids = await eventually('the last row has arrived', async () => {
    const found = new Set((await readTopic(bootstrapServers, topic)).map(idOf))
    return found.has(ROWS + 1) && found
  })
  assert.deepEqual(
    [...ids].sort((one, other) => one - other),
    Array.from({ length: ROWS + 2 }, (_, i) => i),
  )
})

async function createTopicOn(
  servers: readonly string[],
  topic: string,
  broker: number,
  config: readonly string[] = [],
): Promise<void> {
  const { code, stderr } = await runKafkaTool('org.apache.kafka.tools.TopicCommand', [
    '--bootstrap-server',
    servers.join(','),
    '--create',
    '--topic',
    topic,
    '--replica-assignment',
    String(broker),
    ...config.flatMap((each) => ['--config', each]),
  ])
  assert.equal(code, 0, stderr)
}
