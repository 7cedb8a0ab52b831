/** The service dies while a connector is being created: afterwards the connector is there and works, or it is not there at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  kafkaClient,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** What a connector that is created writes: its configuration, that of its task, and that these are all tasks. */
const RECORDS = 3

test('a connector whose creation was cut short at any of its records is whole after the next start', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = uniqueName('cut')
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY); INSERT INTO ${schema}.t VALUES (1)`,
  )
  await using service = await startService({ bootstrapServers })
  const topic = `${service.name}_configs`
  for (let written = 0; written < RECORDS; written++) {
    const name = `${schema}.after${written}`
    const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: schema })
    await using reader = await kafkaClient(bootstrapServers).reader({ topic, from: 'earliest' })
    const size = async (): Promise<bigint> => (await reader.endOffsets()).get(0) ?? 0n
    const before = await size()

    const answer = service.rest('POST', '/connectors', { name, config }).catch(() => null)
    const wanted = before + BigInt(written)
    await eventually(`${written} records are written`, async () => (await size()) >= wanted, { everyMs: 1 })
    await service.kill()
    await service.start()
    // Only now: what the service had sent when it died may be written a moment later.
    const isStored = (await size()) > before

    const { json } = await service.rest('GET', '/connectors')
    assert.equal((json as readonly string[]).includes(name), isStored)
    if ((await answer)?.status === 201) assert.ok(isStored, 'what was answered to be created is there')
    if (!isStored) await service.register(name, config)
    await waitForRecords(bootstrapServers, `${name}.${schema}.t`, 1)
    assert.equal((await service.taskState(name)).state, 'RUNNING')
  }
})
