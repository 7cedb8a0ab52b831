import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearSecrets } from './clear-secrets.ts'
import { ConfigProviders } from './config-providers.ts'

/** Properties that are passwords by the documentation of Kafka, Kafka Connect and Debezium. */
const PASSWORDS = [
  'database.password',
  'database.ssl.keystore.password',
  'database.ssl.truststore.password',
  'schema.history.internal.producer.ssl.key.password',
  'schema.history.internal.consumer.ssl.keystore.password',
  'producer.override.ssl.truststore.password',
  'ssl.keystore.key',
  'producer.override.sasl.oauthbearer.client.credentials.client.secret',
  'value.converter.basic.auth.user.info',
]

const OTHERS = ['database.user', 'tombstones.on.delete', 'transforms.x.key', 'key.converter', 'database.hostname']

test('the values of password properties are secrets, others are not', () => {
  for (const name of PASSWORDS) assert.deepEqual(clearSecrets({ [name]: 'x y' }), ['x y'], name)
  for (const name of OTHERS) assert.deepEqual(clearSecrets({ [name]: 'x y' }), [], name)
})

test('the password of a URL is a secret in every property, also decoded', () => {
  const url = 'https://svc:s3%20cr3t@registry:8081'
  assert.deepEqual(clearSecrets({ 'value.converter.schema.registry.url': url }), ['s3%20cr3t', 's3 cr3t'])
})

test('the secret options of a login module are secrets by themselves, its other words are not', () => {
  const text = (options: string): string => `org.example.PlainLoginModule required username="ada" ${options};`
  const table: readonly (readonly [options: string, secrets: readonly string[]])[] = [
    ['password="a b"', ['a b']],
    [String.raw`password="a\"b"`, [String.raw`a\"b`, 'a"b']],
    ["password='x' clientSecret=y", ['x', 'y']],
    ['', []],
  ]
  for (const [options, secrets] of table) {
    const found = clearSecrets({ 'producer.override.sasl.jaas.config': text(options) })
    assert.deepEqual(new Set(found), new Set([text(options), ...secrets]), options)
  }
})

test('each line of a PEM key is a secret', () => {
  const [a, b] = ['A'.repeat(64), 'B'.repeat(64)]
  const pem = `-----BEGIN PRIVATE KEY-----\n${a}\n${b}\n-----END PRIVATE KEY-----`
  assert.deepEqual(clearSecrets({ 'ssl.keystore.key': pem }), [pem, a, b])
})

test('a resolved value is replaced by its reference, and a secret in the configuration by [hidden]', () => {
  const provider = 'org.apache.kafka.common.config.provider.EnvVarConfigProvider'
  const worker = { 'config.providers': 'env', 'config.providers.env.class': provider }
  const providers = ConfigProviders.of(worker, { DB: 'from-environment' })

  const { mask } = providers.resolve({
    'database.password': '${env:DB}',
    'database.ssl.keystore.password': 'given-in-clear',
  })

  assert.equal(mask.text('from-environment, given-in-clear'), '${env:DB}, [hidden]')
})
