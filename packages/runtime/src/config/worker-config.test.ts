import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { droppedRestSettings, ignoredSettings } from './unsupported-settings.ts'
import type { RestListener } from './rest-settings.ts'
import { parseWorkerConfig } from './worker-config.ts'

const MINIMAL = {
  'bootstrap.servers': 'broker:9092',
  'config.storage.topic': 'my_configs',
  'offset.storage.topic': 'my_offsets',
}
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'

/** Code and message of the error. */
function refusal(properties: Readonly<Record<string, string>>): readonly [code: string, message: string] {
  try {
    parseWorkerConfig(properties)
  } catch (error) {
    assert.ok(error instanceof CodedError)
    assert.equal(error.name, 'org.apache.kafka.common.config.ConfigException')
    return [error.code, error.message]
  }
  return assert.fail('the settings were accepted')
}

test('brokers and two topics are required; all other defaults are those of the Debezium image', () => {
  const topic = { replicationFactor: null, configs: {} }
  assert.deepEqual(parseWorkerConfig(MINIMAL), {
    bootstrapServers: ['broker:9092'],
    groupId: '1',
    sessionTimeoutMs: 10_000,
    heartbeatIntervalMs: 3_000,
    rebalanceTimeoutMs: 60_000,
    groupProtocol: 'sessioned',
    rebalanceDelayMs: 0,
    configTopic: { name: 'my_configs', partitions: 1, ...topic },
    offsetTopic: { name: 'my_offsets', partitions: 25, ...topic },
    statusTopic: { name: 'connect-status', partitions: 5, ...topic },
    keyConverter: { className: JSON_CONVERTER, options: {} },
    valueConverter: { className: JSON_CONVERTER, options: {} },
    headerConverter: { className: 'org.apache.kafka.connect.storage.SimpleHeaderConverter', options: {} },
    offsetFlushIntervalMs: 60_000,
    offsetFlushTimeoutMs: 5_000,
    offsetFlushMaxRecords: 2_500,
    exactlyOnce: 'disabled',
    shutdownTimeoutMs: 10_000,
    taskThreadsMax: 0,
    // KIP-558: topic.tracking.enable and topic.tracking.allow.reset are true unless they are set.
    topicTracking: { isEnabled: true, mayReset: true },
    allowedCallers: { hosts: [], origins: [] },
    rest: {
      listeners: [{ isTls: false, host: null, port: 8083 }],
      pathPrefix: '',
      basicFile: null,
      bearerFile: null,
      readOnlyUsers: [],
      hasPage: true,
      eventReaders: 'full',
      eventTopics: [],
    },
    advertisedHost: null,
    advertisedPort: null,
    isTlsAdvertised: null,
    sessionKeys: {
      keyAlgorithm: 'HmacSHA256',
      keyBytes: 32,
      keyTtlMs: 3_600_000,
      signatureAlgorithm: 'HmacSHA256',
      verificationAlgorithms: ['HmacSHA256'],
    },
    properties: MINIMAL,
  })
})

test('there are at least two heartbeats in the time in which tasks may write after one', () => {
  const times = { 'session.timeout.ms': '6000', 'rebalance.timeout.ms': '7000' }
  const intervals = ['1000', '3000'].map((interval) => {
    const config = parseWorkerConfig({ ...MINIMAL, ...times, 'heartbeat.interval.ms': interval })
    assert.deepEqual([config.sessionTimeoutMs, config.rebalanceTimeoutMs], [6_000, 7_000])
    return config.heartbeatIntervalMs
  })
  assert.deepEqual(intervals, [1_000, 2_400])
})

