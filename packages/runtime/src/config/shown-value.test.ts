import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownValue } from './shown-value.ts'

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
  const shown = ['database.user', 'key.converter', 'message.key.columns', 'topic.prefix', 'transforms.key.field']
  for (const property of shown) assert.equal(shownValue(property, 'x'), 'x', property)
  assert.equal(shownValue('database.password', '${file:/run/secrets:db}'), '${file:/run/secrets:db}')
  assert.equal(shownValue('database.password', 'a${file:/run/secrets:db}'), '[hidden]')
})
