import { kafkaClient, startOwnBroker, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goToWorkerCluster } from './worker-cluster.ts'

test('two addresses of one cluster are one cluster, and two clusters are two', async () => {
  const { signal } = new AbortController()
  const { bootstrapServers: elsewhere } = await useKafka()
  await using kafka = await startOwnBroker({ behindProxy: true })
  assert.notDeepEqual(kafka.bootstrapServers, kafka.internalServers)
  const worker = await kafkaClient(kafka.internalServers)
  const proxied = await kafkaClient(kafka.bootstrapServers)
  const other = await kafkaClient(elsewhere)
  const asked = { isWorkerCluster: false, offsets: worker }
  assert.equal(await goToWorkerCluster({ ...asked, records: proxied }, signal), true)
  assert.equal(await goToWorkerCluster({ ...asked, records: other }, signal), false)
  assert.equal(await goToWorkerCluster({ ...asked, records: other, isWorkerCluster: true }, signal), true)
})