test('the settings of a connect-distributed.properties file are read', () => {
  const config = parseWorkerConfig({
    ...MINIMAL,
    'bootstrap.servers': 'a:1, b:2',
    'group.id': 'connect-cluster',
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'key.converter.schemas.enable': 'true',
    'value.converter.schemas.enable': 'false',
    'offset.storage.partitions': '50',
    'offset.storage.replication.factor': '1',
    'config.storage.replication.factor': '-1',
    'config.storage.partitions': '7',
    'status.storage.partitions': '-1',
    'status.storage.segment.bytes': '1048576',
    'status.storage.cleanup.policy': 'delete',
    'offset.flush.interval.ms': '10000',
    'rest.host.name': '127.0.0.1',
    'rest.port': '0',
    'rest.advertised.host.name': 'connect-1',
    'rest.advertised.port': '80',
  })
  assert.deepEqual(config.bootstrapServers, ['a:1', 'b:2'])
  assert.deepEqual(config.keyConverter, {
    className: 'org.apache.kafka.connect.storage.StringConverter',
    options: { 'schemas.enable': 'true' },
  })
  assert.deepEqual(config.valueConverter, { className: JSON_CONVERTER, options: { 'schemas.enable': 'false' } })
  assert.deepEqual(
    [config.configTopic, config.offsetTopic, config.statusTopic],
    [
      { name: 'my_configs', partitions: 1, replicationFactor: -1, configs: {} },
      { name: 'my_offsets', partitions: 50, replicationFactor: 1, configs: {} },
      { name: 'connect-status', partitions: -1, replicationFactor: null, configs: { 'segment.bytes': '1048576' } },
    ],
  )
  const { groupId, offsetFlushIntervalMs, rest, advertisedHost, advertisedPort } = config
  assert.deepEqual(
    [groupId, offsetFlushIntervalMs, rest.listeners, advertisedHost, advertisedPort],
    ['connect-cluster', 10_000, [{ isTls: false, host: '127.0.0.1', port: 0 }], 'connect-1', 80],
  )
})

test('listeners override host and port', () => {
  const table: readonly (readonly [listeners: string, ...expected: readonly RestListener[]])[] = [
    ['http://:8083', { isTls: false, host: null, port: 8083 }],
    ['http://127.0.0.1:80', { isTls: false, host: '127.0.0.1', port: 80 }],
    ['HTTP://0.0.0.0:0', { isTls: false, host: '0.0.0.0', port: 0 }],
    ['http://[::1]:8084', { isTls: false, host: '::1', port: 8084 }],
    ['http://a:1, https://b:2', { isTls: false, host: 'a', port: 1 }, { isTls: true, host: 'b', port: 2 }],
  ]
  for (const [listeners, ...expected] of table) {
    const { rest } = parseWorkerConfig({ ...MINIMAL, 'rest.host.name': 'x', 'rest.port': '9', listeners })
    assert.deepEqual(rest.listeners, expected, listeners)
  }
})

test('a path prefix is a path that needs no encoding', () => {
  const prefixOf = (prefix: string): string =>
    parseWorkerConfig({ ...MINIMAL, 'rest.path.prefix': prefix }).rest.pathPrefix
  assert.deepEqual(['', '/', '/cdc', '/a/b.c/'].map(prefixOf), ['', '', '/cdc', '/a/b.c'])
  for (const prefix of ['cdc', '/a//b', '/a b', '/../x', '/a/..', '/%41', 'http://x/y']) {
    assert.match(refusal({ ...MINIMAL, 'rest.path.prefix': prefix })[1], /a prefix is a path such as \/cdc/, prefix)
  }
})

test('the error for missing brokers names the settings', () => {
  for (const properties of [{}, { 'bootstrap.servers': ' ' }]) {
    assert.deepEqual(refusal(properties), [
      'WORKER_NO_BROKER',
      'No Kafka broker is configured. Set BOOTSTRAP_SERVERS=host:port in the environment, or bootstrap.servers in the properties file given to `tributary start`.',
    ])
  }
})

test('the error for missing topics names all of them with their purpose', () => {
  assert.deepEqual(refusal({ 'bootstrap.servers': 'b:1' }), [
    'WORKER_SETTING_MISSING',
    'The worker configuration is incomplete. Missing: config.storage.topic, the topic where connector configurations will be stored (single partition, compacted, as many replicas as you can); offset.storage.topic, the topic where connector offsets will be stored (many partitions, compacted). Set CONFIG_STORAGE_TOPIC and OFFSET_STORAGE_TOPIC in the environment, or config.storage.topic and offset.storage.topic in the properties file given to `tributary start`.',
  ])
})

test('the error for invalid values names all of them with their reasons', () => {
  assert.deepEqual(refusal({ ...MINIMAL, 'rest.port': '70000', 'offset.flush.interval.ms': 'soon' }), [
    'WORKER_SETTING_INVALID',
    'The worker configuration is invalid: Invalid value soon for configuration offset.flush.interval.ms: Not a number of type LONG; Invalid value 70000 for configuration rest.port: Value must be no more than 65535. Correct OFFSET_FLUSH_INTERVAL_MS and REST_PORT in the environment, or offset.flush.interval.ms and rest.port in the properties file given to `tributary start`.',
  ])
})

