import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import { debeziumMessages, TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mariadbKind, mysqlKind } from '../connector-kind.ts'
import { type ConnectorConfig, typedConfig } from './connector-config.ts'
import { connectorKeys } from './connector-keys.ts'

const MINIMAL: ConfigMap = {
  'topic.prefix': 'dbserver1',
  'database.hostname': 'mysql',
  'database.user': 'debezium',
  'database.server.id': '184054',
  'schema.history.internal.kafka.topic': 'history',
  'schema.history.internal.kafka.bootstrap.servers': 'broker:9092',
}

const mysqlDefinition = new ConfigDef(connectorKeys(mysqlKind), debeziumMessages)
const mariadbDefinition = new ConfigDef(connectorKeys(mariadbKind), debeziumMessages)

function typed(changes: ConfigMap = {}, definition: ConfigDef = mysqlDefinition): ConnectorConfig {
  const config = { ...MINIMAL, ...changes }
  return typedConfig(definition.parse(config), config)
}

/** Refusals of a configuration, in the order of the definition. */
function refusals(config: ConfigMap, definition: ConfigDef = mysqlDefinition): readonly string[] {
  return definition.validate(config).flatMap(({ errors }) => errors)
}

test('missing required properties are reported in Debezium’s order and words', () => {
  const required = ['topic.prefix', 'database.hostname', 'database.user', 'database.server.id']
  const history = ['topic', 'bootstrap.servers'].map((what) => `schema.history.internal.kafka.${what}`)
  assert.deepEqual(
    refusals({}),
    [...required, ...history].map((name) => `The '${name}' value is invalid: A value is required`),
  )
  assert.deepEqual(refusals(MINIMAL), [])
})

test('other properties have Debezium’s defaults', () => {
  const config = typed()
  const { port, password, tlsMode, snapshotLocking, snapshotLockTimeoutMs, tombstonesOnDelete } = config
  assert.deepEqual(
    [port, password, tlsMode, snapshotLocking, snapshotLockTimeoutMs, tombstonesOnDelete],
    [3306, '', 'preferred', 'minimal', 10_000, true],
  )
  const { includesSchemaChanges, pollIntervalMs, connectTimeoutMs, keepAliveIntervalMs } = config
  assert.deepEqual(
    [includesSchemaChanges, pollIntervalMs, connectTimeoutMs, keepAliveIntervalMs],
    [true, 500, 30_000, 60_000],
  )
  assert.deepEqual(config.values, {
    decimal: 'precise',
    timePrecision: 'adaptive_time_microseconds',
    bigintUnsigned: 'long',
    binary: 'bytes',
    adjustsTwoDigitYears: true,
    unavailable: Buffer.from('__debezium_unavailable_value'),
  })
  assert.deepEqual([config.naming.schemaChangeTopic, config.failureHandling], ['dbserver1', 'fail'])
})

test('the history topic has two property names; the current one takes precedence', () => {
  const spelled = (what: string): ConfigMap => ({
    'topic.prefix': 'p',
    'database.hostname': 'h',
    'database.user': 'u',
    'database.server.id': '1',
    [`schema.history.internal.${what}.topic`]: `of-${what}`,
    [`schema.history.internal.${what}.bootstrap.servers`]: `${what}:9092`,
  })
  const read = (config: ConfigMap): unknown => {
    const { historyTopic, historyBootstrapServers } = typedConfig(mysqlDefinition.parse(config), config)
    return [historyTopic, historyBootstrapServers]
  }
  assert.deepEqual(read(spelled('kafka')), ['of-kafka', 'kafka:9092'])
  assert.deepEqual(read(spelled('broker')), ['of-broker', 'broker:9092'])
  assert.deepEqual(read({ ...spelled('broker'), ...spelled('kafka') }), ['of-kafka', 'kafka:9092'])
})

