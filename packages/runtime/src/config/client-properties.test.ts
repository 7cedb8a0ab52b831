import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientProperties, converterOf } from './client-properties.ts'

const worker = {
  'bootstrap.servers': 'worker:9092',
  'security.protocol': 'PLAINTEXT',
  'linger.ms': '1',
  'producer.linger.ms': '2',
  'producer.batch.size': '10',
  'admin.linger.ms': '9',
}

test('settings of the client override those of the worker, and settings of the connector override both', () => {
  const connector = { 'producer.override.linger.ms': '3', 'producer.linger.ms': '4', 'admin.override.batch.size': '5' }
  const { 'linger.ms': lingerMs, 'batch.size': batchSize, ...others } = clientProperties('producer', worker, connector)
  assert.deepEqual([lingerMs, batchSize], ['3', '10'])
  assert.equal(others['bootstrap.servers'], 'worker:9092')

  assert.equal(clientProperties('producer', worker, {})['linger.ms'], '2')
  const admin = clientProperties('admin', worker, connector)
  assert.deepEqual([admin['linger.ms'], admin['batch.size']], ['9', '5'])
})

test('a connector has its own converter with its own options, or the worker’s with the worker’s options', () => {
  const ofWorker = { className: 'W', options: { 'schemas.enable': 'true' } }
  assert.deepEqual(converterOf('value.converter', ofWorker, { 'value.converter.schemas.enable': 'false' }), ofWorker)
  const own = { 'value.converter': 'C', 'value.converter.a': '1', 'key.converter.b': '2' }
  assert.deepEqual(converterOf('value.converter', ofWorker, own), { className: 'C', options: { a: '1' } })
  assert.deepEqual(converterOf('key.converter', ofWorker, own), ofWorker)
})
