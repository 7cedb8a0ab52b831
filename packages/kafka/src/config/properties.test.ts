import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { kafkaOptionsFromProperties } from './client-properties.ts'
import { producerOptionsFromProperties } from './producer-properties.ts'

type Case = readonly [name: string, properties: Record<string, string>, expected: Record<string, unknown>]
type Refusal = readonly [code: string, named: string, properties: Record<string, string>]

const ca = readFileSync(new URL('../../fixtures/tls/ca.pem', import.meta.url), 'utf8')
const servers = { 'bootstrap.servers': 'a:9092' }
const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";'
const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'
const sasl = { ...servers, 'security.protocol': 'SASL_PLAINTEXT', 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': plain }
const tls = { ...servers, 'security.protocol': 'SSL' }
const store = (name: string): string =>
  fileURLToPath(new URL(`../../../support/fixtures/key-store/${name}`, import.meta.url))
const trust = (name: string): Record<string, string> => ({ 'ssl.truststore.location': store(name) })
const pemTrust = { 'ssl.truststore.type': 'PEM' }
const jksKey = { 'ssl.keystore.location': store('client.jks'), 'ssl.keystore.password': 'changeit' }

test('the properties of a Java client are read', () => {
  const table: readonly Case[] = [
    ['only the servers', servers, { bootstrapServers: ['a:9092'], clientId: 'tributary' }],
    [
      'several servers',
      { 'bootstrap.servers': ' a:1 ,b:2,' },
      { bootstrapServers: ['a:1', 'b:2'], clientId: 'tributary' },
    ],
    [
      'numbers',
      { ...servers, 'client.id': 'c', 'request.timeout.ms': '5000', 'metadata.max.age.ms': ' 60000 ', retries: '3' },
      { bootstrapServers: ['a:9092'], clientId: 'c', requestTimeoutMs: 5000, metadataMaxAgeMs: 60_000 },
    ],
    [
      'more milliseconds than a timer supports',
      { ...servers, 'metadata.max.age.ms': '9223372036854775807' },
      { bootstrapServers: ['a:9092'], clientId: 'tributary', metadataMaxAgeMs: 2_147_483_647 },
    ],
    [
      'SASL',
      sasl,
      {
        bootstrapServers: ['a:9092'],
        clientId: 'tributary',
        sasl: { mechanism: 'PLAIN', username: 'u', password: 'p' },
      },
    ],
    [
      'SCRAM over TLS',
      { ...sasl, 'security.protocol': 'SASL_SSL', 'sasl.mechanism': 'SCRAM-SHA-512', 'sasl.jaas.config': scram },
      {
        bootstrapServers: ['a:9092'],
        clientId: 'tributary',
        tls: { checkHostName: true },
        sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' },
      },
    ],
    [
      'PEM in the settings',
      {
        ...tls,
        'ssl.truststore.type': 'PEM',
        'ssl.truststore.certificates': ca,
        'ssl.keystore.type': 'PEM',
        'ssl.keystore.key': 'KEY',
        'ssl.keystore.certificate.chain': 'CERT',
        'ssl.key.password': 'pw',
        'ssl.endpoint.identification.algorithm': '',
      },
      {
        bootstrapServers: ['a:9092'],
        clientId: 'tributary',
        tls: { checkHostName: false, ca, key: 'KEY', cert: 'CERT', passphrase: 'pw' },
      },
    ],
  ]
  for (const [name, properties, expected] of table) {
    assert.deepEqual(kafkaOptionsFromProperties(properties), expected, name)
  }
})

test('PEM stores are read from files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-properties-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'ca.pem'), ca)
  writeFileSync(join(folder, 'client.pem'), 'KEY AND CERT')

  const { tls: read } = kafkaOptionsFromProperties({
    ...tls,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': join(folder, 'ca.pem'),
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': join(folder, 'client.pem'),
  })

  assert.deepEqual(read, { checkHostName: true, ca, key: 'KEY AND CERT', cert: 'KEY AND CERT' })
})

test('JKS, the default, and PKCS12 stores are read as PEM, with both passwords', () => {
  const { tls: read } = kafkaOptionsFromProperties({
    ...tls,
    ...trust('trust.p12'),
    'ssl.truststore.type': 'PKCS12',
    'ssl.truststore.password': 'changeit',
    ...jksKey,
    'ssl.key.password': 'another-one',
  })

  assert.equal(read?.ca, readFileSync(store('ca.pem'), 'utf8'))
  assert.ok(createPrivateKey(read.key ?? '').equals(createPrivateKey(readFileSync(store('client.key')))))
  assert.equal(read.cert, readFileSync(store('client.crt'), 'utf8') + readFileSync(store('ca.pem'), 'utf8'))
})

test('PEM in one line, as in properties files, is read', () => {
  const oneLine = ca.trim().replaceAll('\n', ' ')

  const { tls: read } = kafkaOptionsFromProperties({ ...tls, ...pemTrust, 'ssl.truststore.certificates': oneLine })

  assert.equal(read?.ca, ca)
})

