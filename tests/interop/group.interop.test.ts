/** A worker of Kafka Connect and one of Tributary in the same group, in either order, and one after the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  type Service,
  startConnect,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

interface Status {
  readonly tasks: readonly { readonly state: string; readonly worker_id: string }[]
}

async function connectorNames(worker: Service): Promise<unknown> {
  const { status, json } = await worker.rest('GET', '/connectors')
  assert.equal(status, 200)
  return json
}

test('Kafka Connect joins a group of Tributary, whose connectors stay where they are', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = uniqueName('mixed')
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await service.waitUntilRunning(schema)

  await using connect = await startConnect({ bootstrapServers, name: service.name })

  // Its first round is over.
  await service.waitForLog(new RegExp(`Group round \\d+: .* leader http://127\\.0\\.0\\.1:${service.port}/`))
  assert.deepEqual(await connectorNames(connect), [schema])
  const { json } = await connect.rest('GET', `/connectors/${schema}/status`)
  assert.deepEqual(
    (json as Status).tasks.map(({ state, worker_id }) => [state, worker_id]),
    [['RUNNING', `127.0.0.1:${service.port}`]],
  )
  await database.query(`INSERT INTO ${schema}.t VALUES (1)`)
  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 1)
})

test('Tributary joins a group that Kafka Connect leads, and leads it when Kafka Connect was killed', async () => {
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('java_first')
  await using connect = await startConnect({ bootstrapServers, name })

  await using service = await startService({ bootstrapServers, name })

  await service.waitForLog(new RegExp(`Group round \\d+: .* leader http://127\\.0\\.0\\.1:${connect.port}/`))
  assert.deepEqual(await connectorNames(connect), await connectorNames(service))
  await connect.kill()
  await service.waitForLog(/Group round \d+: this worker is alone and has everything/)
  await eventually('its REST interface answers', async () => (await service.rest('GET', '/health')).status === 200)
})
