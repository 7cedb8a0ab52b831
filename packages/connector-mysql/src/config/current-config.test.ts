import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mariadbKind, mysqlKind } from '../connector-kind.ts'
import { parseConfig } from './connector-definition.ts'
import { currentConfig } from './current-config.ts'

type Config = Readonly<Record<string, string>>

const mysql = (config: Config): ReturnType<typeof currentConfig<string>> => currentConfig(mysqlKind.sslModes, config)

// Fields of the sources of Debezium 0.7, 0.10 and 1.9 on the left, of 3.6 on the right.
const renamed: readonly (readonly [old: string, value: string, name: string, present: string])[] = [
  ['database.server.name', 'dbserver1', 'topic.prefix', 'dbserver1'],
  ['database.whitelist', 'a', 'database.include.list', 'a'],
  ['database.blacklist', 'a', 'database.exclude.list', 'a'],
  ['table.whitelist', 'a.b', 'table.include.list', 'a.b'],
  ['table.blacklist', 'a.b', 'table.exclude.list', 'a.b'],
  ['column.whitelist', 'a.b.c', 'column.include.list', 'a.b.c'],
  ['column.blacklist', 'a.b.c', 'column.exclude.list', 'a.b.c'],
  ['gtid.source.blacklist', 'x', 'gtid.source.excludes', 'x'],
  ['database.history.kafka.topic', 't', 'schema.history.internal.kafka.topic', 't'],
  ['database.history.kafka.bootstrap.servers', 'k:9092', 'schema.history.internal.kafka.bootstrap.servers', 'k:9092'],
  [
    'database.history.consumer.sasl.jaas.config',
    'x required;',
    'schema.history.internal.consumer.sasl.jaas.config',
    'x required;',
  ],
  ['database.history.producer.ssl.protocol', 'TLS', 'schema.history.internal.producer.ssl.protocol', 'TLS'],
  [
    'database.history.store.only.monitored.tables.ddl',
    'true',
    'schema.history.internal.store.only.captured.tables.ddl',
    'true',
  ],
  ['database.history.skip.unparseable.ddl', 'true', 'schema.history.internal.skip.unparseable.ddl', 'true'],
  [
    'database.history',
    'io.debezium.relational.history.KafkaDatabaseHistory',
    'schema.history.internal',
    'io.debezium.storage.kafka.history.KafkaSchemaHistory',
  ],
  [
    'database.history',
    'io.debezium.relational.history.FileDatabaseHistory',
    'schema.history.internal',
    'io.debezium.storage.file.history.FileSchemaHistory',
  ],
  ['heartbeat.topics.prefix', '__hb', 'topic.heartbeat.prefix', '__hb'],
  ['transaction.topic', '${database.server.name}.tx', 'topic.transaction', 'tx'],
  ['event.deserialization.failure.handling.mode', 'warn', 'event.processing.failure.handling.mode', 'warn'],
  ['sanitize.field.names', 'TRUE', 'field.name.adjustment.mode', 'avro'],
  ['sanitize.field.names', 'false', 'field.name.adjustment.mode', 'none'],
  ['snapshot.minimal.locking', 'true', 'snapshot.locking.mode', 'minimal'],
  ['snapshot.minimal.locking', 'false', 'snapshot.locking.mode', 'extended'],
  ['database.allowPublicKeyRetrieval', 'true', 'driver.allowPublicKeyRetrieval', 'true'],
  ['database.sslMode', 'VERIFY_CA', 'database.ssl.mode', 'verify_ca'],
  ['driver.requireSSL', 'true', 'database.ssl.mode', 'required'],
]

for (const [old, value, name, present] of renamed) {
  test(`${old}=${value} is read as ${name}=${present}, with one warning`, () => {
    const { config, oldProperties } = mysql({ 'tasks.max': '1', [old]: value })
    assert.deepEqual(config, { 'tasks.max': '1', [name]: present })
    assert.equal(oldProperties[0]?.name, old)
    assert.match(oldProperties[0]?.reason ?? '', new RegExp(`is read as ${name}$`))
    // A value of an earlier release has a warning of its own.
    const isOldValue = value.endsWith('DatabaseHistory')
    assert.equal(oldProperties.length, isOldValue ? 2 : 1)
  })
}

test('where both names are set the present one counts, and the warning names it', () => {
  const given = {
    'database.server.name': 'old',
    'topic.prefix': 'new',
    'table.whitelist': 'a.b',
    'table.include.list': 'a.b',
  }
  for (const config of [given, Object.fromEntries(Object.entries(given).reverse())]) {
    const found = mysql(config)
    assert.deepEqual(found.config, { 'topic.prefix': 'new', 'table.include.list': 'a.b' })
    const reasons = Object.fromEntries(found.oldProperties.map(({ name, reason }) => [name, reason]))
    assert.equal(
      reasons['database.server.name'],
      'has no effect, because topic.prefix is set, to another value, which counts. Remove it',
    )
    assert.match(reasons['table.whitelist'] ?? '', /to the same value/)
  }
})