test('the enabled versions of TLS limit the connection', () => {
  const table: readonly (readonly [value: string, expected: Record<string, unknown>])[] = [
    ['TLSv1.2', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
    ['TLSv1.3', { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' }],
    ['TLSv1.3, TLSv1.2', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' }],
    ['TLSv1.2,TLSv1.1,TLSv1', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
  ]
  for (const [value, expected] of table) {
    const { tls: read } = kafkaOptionsFromProperties({ ...tls, 'ssl.enabled.protocols': value })
    assert.deepEqual(read, { checkHostName: true, ...expected }, value)
  }
})

test('an unsupported or invalid property is refused by name', () => {
  const table: readonly Refusal[] = [
    ['SETTING_MISSING', 'bootstrap.servers', {}],
    ['SETTING_MISSING', 'bootstrap.servers', { 'bootstrap.servers': ' , ' }],
    ['SETTING_INVALID', 'request.timeout.ms', { ...servers, 'request.timeout.ms': '5s' }],
    ['SETTING_INVALID', 'request.timeout.ms', { ...servers, 'request.timeout.ms': '0' }],
    ['SETTING_INVALID', 'security.protocol', { ...servers, 'security.protocol': 'TLS' }],
    ['SETTING_MISSING', 'sasl.mechanism', { ...servers, 'security.protocol': 'SASL_SSL' }],
    ['SETTING_UNSUPPORTED', 'sasl.mechanism', { ...sasl, 'sasl.mechanism': 'GSSAPI' }],
    ['SETTING_MISSING', 'sasl.jaas.config', { ...servers, 'security.protocol': 'SASL_SSL', 'sasl.mechanism': 'PLAIN' }],
    ['SETTING_INVALID', 'sasl.jaas.config', { ...sasl, 'sasl.mechanism': 'SCRAM-SHA-256' }],
    ['SETTING_UNSUPPORTED', 'ssl.truststore.type', { ...tls, ...trust('ca.pem'), 'ssl.truststore.type': 'BCFKS' }],
    ['SETTING_INVALID', 'ssl.truststore.password', { ...tls, ...trust('trust.p12') }],
    ['SETTING_INVALID', 'set its type to PEM', { ...tls, ...trust('ca.pem') }],
    ['SETTING_INVALID', 'set ssl.truststore.type to JKS', { ...tls, ...trust('trust.jks'), ...pemTrust }],
    ['SETTING_INVALID', 'set ssl.truststore.type to PKCS12', { ...tls, ...trust('trust.p12'), ...pemTrust }],
    ['SETTING_INVALID', 'the type must be PEM', { ...tls, 'ssl.truststore.certificates': ca }],
    ['SETTING_INVALID', 'ssl.keystore.password', { ...tls, 'ssl.keystore.location': store('client.jks') }],
    ['SETTING_INVALID', 'ssl.key.password', { ...tls, ...jksKey, 'ssl.key.password': 'wrong' }],
    ['SETTING_UNSUPPORTED', 'ssl.cipher.suites', { ...tls, 'ssl.cipher.suites': 'TLS_AES_128_GCM_SHA256' }],
    ['SETTING_UNSUPPORTED', 'ssl.enabled.protocols', { ...tls, 'ssl.enabled.protocols': 'TLSv1.1' }],
    [
      'SETTING_INVALID',
      'ssl.truststore.location',
      { ...tls, 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': '/no/such' },
    ],
    [
      'SETTING_MISSING',
      'ssl.keystore.key',
      { ...tls, 'ssl.keystore.type': 'PEM', 'ssl.keystore.certificate.chain': 'C' },
    ],
    [
      'SETTING_INVALID',
      'ssl.endpoint.identification.algorithm',
      { ...tls, 'ssl.endpoint.identification.algorithm': 'ldaps' },
    ],
  ]
  for (const [code, named, properties] of table) {
    assert.throws(
      () => kafkaOptionsFromProperties(properties),
      isCoded(code, named),
      `${named}: ${JSON.stringify(properties)}`,
    )
  }
})

test('the properties of a Java producer are read', () => {
  const table: readonly Case[] = [
    ['nothing', {}, {}],
    [
      'what Connect sets',
      { acks: 'all', 'delivery.timeout.ms': '2147483647', 'max.in.flight.requests.per.connection': '1' },
      { deliveryTimeoutMs: 2_147_483_647 },
    ],
    [
      'all',
      {
        'compression.type': 'zstd',
        'buffer.memory': '1000',
        'batch.size': '16384',
        'linger.ms': '5',
        'request.timeout.ms': '9',
        'max.request.size': '77',
        'enable.idempotence': 'true',
      },
      {
        compression: 'zstd',
        bufferBytesMax: 1000,
        batchBytesMax: 16_384,
        lingerMs: 5,
        requestTimeoutMs: 9,
        requestBytesMax: 77,
      },
    ],
  ]
  for (const [name, properties, expected] of table) {
    assert.deepEqual(producerOptionsFromProperties(properties), expected, name)
  }
})

test('settings that ask for weaker guarantees than the producer has are accepted', () => {
  for (const acks of ['0', '1', '-1', 'all']) {
    assert.deepEqual(producerOptionsFromProperties({ acks, 'enable.idempotence': 'false' }), {})
  }
})

test('producer settings that would change the partitions of records, and invalid ones, are refused', () => {
  const table: readonly Refusal[] = [
    ['SETTING_INVALID', 'acks', { acks: '2' }],
    ['SETTING_UNSUPPORTED', 'partitioner.class', { 'partitioner.class': 'org.example.Mine' }],
    ['SETTING_INVALID', 'compression.type', { 'compression.type': 'brotli' }],
    ['SETTING_INVALID', 'buffer.memory', { 'buffer.memory': '-1' }],
    ['SETTING_INVALID', 'linger.ms', { 'linger.ms': '1.5' }],
  ]
  for (const [code, named, properties] of table) {
    assert.throws(() => producerOptionsFromProperties(properties), isCoded(code, named), named)
  }
})

function isCoded(code: string, named: string): (error: Error & { code?: string }) => boolean {
  return (error) => error.code === code && error.message.includes(named)
}
