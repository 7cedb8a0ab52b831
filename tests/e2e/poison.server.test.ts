/** Poison (packages/support/src/poison.ts) is on wherever records exist while `npm test` runs. */
import { isPoisonOn } from '@tributary/support'
import { connectorConfig, startService, uniqueName, useKafka, useMySql, waitForRecords } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'

const LOGS_POISON = new URL('../testing/log-poison.ts', import.meta.url).href

test('poison is on in the test process, and in the main thread and the task thread of a service that it starts', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const schema = uniqueName('poison')
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY); INSERT INTO ${schema}.t VALUES (1)`,
  )
  await using service = await startService({ bootstrapServers, nodeArgs: [`--import=${LOGS_POISON}`] })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 1)

  assert.ok(isPoisonOn)
  const logged = new Set(service.log.match(/^poison in .*$/gm))
  assert.deepEqual(logged, new Set(['poison in the main thread: true', 'poison in a task thread: true']))
})