test('a blank present name does not hide the old one, which would capture more', () => {
  const given = { 'table.include.list': ' ', 'table.whitelist': 'a.b' }
  for (const config of [given, Object.fromEntries(Object.entries(given).reverse())]) {
    assert.deepEqual(mysql(config).config, { 'table.include.list': 'a.b' })
  }
})

// Members of SnapshotMode and of the locking modes of Debezium 1.9.
const values: readonly (readonly [property: string, old: string, present: string])[] = [
  ['snapshot.mode', 'schema_only', 'no_data'],
  ['snapshot.mode', 'SCHEMA_ONLY', 'no_data'],
  ['snapshot.mode', ' schema_only_recovery ', 'recovery'],
  ['snapshot.locking.mode', 'minimal_percona', 'minimal'],
  ['inconsistent.schema.handling.mode', 'ignore', 'skip'],
]

for (const [property, old, present] of values) {
  test(`${property}=${old} is read as ${present}, with one warning`, () => {
    const { config, oldProperties } = mysql({ [property]: old })
    assert.deepEqual(config, { [property]: present })
    assert.equal(oldProperties.length, 1)
    assert.match(
      oldProperties[0]?.reason ?? '',
      new RegExp(`^has the old value ${old.trim()}, which is read as ${present}`),
    )
  })
}

test('each connector reads the TLS modes of the other', () => {
  const read = (kind: typeof mysqlKind, mode: string): string | undefined =>
    currentConfig(kind.sslModes, { 'database.ssl.mode': mode }).config['database.ssl.mode']
  assert.deepEqual(
    ['DISABLED', 'required', 'verify_ca', 'verify_identity', 'trust', 'preferred'].map((mode) =>
      read(mariadbKind, mode),
    ),
    ['disable', 'trust', 'verify-ca', 'verify-full', 'trust', 'preferred'],
  )
  assert.deepEqual(
    ['disable', 'trust', 'verify-ca', 'verify-full', 'DISABLED'].map((mode) => read(mysqlKind, mode)),
    ['disabled', 'required', 'verify_ca', 'verify_identity', 'DISABLED'],
  )
})

test('a value without an equivalent has no effect, and a wrong one stays for the error of the present name', () => {
  const transaction = mysql({ 'topic.prefix': 'p', 'transaction.topic': 'other' })
  assert.deepEqual(transaction.config, { 'topic.prefix': 'p' })
  assert.match(transaction.oldProperties[0]?.reason ?? '', /no equivalent in topic\.transaction/)
  assert.deepEqual(mysql({ 'sanitize.field.names': 'maybe' }).config, { 'field.name.adjustment.mode': 'maybe' })
})

test('a present configuration stays as it is', () => {
  const config = { 'topic.prefix': 'p', 'snapshot.mode': 'INITIAL', 'database.ssl.mode': 'required', 'x.y': '' }
  assert.deepEqual(mysql(config), { config, oldProperties: [] })
})

test('a document of Debezium 1.x is read completely', () => {
  const config = parseConfig(mysqlKind, {
    'database.hostname': 'db',
    'database.user': 'u',
    'database.server.id': '1',
    'database.server.name': 'dbserver1',
    'database.whitelist': 'inventory',
    'column.blacklist': 'inventory.customers.secret',
    'database.history.kafka.topic': 'history',
    'database.history.kafka.bootstrap.servers': 'k:9092',
    'database.history.producer.security.protocol': 'SSL',
    'snapshot.mode': 'schema_only',
    'sanitize.field.names': 'true',
    'database.allowPublicKeyRetrieval': 'true',
  })
  const { topicPrefix, historyTopic, historyBootstrapServers, snapshotMode, fieldNameAdjustment } = config
  assert.deepEqual(
    [topicPrefix, historyTopic, historyBootstrapServers, snapshotMode.name, fieldNameAdjustment],
    ['dbserver1', 'history', 'k:9092', 'no_data', 'avro'],
  )
  assert.equal(config.allowsPublicKeyRetrieval, true)
  assert.deepEqual(
    ['inventory', 'other'].map((database) => config.filter.includesDatabase(database)),
    [true, false],
  )
  assert.equal(config.properties['schema.history.internal.producer.security.protocol'], 'SSL')
  assert.equal(config.properties['column.exclude.list'], 'inventory.customers.secret')
})
