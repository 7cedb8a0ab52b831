import assert from 'node:assert/strict'
import { connectorConfig, eventually, storageTopics, useKafka, useMySql, waitForRecords } from '@tributary/testkit'

/** The variables of a worker with a name of its own, at a port of 127.0.0.1. */
export async function workerEnvironment(name: string, port: number): Promise<Record<string, string>> {
  const { bootstrapServers } = await useKafka()
  const topics = storageTopics(name)
  return {
    BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    GROUP_ID: name,
    CONFIG_STORAGE_TOPIC: topics.configs,
    OFFSET_STORAGE_TOPIC: topics.offsets,
    STATUS_STORAGE_TOPIC: topics.statuses,
    REST_HOST_NAME: '127.0.0.1',
    REST_PORT: String(port),
  }
}

/** A worker captures a row by a snapshot and another one from the binlog of a real server. */
export async function capturesRows(url: string, name: string): Promise<void> {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await database.query(`CREATE DATABASE ${name}`)
  await database.query(`CREATE TABLE ${name}.pets (id INT PRIMARY KEY, name VARCHAR(40))`)
  await database.query(`INSERT INTO ${name}.pets VALUES (1, 'Rex')`)
  const created = await fetch(`${url}/connectors`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      name,
      config: connectorConfig({ database, bootstrapServers, prefix: name, includes: name }),
    }),
  })
  assert.equal(created.status, 201, await created.text())
  await eventually(
    'the task runs',
    async () =>
      (await (await fetch(`${url}/connectors/${name}/status`)).text()).includes('"tasks":[{"id":0,"state":"RUNNING"'),
    {
      timeoutMs: 120_000,
    },
  )
  await database.query(`INSERT INTO ${name}.pets VALUES (2, 'Mia')`)
  const records = await waitForRecords(bootstrapServers, `${name}.${name}.pets`, 2, { timeoutMs: 120_000 })
  const rows = records.map(
    ({ value }) => (JSON.parse(value?.toString() ?? 'null') as { payload: { after: unknown } }).payload.after,
  )
  assert.deepEqual(rows, [
    { id: 1, name: 'Rex' },
    { id: 2, name: 'Mia' },
  ])
}
