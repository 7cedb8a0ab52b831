import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHiddenValue, shownValue } from './shown-value.ts'

test('secrets are hidden; references to secrets and all other values are shown', () => {
  const hidden = [
    'database.password',
    'database.ssl.keystore.password',
    'schema.history.internal.producer.sasl.jaas.config',
    'schema.history.internal.consumer.ssl.keystore.key',
    'value.converter.basic.auth.user.info',
    'sasl.oauthbearer.client.secret',
    'ssl.key.password',
  ]
  for (const property of hidden) assert.equal(shownValue(property, 'hunter2'), '[hidden]', property)
  const shown = [
    'database.user',
    'key.converter',
    'message.key.columns',
    'topic.prefix',
    'transforms.key.field',
    'value.converter.basic.auth.credentials.source',
  ]
  for (const property of shown) assert.equal(shownValue(property, 'x'), 'x', property)
  assert.equal(shownValue('database.password', '${file:/run/secrets:db}'), '${file:/run/secrets:db}')
  assert.equal(shownValue('database.password', 'a${file:/run/secrets:db}'), '[hidden]')
})

const REGISTRY = 'value.converter.schema.registry.url'

test('the password of a URL is hidden in every property, and the rest of the value is shown', () => {
  const table: readonly (readonly [value: string, shown: string])[] = [
    ['https://svc:s3cr3t@registry:8081', 'https://svc:[hidden]@registry:8081'],
    ['https://svc:s3@cr3t@registry/p@q', 'https://svc:[hidden]@registry/p@q'],
    ['http://a:b@x,http://c:d@y', 'http://a:[hidden]@x,http://c:[hidden]@y'],
    ['http://:b@x', 'http://:[hidden]@x'],
    ['http://registry:8081/a:b@c', 'http://registry:8081/a:b@c'],
    ['http://svc@registry:8081', 'http://svc@registry:8081'],
    ['http://svc:${file:/run/secrets:db}@registry', 'http://svc:${file:/run/secrets:db}@registry'],
    ['http://svc:a${file:/run/secrets:db}@registry', 'http://svc:[hidden]@registry'],
    ['http://${env:USER}:s3cr3t@registry', 'http://${env:USER}:[hidden]@registry'],
  ]
  for (const [value, shown] of table) assert.equal(shownValue(REGISTRY, value), shown)
})

test('a value that was copied from a hidden one is recognized', () => {
  assert.equal(isHiddenValue('database.password', '[hidden]'), true)
  assert.equal(isHiddenValue(REGISTRY, 'https://svc:[hidden]@registry'), true)
  assert.equal(isHiddenValue('database.password', '[hidden] '), false)
  assert.equal(isHiddenValue('table.include.list', '[hidden]'), false)
})
