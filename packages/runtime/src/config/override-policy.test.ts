import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overridesWithoutEffect } from './client-settings.ts'
import { overridePolicy, overridePolicyKeys } from './override-policy.ts'
import { settingLines } from './setting-notes.ts'
import { ConfigDef } from '@tributary/connect-api'

const PACKAGE = 'org.apache.kafka.connect.connector.policy'
const SETTINGS = ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol', 'linger.ms', 'acks']

function allowed(name: string | undefined, allowlist?: string): readonly string[] {
  const policy = overridePolicy({
    ...(name !== undefined && { 'connector.client.config.override.policy': name }),
    ...(allowlist !== undefined && { 'connector.client.config.override.allowlist': allowlist }),
  })
  return SETTINGS.filter((setting) => policy.allows(setting))
}

test('each policy allows the settings that it allows in Connect, by its short name or by its class', () => {
  assert.deepEqual(allowed(undefined), SETTINGS)
  assert.deepEqual(allowed('All'), SETTINGS)
  assert.deepEqual(allowed('NoneConnectorClientConfigOverridePolicy'), [])
  assert.deepEqual(allowed('Principal'), SETTINGS.slice(0, 3))
  assert.deepEqual(allowed(`${PACKAGE}.AllowlistConnectorClientConfigOverridePolicy`, 'acks, linger.ms'), [
    'linger.ms',
    'acks',
  ])
  assert.deepEqual(allowed('AllowList'), [])
})

test('a policy that does not exist is refused', () => {
  const [policy] = new ConfigDef(overridePolicyKeys).validate({ 'connector.client.config.override.policy': 'org.My' })
  assert.match(policy?.errors[0] ?? '', /^Invalid value org\.My for .*Class could not be found/)
})

test('overrides without effect are named with the reason, those that ask for what happens anyway are not', () => {
  const connector = {
    'producer.override.acks': '1',
    'producer.override.enable.idempotence': 'true',
    'producer.override.retries': '3',
    'producer.override.linger.ms': '5',
    'producer.override.sasl.jaas.config': 'x',
    'producer.override.lingerms': '5',
    'producer.override.send.buffer.bytes': '5',
    'admin.override.retries': '1',
    'consumer.override.group.id': 'g',
  }
  assert.deepEqual(
    [...overridesWithoutEffect('producer', connector)],
    [
      ['acks', 'the producer always waits for all replicas'],
      ['retries', 'the producer retries until delivery.timeout.ms'],
      ['lingerms', 'Kafka’s producer has none'],
      ['send.buffer.bytes', 'Tributary’s producer has no such setting'],
    ],
  )
  const [line = '', ...more] = settingLines({}, connector)
  assert.equal(more.length, 0)
  assert.match(line, /admin\.override\.retries \(without topic\.creation\.… there is no admin client\)/)
  assert.match(line, /consumer\.override\.group\.id \(a source connector has no consumer\)$/)
})