test('an invalid listener is refused', () => {
  for (const listeners of ['8083', 'http://host', 'http://host:x', 'http://:65536', '://:1x']) {
    assert.match(
      refusal({ ...MINIMAL, listeners })[1],
      /Listener doesn't have the right format \(protocol:\/\/hostname:port\)/,
    )
  }
  assert.match(
    refusal({ ...MINIMAL, listeners: 'ftp://:21' })[1],
    /listeners=ftp:\/\/:21: the protocol must be http or https/,
  )
})

test('the login of Kafka Connect is accepted where its file is named', () => {
  const extension = 'org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension'
  const properties = { ...MINIMAL, 'rest.extension.classes': extension }
  assert.match(refusal(properties)[1], /a login is set with rest\.auth\.basic\.file/)
  assert.equal(parseWorkerConfig({ ...properties, 'rest.auth.basic.file': '/x' }).rest.basicFile, '/x')
})

test('settings that cannot be ignored without weakening security or guarantees are refused', () => {
  const table: readonly (readonly [property: string, value: string, reason: RegExp])[] = [
    ['rest.extension.classes', 'org.example.Auth', /everybody who reaches the REST interface could change connectors/],
  ]
  for (const [property, value, reason] of table) {
    const [code, message] = refusal({ ...MINIMAL, [property]: value })
    assert.equal(code, 'WORKER_SETTING_UNSUPPORTED')
    assert.ok(
      message.startsWith(`The worker setting ${property}=${value} is not supported by this version of Tributary: `),
    )
    assert.match(message, reason)
    assert.ok(message.includes(`(CONNECT_${property.toUpperCase().replaceAll('.', '_')} in the environment)`))
  }
  assert.equal(parseWorkerConfig({ ...MINIMAL, 'config.providers': '' }).groupId, '1')
})

test('exactly-once delivery is chosen in any case of letters, and off by default', () => {
  const chosen = (value: string): string =>
    parseWorkerConfig({ ...MINIMAL, 'exactly.once.source.support': value }).exactlyOnce
  assert.equal(parseWorkerConfig(MINIMAL).exactlyOnce, 'disabled')
  assert.equal(chosen('ENABLED'), 'enabled')
  assert.equal(chosen('Preparing'), 'preparing')
  assert.match(
    refusal({ ...MINIMAL, 'exactly.once.source.support': 'yes' })[1],
    /Invalid value yes for configuration exactly\.once\.source\.support: String must be one of \(case insensitive\): DISABLED, ENABLED, PREPARING/,
  )
})

test('settings without an effect are recognized', () => {
  const settings = [
    'group.id',
    'groupid',
    'plugin.path',
    'session.timeout.ms',
    'worker.sync.timeout.ms',
    'producer.linger.ms',
    'ssl.truststore.location',
    'sasl.jaas.config',
    'security.protocol',
    'key.converter.schemas.enable',
    'offset.storage.segment.bytes',
    'client.id',
  ]
  assert.deepEqual(ignoredSettings(Object.fromEntries(settings.map((name) => [name, 'x']))), [
    'groupid',
    'plugin.path',
    'worker.sync.timeout.ms',
  ])
})

test('settings of Kafka Connect’s REST interface that would protect or open it are warnings', () => {
  const set = {
    'admin.listeners': 'http://127.0.0.1:9999',
    'access.control.allow.origin': '*',
    'access.control.allow.methods': 'GET',
    'response.http.headers.config': 'add X-Frame-Options: DENY',
  }
  const warnings = droppedRestSettings(set)
  assert.equal(warnings.length, 4)
  for (const [index, name] of Object.keys(set).entries())
    assert.match(warnings[index] ?? '', new RegExp(`${name} is not`))
  assert.deepEqual(ignoredSettings(set), [])
  // Switches /admin off in Kafka Connect.
  assert.equal(droppedRestSettings({ 'admin.listeners': '' }).length, 1)
  assert.deepEqual(droppedRestSettings({ 'access.control.allow.origin': '' }), [])
})