test('the TLS modes have the names of each connector', () => {
  const modes = (definition: ConfigDef, spellings: readonly string[]): unknown =>
    spellings.map((mode) => typed({ 'database.ssl.mode': mode }, definition).tlsMode)
  assert.deepEqual(modes(mysqlDefinition, ['disabled', 'Preferred', 'required', 'verify_ca', 'verify_identity']), [
    'disabled',
    'preferred',
    'required',
    'verify_ca',
    'verify_identity',
  ])
  assert.deepEqual(modes(mariadbDefinition, ['disable', 'trust', 'verify-ca', 'verify-full']), [
    'disabled',
    'required',
    'verify_ca',
    'verify_identity',
  ])
  assert.equal(typed({}, mariadbDefinition).tlsMode, 'disabled')
  assert.deepEqual(refusals({ ...MINIMAL, 'database.ssl.mode': 'required' }, mariadbDefinition), [
    "The 'database.ssl.mode' value is invalid: Value must be one of disable, trust, verify-ca, verify-full",
  ])
})

test('invalid values are refused in Debezium’s words', () => {
  const table: readonly (readonly [changes: ConfigMap, refusals: readonly string[]])[] = [
    [
      { 'database.port': 'x' },
      Array.from({ length: 2 }, () => "The 'database.port' value is invalid: An integer is expected"),
    ],
    [{ 'database.port': '70000' }, ["The 'database.port' value is invalid: Value must be no more than 65535"]],
    [
      { 'database.server.id': '99999999999' },
      ["The 'database.server.id' value is invalid: Value must be no more than 4294967295"],
    ],
    [
      { 'snapshot.max.threads': '100000' },
      ["The 'snapshot.max.threads' value is invalid: Value must be no more than 1000"],
    ],
    [
      { 'database.server.id': '0' },
      ["The 'database.server.id' value is invalid: A positive, non-zero long value is expected"],
    ],
    [
      { 'topic.prefix': 'has space' },
      [
        "The 'topic.prefix' value is invalid: has space has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)",
      ],
    ],
    ...['schema history', '..', 'h/m', 'h'.repeat(250)].map((name): [Record<string, string>, string[]] => [
      { 'schema.history.internal.kafka.topic': name },
      [
        `The 'schema.history.internal.kafka.topic' value is invalid: '${name}' is no name of a topic: letters, digits, dots, underscores and hyphens are, at most 249, and neither . nor ..`,
      ],
    ]),
    [
      { 'table.include.list': 'a.b', 'table.exclude.list': 'c.d' },
      [`The 'table.exclude.list' value is invalid: "table.include.list" is already specified`],
    ],
    [
      { 'max.batch.size': '10', 'max.queue.size': '10' },
      ["The 'max.queue.size' value is invalid: Must be larger than the maximum batch size"],
    ],
    [
      { 'snapshot.mode': 'bogus' },
      [
        "The 'snapshot.mode' value is invalid: Value must be one of always, initial_only, configuration_based, when_needed, initial, custom, no_data, recovery",
      ],
    ],
    [
      { 'snapshot.mode': 'custom' },
      [
        "The 'snapshot.mode' value is invalid: 'custom' names a Java class of your own, and Tributary runs no Java; supported: initial, always, initial_only, no_data, recovery, when_needed, never, configuration_based",
      ],
    ],
    [
      { 'snapshot.mode': 'sometimes' },
      [
        "The 'snapshot.mode' value is invalid: Value must be one of always, initial_only, configuration_based, when_needed, initial, custom, no_data, recovery",
      ],
    ],
    [
      { 'snapshot.max.threads': '0' },
      ["The 'snapshot.max.threads' value is invalid: A positive, non-zero integer value is expected"],
    ],
  ]
  for (const [changes, expected] of table) assert.deepEqual(refusals({ ...MINIMAL, ...changes }), expected)
})

test('tasks.max must be 1', () => {
  const isRefused = (tasksMax: string): boolean => refusals({ ...MINIMAL, 'tasks.max': tasksMax }).length > 0
  assert.deepEqual(['1', ' 1 ', '+1', '01'].map(isRefused), [false, false, false, false])
  assert.deepEqual(['2', '10', '02', '2147483647'].map(isRefused), [true, true, true, true])
})

test('an address of IP version 6 is a host', () => {
  assert.deepEqual(refusals({ ...MINIMAL, 'database.hostname': '::1' }), [])
  assert.equal(refusals({ ...MINIMAL, 'database.hostname': 'my host' }).length, 1)
})

