/** The service dies while it creates a connector: afterwards the connector exists and works, or it does not exist. */
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

/** The records of a creation: the configuration, that of its task, and the record that completes the set of tasks. */
const RECORDS = 3

test('a connector whose creation was interrupted at any of its records is complete after the next start', async () => {
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
    await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
    const size = async (): Promise<bigint> => (await reader.endOffsets()).get(0) ?? 0n
    const before = await size()

    const answer = service.rest('POST', '/connectors', { name, config }).catch(() => null)
    const wanted = before + BigInt(written)
    await eventually(`${written} records are written`, async () => (await size()) >= wanted, { everyMs: 1 })
    await service.kill()
    await service.start()
    // Only now: records that the service had sent when it died may be written a moment later.
    const isStored = (await size()) > before

    const { json } = await service.rest('GET', '/connectors')
    assert.equal((json as readonly string[]).includes(name), isStored)
    if ((await answer)?.status === 201) assert.ok(isStored, 'a connector whose creation was answered exists')
    if (!isStored) await service.register(name, config)
    await waitForRecords(bootstrapServers, `${name}.${schema}.t`, 1)
    assert.equal((await service.taskState(name)).state, 'RUNNING')
  }
})
