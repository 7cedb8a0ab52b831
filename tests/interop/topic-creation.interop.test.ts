/**
 * The same connector documents on Kafka Connect and on Tributary: the settings of the topics that each creates
 * (KIP-158), what each answers about overrides of Kafka clients that its policy refuses, and how a task fails that may
 * not create a topic.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  eventually,
  kafkaClient,
  runKafkaTool,
  type Service,
  startConnect,
  startKafka,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'

type Config = Readonly<Record<string, string>>

/** Worker properties under the names of Connect, as the environment of Tributary. */
function environment(properties: Config): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [`CONNECT_${name.toUpperCase().replaceAll('.', '_')}`, value]),
  )
}

const SIDES = ['connect', 'tributary'] as const

function startSide(
  side: (typeof SIDES)[number],
  bootstrapServers: readonly string[],
  properties: Config = {},
): Promise<Service> {
  return side === 'connect'
    ? startConnect({ bootstrapServers, properties })
    : startService({ bootstrapServers, env: environment(properties) })
}

const CREATION: Config = {
  'topic.creation.groups': 'default,compacted, orders,internal',
  'topic.creation.default.partitions': '3',
  'topic.creation.default.replication.factor': '1',
  'topic.creation.default.retention.ms': '7200000',
  'topic.creation.default.exclude': '.*',
  'topic.creation.compacted.include': '.*\\.customers, .*\\.products',
  'topic.creation.compacted.exclude': '.*\\.products',
  'topic.creation.compacted.cleanup.policy': 'compact',
  'topic.creation.compacted.compression.type': 'zstd',
  'topic.creation.orders.include': '.*\\.(orders|customers)',
  'topic.creation.orders.partitions': '6',
  'topic.creation.internal.include': '__debezium-heartbeat.*,[^.]*',
  'topic.creation.internal.partitions': '-1',
  'topic.creation.internal.replication.factor': '-1',
  'topic.creation.internal.max.message.bytes': '2097152',
}
const TABLES = ['orders', 'customers', 'products', 'existing'] as const

test('both create the same topics with the same settings, and leave one that exists as it is', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const kafka = await kafkaClient(bootstrapServers)
  await using admin = kafka.admin()
  const found: Record<string, unknown> = {}
  for (const side of SIDES) {
    const name = uniqueName('creates')
    await database.query(`CREATE DATABASE ${name}`)
    for (const table of TABLES) {
      await database.query(`CREATE TABLE ${name}.${table} (id INT PRIMARY KEY)`)
      await database.query(`INSERT INTO ${name}.${table} VALUES (1)`)
    }
    await admin.createTopic({ name: `${name}.${name}.existing`, partitions: 2, replicationFactor: 1 })
    await using service = await startSide(side, bootstrapServers)
    const more = { ...CREATION, 'heartbeat.interval.ms': '500' }
    await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
    const topics = [name, `__debezium-heartbeat.${name}`, ...TABLES.map((table) => `${name}.${name}.${table}`)]
    found[side] = await Promise.all(
      topics.map(async (topic) => {
        const description = await eventually(
          `${topic} exists`,
          async () => (await admin.describeTopic(topic)) ?? false,
          { timeoutMs: 60_000 },
        )
        const partitions = description.partitions.map(({ replicas }) => replicas.length)
        const settings = [...(await admin.topicConfig(topic))].toSorted(([a], [b]) => (a < b ? -1 : 1))
        return [topic.replaceAll(name, 'NAME'), partitions, settings]
      }),
    )
  }
  assert.deepEqual(found['tributary'], found['connect'])
  const partitions = (found['tributary'] as readonly (readonly [string, readonly number[]])[]).map(
    ([topic, { length }]) => [topic, length],
  )
  assert.deepEqual(partitions, [
    ['NAME', 1],
    ['__debezium-heartbeat.NAME', 1],
    ['NAME.NAME.orders', 6],
    ['NAME.NAME.customers', 3],
    ['NAME.NAME.products', 3],
    ['NAME.NAME.existing', 2],
  ])
})

interface Validation {
  readonly configs: readonly { readonly definition: unknown; readonly value: { readonly name: string } | null }[]
}

test('the policies answer about overrides as in Connect', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('policy')
  const more = {
    'producer.override.linger.ms': '7',
    'producer.override.acks': '1',
    'producer.override.sasl.jaas.config': 'secret',
    'producer.override.no.such.setting': 'x',
    'admin.override.retries': '3',
    'topic.creation.default.partitions': '1',
    'topic.creation.default.replication.factor': '1',
  }
  const config = { ...connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }), name }
  const path = '/connector-plugins/MySql/config/validate'
  for (const policy of ['None', 'Principal', 'Allowlist']) {
    const properties = {
      'connector.client.config.override.policy': policy,
      'connector.client.config.override.allowlist': 'linger.ms,retries',
    }
    const answers: Record<string, unknown> = {}
    for (const side of SIDES) {
      await using service = await startSide(side, bootstrapServers, properties)
      const { json } = await service.rest('PUT', path, config)
      answers[side] = (json as Validation).configs
        .filter(({ value }) => /^(producer|admin)\.override\./.test(value?.name ?? ''))
        .map(({ definition, value }) => shown(definition, value))
        .toSorted()
    }
    assert.deepEqual(answers['tributary'], answers['connect'], policy)
  }
})

/** Definitions have texts of their own; a setting that Java does not know may be a secret, so its value is not shown. */
function shown(definition: unknown, value: object | null): string {
  if (definition === null) return JSON.stringify([null, { ...value, value: null }])
  return JSON.stringify([{ ...(definition as object), documentation: '' }, value])
}

const ACCOUNT = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="app";'

test('a task that may not create its topic fails with the same text, and leaves nothing to auto-creation', async () => {
  await using server = await startKafka({
    extraListeners: { LOGIN: 'SASL_PLAINTEXT' },
    config: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      'sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.login.plain.sasl.jaas.config':
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_app="app";',
    },
  })
  const { bootstrapServers } = server
  await runKafkaTool('org.apache.kafka.tools.AclCommand', [
    '--bootstrap-server',
    server.internalServers.join(','),
    '--add',
    '--allow-principal',
    'User:app',
    '--operation',
    'Describe',
    '--topic',
    '*',
  ])
  const database = await useMySql()
  const traces: Record<string, string> = {}
  for (const side of SIDES) {
    const name = uniqueName('denied')
    await database.query(`CREATE DATABASE ${name}`)
    await database.query(`CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
    await using service = await startSide(side, bootstrapServers)
    const more = {
      'topic.creation.default.partitions': '2',
      'topic.creation.default.replication.factor': '-1',
      'topic.creation.default.cleanup.policy': 'compact',
      'admin.override.bootstrap.servers': server.listener('LOGIN').join(','),
      'admin.override.security.protocol': 'SASL_PLAINTEXT',
      'admin.override.sasl.mechanism': 'PLAIN',
      'admin.override.sasl.jaas.config': ACCOUNT,
    }
    await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
    const { trace } = await service.waitForTask(name, ['FAILED'])
    traces[side] = trace.split('\n')[0]?.replaceAll(name, 'NAME') ?? ''
    await using admin = (await kafkaClient(bootstrapServers)).admin()
    assert.equal(await admin.describeTopic(`${name}.${name}.t`), null)
  }
  const connect = traces['connect'] ?? ''
  assert.match(connect, /ConnectException: Task failed to create new topic/)
  assert.equal(traces['tributary']?.slice(0, connect.length), connect)
})
