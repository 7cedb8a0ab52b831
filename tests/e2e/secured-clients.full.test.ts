/**
 * A worker and a connector whose Kafka clients have a login each: the worker's own, the producer, the client that creates
 * topics, and the schema history. The only listener that they know demands TLS and a login. The stores are Java's.
 */
import {
  Certificates,
  connectorConfig,
  eventually,
  runProgram,
  startKafka,
  startService,
  uniqueName,
  useMySql,
  type KafkaServer,
  type Service,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createKafka } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'

const PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
const USERS = ['worker', 'producer', 'admin', 'history']
const accepted = USERS.map((user) => `user_${user}="${user}-secret"`).join(' ')

let certificates: Certificates
let kafka: KafkaServer
let trust: string
let service: Service
before(async () => {
  certificates = await Certificates.create()
  const { both } = await certificates.make({ commonName: 'broker', names: 'IP:127.0.0.1' })
  trust = join(certificates.folder, 'trust.jks')
  const store = ['-keystore', trust, '-storetype', 'JKS', '-storepass', 'changeit']
  const entry = ['-alias', 'ca', '-file', certificates.authority('ca')]
  const { code, stdout } = await runProgram('keytool', ['-importcert', '-noprompt', ...entry, ...store])
  assert.equal(code, 0, stdout)
  kafka = await startKafka({
    extraListeners: { SECURE: 'SASL_SSL' },
    config: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': both,
      'sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.secure.plain.sasl.jaas.config': `${PLAIN} ${accepted};`,
    },
  })
  service = await startService({
    bootstrapServers: kafka.listener('SECURE'),
    env: environment(login('', 'worker')),
  })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await kafka[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})

function login(prefix: string, user: string, password = `${user}-secret`): Record<string, string> {
  const properties = {
    'security.protocol': 'SASL_SSL',
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config': `${PLAIN} username="${user}" password="${password}";`,
    'ssl.truststore.location': trust,
    'ssl.truststore.password': 'changeit',
  }
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [prefix + name, value]))
}

function environment(properties: Readonly<Record<string, string>>): Record<string, string> {
  const variable = (name: string): string => `CONNECT_${name.toUpperCase().replaceAll('.', '_')}`
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [variable(name), value]))
}

const historyPrefixes = ['schema.history.internal.producer.', 'schema.history.internal.consumer.'] as const

test('each Kafka client of worker and connector has its own login; a wrong one is an error that names user and property', async () => {
  const mysql = await useMySql()
  const database = uniqueName('secured')
  await mysql.query(`CREATE DATABASE ${database}; CREATE TABLE ${database}.t (id INT PRIMARY KEY)`)
  await mysql.query(`INSERT INTO ${database}.t VALUES (1)`)
  const bootstrapServers = kafka.listener('SECURE')
  const config = (more: Readonly<Record<string, string>>): Record<string, string> => {
    const prefix = uniqueName('secured')
    const history = Object.assign({}, ...historyPrefixes.map((each) => login(each, 'history'))) as Record<
      string,
      string
    >
    const logins = { ...login('producer.override.', 'producer'), ...login('admin.override.', 'admin'), ...history }
    // Without them, the login of admin has no effect.
    const creation = { 'topic.creation.default.partitions': '1', 'topic.creation.default.replication.factor': '1' }
    return connectorConfig({
      database: mysql,
      bootstrapServers,
      prefix,
      includes: database,
      more: { ...creation, ...logins, ...more },
    })
  }

  const good = config({})
  await service.register('good', good)
  const reader = createKafka({
    bootstrapServers: kafka.bootstrapServers,
    clientId: 'test',
    logger: silentLogger,
    clock: systemClock,
  })
  const topic = `${good['topic.prefix']}.${database}.t`
  await eventually('the row is in the topic', async () => {
    await using records = await reader.reader({ topic })
    let count = 0
    await records.readToEnd(() => (count += 1))
    return count === 1
  })

  const wrong: readonly (readonly [user: string, prefixes: readonly string[]])[] = [
    ['producer', ['producer.override.']],
    ['admin', ['admin.override.']],
    ['history', historyPrefixes],
  ]
  for (const [user, prefixes] of wrong) {
    const logins = Object.assign({}, ...prefixes.map((each) => login(each, user, 'wrong'))) as Record<string, string>
    await service.register(user, config(logins))
    await eventually(
      `the task with the wrong password of ${user} fails`,
      async () => (await service.taskState(user)).state === 'FAILED',
    )
    const { trace } = await service.taskState(user)
    assert.match(
      trace,
      new RegExp(`rejected user ${user} with PLAIN.*Check username and password in sasl\\.jaas\\.config`),
    )
    assert.doesNotMatch(trace, /-secret|"wrong"/)
  }
})

test('a store that cannot be opened is refused at registration, by its property', async () => {
  const mysql = await useMySql()
  const bootstrapServers = kafka.listener('SECURE')
  const broken = Object.assign({}, ...historyPrefixes.map((each) => login(each, 'history'))) as Record<string, string>
  const password = 'schema.history.internal.producer.ssl.truststore.password'
  const more = { ...broken, [password]: 'another' }
  const config = connectorConfig({ database: mysql, bootstrapServers, prefix: 'p', includes: 'd', more })

  const { status, text } = await service.rest('POST', '/connectors', { name: 'broken', config })

  assert.equal(status, 400)
  assert.match(
    text,
    /Invalid settings of schema\.history\.internal\.producer\.ssl\.truststore\.location: .*its password is wrong.*check ssl\.truststore\.password/,
  )
})
