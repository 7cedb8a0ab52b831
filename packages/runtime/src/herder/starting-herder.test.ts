import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryHerder } from '../rest/testing/memory-herder.ts'
import { RequestError, type Herder } from './herder.ts'
import { StartingHerder } from './starting-herder.ts'

const info = { version: '4.3.1', commit: 'abc', kafka_cluster_id: '' }
const request = {
  name: 'c',
  config: { 'connector.class': 'io.debezium.connector.mysql.MySqlConnector', name: 'c' },
  initialState: null,
}

const restartAll = { includeTasks: true, onlyFailed: false }

/** Everything that needs the worker. */
const calls: readonly ((herder: Herder) => unknown)[] = [
  (herder) => herder.connectorNames(),
  (herder) => herder.connectorInfo('c'),
  (herder) => herder.connectorConfig('c'),
  (herder) => herder.connectorStatus('c'),
  (herder) => herder.taskInfos('c'),
  (herder) => herder.taskStatus('c', 0),
  (herder) => herder.plugins(true),
  (herder) => herder.createConnector(request),
  (herder) => herder.deleteConnector('c'),
  (herder) => herder.putConnectorConfig('c', request.config),
  (herder) => herder.pauseConnector('c'),
  (herder) => herder.resumeConnector('c'),
  (herder) => herder.stopConnector('c'),
  (herder) => herder.restartConnector('c'),
  (herder) => herder.restartConnectorAndTasks('c', restartAll),
  (herder) => herder.restartTask('c', 0),
  (herder) => herder.connectorOffsets('c'),
  (herder) => herder.alterOffsets('c', []),
  (herder) => herder.resetOffsets('c'),
]

test('until the worker has started its health says what is waited for, and everything else is 503 with the same words', () => {
  const herder = new StartingHerder(info, 'Waiting for the brokers at broker:9092')
  const waiting = 'Worker is still starting up. Waiting for the brokers at broker:9092'
  assert.deepEqual(herder.health(), { status: 'starting', message: waiting })
  assert.deepEqual(herder.serverInfo(), info)
  for (const call of calls) {
    assert.throws(
      () => call(herder),
      (error) => error instanceof RequestError && error.status === 503 && error.message === waiting,
    )
  }
  herder.stage = 'Reading the internal topics'
  assert.equal(herder.health().message, 'Worker is still starting up. Reading the internal topics')
})

test('then everything goes to the herder', async () => {
  const herder = new StartingHerder(info, 'Waiting')
  const real = new MemoryHerder()
  herder.handOver(real)
  await herder.createConnector(request)
  assert.deepEqual(real.connectorNames(), ['c'])
  assert.deepEqual(herder.connectorNames(), ['c'])
  assert.deepEqual(herder.connectorInfo('c'), real.connectorInfo('c'))
  assert.deepEqual(herder.connectorConfig('c'), real.connectorConfig('c'))
  assert.deepEqual(herder.plugins(true), real.plugins())
  assert.deepEqual([herder.health(), herder.serverInfo()], [real.health(), real.serverInfo()])
  await herder.deleteConnector('c')
  assert.deepEqual(real.connectorNames(), [])
  await herder.putConnectorConfig('c', request.config)
  await herder.pauseConnector('c')
  await herder.resumeConnector('c')
  await herder.stopConnector('c')
  await herder.restartConnector('c')
  await herder.restartConnectorAndTasks('c', restartAll)
  await herder.restartTask('c', 0)
  assert.deepEqual(await herder.connectorOffsets('c'), { offsets: [] })
  assert.deepEqual(await herder.alterOffsets('c', []), { message: 'altered' })
  assert.deepEqual(await herder.resetOffsets('c'), { message: 'reset' })
  assert.deepEqual(real.noted, [
    'put c',
    'pause c',
    'resume c',
    'stop c',
    'restart c',
    'restart all of c',
    'restart c-0',
    'offsets of c',
    'alter c',
    'reset c',
  ])
})