test('semicolons separate statements; a double semicolon is a literal one', () => {
  const statements = (text: string): unknown => typed({ 'database.initial.statements': text }).initialStatements
  assert.deepEqual(statements("SET a=1; SET b='x;;y' ;"), ['SET a=1', "SET b='x;y'"])
  assert.deepEqual(typed().initialStatements, [])
})

test('a batch is at most as large as configured', () => {
  assert.equal(typed({ 'max.batch.size': '10' }).batchRowsMax, 10)
})

test('a snapshot does not wait for the load while its own lock stops all writers', () => {
  const limits = { 'snapshot.max.running.threads': '20', 'snapshot.replica.hosts': 'replica' }
  const found = refusals({ ...MINIMAL, ...limits, 'snapshot.locking.mode': 'EXTENDED' })
  assert.equal(found.length, 2)
  for (const each of found) assert.match(each, /with snapshot\.locking\.mode=extended .* use minimal or none/)
  const perSecond = { 'snapshot.max.rows.per.second': '20', 'snapshot.max.running.threads': '0' }
  assert.deepEqual(refusals({ ...MINIMAL, ...perSecond, 'snapshot.locking.mode': 'extended' }), [])
  assert.deepEqual(refusals({ ...MINIMAL, ...limits }), [])
})

test('the poll interval has a limit, so that a stop is not delayed', () => {
  assert.equal(typed({ 'poll.interval.ms': '60000' }).pollIntervalMs, 5_000)
})

test('the lists decide which tables are captured; system databases never are', () => {
  const included = (changes: ConfigMap, ...tables: readonly (readonly [string, string])[]): unknown => {
    const { filter } = typed(changes)
    return tables.map(([database, table]) => filter.includesTable(TableId.of(database, table)))
  }
  const tables = [
    ['inventory', 'orders'],
    ['inventory', 'audit_log'],
    ['sales', 'orders'],
    ['mysql', 'user'],
    ['SYS', 'x'],
  ] as const
  assert.deepEqual(included({}, ...tables), [true, true, true, false, false])
  assert.deepEqual(included({ 'database.include.list': 'INVENTORY,mysql' }, ...tables), [
    true,
    true,
    false,
    false,
    false,
  ])
  assert.deepEqual(included({ 'database.exclude.list': 'inv.*' }, ...tables), [false, false, true, false, false])
  assert.deepEqual(included({ 'table.include.list': String.raw`.*\.orders` }, ...tables), [
    true,
    false,
    true,
    false,
    false,
  ])
  assert.deepEqual(included({ 'table.exclude.list': String.raw`inventory\..*_log` }, ...tables), [
    true,
    false,
    true,
    false,
    false,
  ])
  assert.deepEqual(
    included({ 'database.include.list': 'sales', 'table.include.list': String.raw`.*\.orders` }, ...tables),
    [false, false, true, false, false],
  )
})

test('tables are in the order of the include list, others after them', () => {
  const { filter } = typed({ 'table.include.list': String.raw`d\.b,d\.a.*` })
  const order = ['a1', 'b', 'z'].map((table) => filter.orderOf(TableId.of('d', table)))
  assert.deepEqual(order, [1, 0, Number.MAX_SAFE_INTEGER])
})

test('rows of unknown tables are handled as other events unless the property about them is set', () => {
  const [ofEvents, ofTables] = ['event.processing.failure.handling.mode', 'inconsistent.schema.handling.mode']
  const handled = (changes: ConfigMap): readonly string[] => {
    const { failureHandling, unknownTableHandling } = typed(changes)
    return [failureHandling, unknownTableHandling]
  }
  assert.deepEqual(handled({}), ['fail', 'fail'])
  assert.deepEqual(handled({ [ofEvents]: 'skip' }), ['skip', 'skip'])
  assert.deepEqual(handled({ [ofEvents]: 'skip', [ofTables]: 'fail' }), ['skip', 'fail'])
  assert.deepEqual(handled({ [ofTables]: 'warn' }), ['fail', 'warn'])
})
