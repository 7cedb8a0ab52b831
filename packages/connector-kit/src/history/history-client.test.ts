import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyClientRefusals } from './history-client.ts'

const PREFIX = 'schema.history.internal.'
const servers = { [`${PREFIX}kafka.bootstrap.servers`]: 'kafka:9092' }

function both(properties: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(properties)
  return Object.fromEntries(
    ['consumer.', 'producer.'].flatMap((client) => entries.map(([name, value]) => [PREFIX + client + name, value])),
  )
}

const plain = {
  'security.protocol': 'SASL_PLAINTEXT',
  'sasl.mechanism': 'PLAIN',
  'sasl.jaas.config':
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="the-password";',
}

test('a client of the schema history that cannot be created is refused by the property of the connector', () => {
  const table: readonly (readonly [config: Record<string, string>, property: string, message: RegExp])[] = [
    [
      both({ ...plain, 'sasl.mechanism': 'GSSAPI' }),
      'producer.sasl.mechanism',
      /GSSAPI is not supported.*Use one of these/,
    ],
    [both({ ...plain, 'sasl.jaas.config': 'x' }), 'producer.sasl.jaas.config', /must begin with a login module/],
    [
      { ...both({}), [`${PREFIX}consumer.security.protocol`]: 'TLS' },
      'consumer.security.protocol',
      /must be one of PLAINTEXT, SSL/,
    ],
    [
      both({ 'security.protocol': 'SSL', 'ssl.truststore.location': '/no/such.jks' }),
      'producer.ssl.truststore.location',
      /ENOENT/,
    ],
    [
      both({ 'security.protocol': 'SASL_SSL', 'sasl.mechanism': 'PLAIN' }),
      'producer.security.protocol',
      /sasl\.jaas\.config is missing/,
    ],
    [{ [`${PREFIX}kafka.bootstrap.servers`]: 'kafka' }, 'kafka.bootstrap.servers', /host:port/],
  ]
  for (const [config, property, message] of table) {
    const refusals = Object.entries(historyClientRefusals({ ...servers, ...config }))
    assert.equal(refusals.length, 1, property)
    const [[name, [text = '']] = ['', []]] = refusals
    assert.equal(name, PREFIX + property)
    assert.match(text, message)
    assert.ok(text.startsWith(`Invalid settings of ${name}: `) && !text.includes('the-password'), text)
  }
})

test('usable settings, and none, are not refused', () => {
  for (const config of [{}, servers, { ...servers, ...both(plain) }, both({ 'security.protocol': 'TLS' })]) {
    assert.deepEqual(historyClientRefusals(config), {})
  }
})
