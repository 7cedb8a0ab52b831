import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskClients, type TaskClients } from './task-clients.ts'

const WORKER = { 'bootstrap.servers': 'a:9092, b:9092', 'connector.client.config.override.policy': 'All' }

function clientsWith(
  worker: Readonly<Record<string, string>>,
  connector: Readonly<Record<string, string>> = {},
): TaskClients {
  return taskClients({
    workerProperties: { ...WORKER, ...worker },
    taskConfig: connector,
    taskId: 'c-0',
    mayWrite: () => true,
    logger: captureLogger(),
    clock: fakeClock(),
  })
}

test('records go to the brokers of the worker, whatever the settings of the clients and the order of the servers', () => {
  const same = [
    clientsWith({}),
    clientsWith({ 'producer.client.id': 'p', 'producer.request.timeout.ms': '5000' }),
    clientsWith({ 'producer.bootstrap.servers': 'b:9092,a:9092' }),
    clientsWith({}, { 'producer.override.bootstrap.servers': 'b:9092, a:9092,a:9092' }),
    clientsWith({}, { 'producer.override.metadata.max.age.ms': '1000' }),
  ]
  assert.deepEqual(
    same.map(({ isWorkerCluster }) => isWorkerCluster),
    same.map(() => true),
  )
})

test('other brokers are named by the worker or by the connector', () => {
  const [ofWorker, ofConnector] = [
    clientsWith({ 'producer.bootstrap.servers': 'c:9092' }),
    clientsWith({}, { 'producer.override.bootstrap.servers': 'a:9092' }),
  ]
  assert.deepEqual([ofWorker.isWorkerCluster, ofWorker.servers], [false, 'c:9092'])
  assert.deepEqual([ofConnector.isWorkerCluster, ofConnector.servers], [false, 'a:9092'])
})
