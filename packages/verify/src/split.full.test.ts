/** A table whose keys do not fit the memory is compared in parts, and a fault is found in whichever part it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerifiedTable } from '@tributary/rest-api'
import { silentLogger, systemClock } from '@tributary/support'
import {
  connectorConfig,
  kafkaClient,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import type { StreamProgress } from './stream-progress.ts'
import { verifyConnector } from './verify-connector.ts'

const ROWS = 20_000
const JSON_CONVERTER = { className: 'org.apache.kafka.connect.json.JsonConverter', options: {} }

test('compares the keys in parts when their memory is limited', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('split')
  await database.query(`
    CREATE DATABASE ${name}; USE ${name}; SET cte_max_recursion_depth = ${ROWS};
    CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
    INSERT INTO t WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
      SELECT n, CONCAT('row ', n) FROM numbers`)
  await using service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  await service.register(name, config)
  const records = await waitForRecords(bootstrapServers, `${name}.${name}.t`, ROWS)
  // Tombstones for ten rows that exist, all over the table.
  const keys = records.filter((_, i) => i % (ROWS / 10) === 0).map(({ key }) => key ?? Buffer.alloc(0))
  await using producer = await (await kafkaClient(bootstrapServers)).producer({ onDelivered: () => undefined })
  const topic = await producer.topic(`${name}.${name}.t`)
  for (const [token, key] of keys.entries()) {
    const part = { prefix: new Uint8Array(0), buffer: key, start: 0, end: key.length }
    topic.send({ key: part, value: null, headers: [], partition: null, timestamp: null, token })
  }
  await producer.flush()

  let tables: readonly VerifiedTable[] = []
  const options = {
    connector: name,
    config,
    converters: { key: JSON_CONVERTER, value: JSON_CONVERTER },
    kafka: await kafkaClient(bootstrapServers),
    tables: [],
    rowsPerSecond: null,
    memoryBytesMax: 300_000,
    readProgress: async (): Promise<StreamProgress> => {
      const { json } = await service.rest('GET', `/connectors/${name}/offsets`)
      const [stored] = (json as { offsets: { offset: Record<string, unknown> }[] }).offsets
      return { offset: stored?.offset ?? null, state: 'RUNNING' }
    },
    onProgress: (states: readonly VerifiedTable[]) => {
      tables = states
    },
    clock: systemClock,
    logger: silentLogger,
  }
  await verifyConnector(options, new AbortController().signal)
  const [table] = tables
  assert.deepEqual([table?.missing, table?.rows_equal, table?.extra], [10, ROWS - 10, 0])
  // The table was read several times.
  assert.ok((table?.rows_read ?? 0) >= 2 * ROWS, `${table?.rows_read} rows were read`)
})
