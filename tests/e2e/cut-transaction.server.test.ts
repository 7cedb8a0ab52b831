/**
 * The connection to the binlog is lost repeatedly in the middle of a large transaction. Each new connection starts at
 * the start of the transaction and skips the rows already sent, even if it is lost itself before it has skipped all of
 * them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  readTopic,
  startFaultProxy,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

const ROWS = 20_000
/** Bytes of the binlog after which each connection is lost: the second one before it reaches the first one's place. */
const CUTS = [12e6, 6e6, 9e6]
const LOST = 'The binlog connection is opened again'

test('after three cuts in one transaction each of its rows arrives once, in order', async () => {
  const [database, { bootstrapServers }, schema] = [await useMySql(), await useKafka(), uniqueName('cut')]
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.pets (id INT PRIMARY KEY, note VARCHAR(1000) NOT NULL);
    INSERT INTO ${schema}.pets VALUES (0, '')`)
  const topic = `${schema}.${schema}.pets`
  await using proxy = await startFaultProxy({ target: database })
  await using service = await startService({ bootstrapServers })
  const { host, port } = proxy
  await service.register(
    schema,
    connectorConfig({ database: { ...database, host, port }, bootstrapServers, prefix: schema, includes: schema }),
  )
  await service.waitForLog(/Connected to binlog at/)

  const [first = 0, ...more] = CUTS
  proxy.cutAfterBytes(first, 'fromTarget')
  await database.query(`SET SESSION cte_max_recursion_depth = ${ROWS};
    INSERT INTO ${schema}.pets WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      SELECT i, REPEAT('x', 1000) FROM n`)
  for (const [i, bytes] of more.entries()) {
    await eventually(`connection ${i + 1} is lost`, () => occurrences(service.log, LOST) > i, { timeoutMs: 60_000 })
    proxy.cutAfterBytes(bytes, 'fromTarget')
  }

  const records = await waitForRecords(bootstrapServers, topic, ROWS + 1)
  assert.equal(occurrences(service.log, LOST), CUTS.length)
  const ids = records.map(({ key }) => (JSON.parse(key?.toString() ?? '') as { payload: { id: number } }).payload.id)
  assert.deepEqual(
    ids,
    Array.from({ length: ROWS + 1 }, (_, id) => id),
  )
  assert.equal((await readTopic(bootstrapServers, topic)).length, ROWS + 1)
})

function occurrences(log: string, text: string): number {
  return log.split(text).length - 1
}
