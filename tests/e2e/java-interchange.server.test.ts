/**
 * Kafka's own Java programs read the topics of this service, with change events of a real table. On Apache Kafka, so that
 * nothing of ours is between the service and the judge. java-interchange.full.test.ts compares `tributary watch` with them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  connectorConfig,
  kafkaClient,
  readTopic,
  runKafkaTool,
  startService,
  uniqueName,
  useMySql,
  useRealKafka,
  waitForRecords,
} from '@tributary/testkit'

const PRODUCER = 'org.apache.kafka.tools.ConsoleProducer'

/** Creates a topic with six partitions. */
async function createTopic(bootstrapServers: readonly string[], name: string): Promise<void> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.createTopic({ name, partitions: 6, replicationFactor: 1 })
}

/** The partition of each key; that of a key in several would be a list. */
function partitionsByKey(records: readonly LogRecord[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(records, ({ key }) => key?.toString() ?? '')
  return new Map([...groups].map(([key, group]) => [key, [...new Set(group.map((each) => each.partition))].join()]))
}

test('each of six partitions has the keys that a Java producer puts there', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useRealKafka()
  const prefix = uniqueName('keys')
  const topic = `${prefix}.${prefix}.t`
  const javaTopic = `${prefix}.java`
  await createTopic(bootstrapServers, topic)
  await createTopic(bootstrapServers, javaTopic)
  // Keys of all lengths modulo 4, outside ASCII, with numbers, bytes and decimals; snapshot, stream and tombstones.
  await database.query(`
    CREATE DATABASE ${prefix}; USE ${prefix};
    SET SESSION cte_max_recursion_depth = 10000;
    CREATE TABLE n (i INT PRIMARY KEY) AS WITH RECURSIVE s AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM s WHERE i < 300)
      SELECT i FROM s;
    CREATE TABLE t (a VARCHAR(60), b BIGINT, c VARBINARY(9), d DECIMAL(20,3), PRIMARY KEY (a, b, c, d));
    INSERT INTO t SELECT REPEAT('ключ😀k', i % 7), i * 7919 * 104729 - 99, LEFT(UNHEX(SHA2(i, 256)), i % 9), i / 7 FROM n WHERE i <= 150`)
  await using service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  await service.register(prefix, { ...config, 'table.include.list': `${prefix}.t` })
  await waitForRecords(bootstrapServers, topic, 150)
  await database.query(`
    INSERT INTO ${prefix}.t SELECT CONCAT('"q\\\\', REPEAT('z', i % 50)), -i, LEFT(UNHEX(SHA2(i, 256)), i % 9), -i / 3
      FROM ${prefix}.n;
    DELETE FROM ${prefix}.t WHERE b > -20 AND b < 0`)
  const ours = partitionsByKey(await waitForRecords(bootstrapServers, topic, 450 + 2 * 19))
  assert.equal(ours.size, 450)

  const { code, stderr } = await runKafkaTool(
    PRODUCER,
    [
      '--bootstrap-server',
      bootstrapServers.join(),
      '--topic',
      javaTopic,
      '--reader-property',
      'parse.key=true',
      '--reader-property',
      'key.separator=\t',
    ],
    { input: [...ours.keys()].map((key) => `${key}\tx\n`).join('') },
  )

  assert.equal(code, 0, stderr)
  const java = partitionsByKey(await readTopic(bootstrapServers, javaTopic))
  assert.deepEqual(ours, java)
  assert.deepEqual(new Set(java.values()), new Set(['0', '1', '2', '3', '4', '5']))
})
