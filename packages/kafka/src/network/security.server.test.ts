import assert from 'node:assert/strict'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import {
  AclOperations,
  AclPermissionTypes,
  alterUserScramCredentialsV0,
  createAclsV3,
  ResourcePatternTypes,
  ResourceTypes,
} from '@platformatic/kafka'
import { captureLogger, eventually, startKafka, type KafkaServer } from '@tributary/testkit'
import type { KafkaOptions, SaslOptions } from '../api/kafka.ts'
import { silent, testKafka, valueRecord } from '../testing/clients.ts'
import { RawPartition } from '../testing/raw-partition.ts'
import { request } from './codec.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

const tlsFile = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url))
const ca = readFileSync(tlsFile('ca'), 'utf8')
const client = readFileSync(tlsFile('client'), 'utf8')

const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule required;'
const PLAIN_MODULE =
  'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="plain-secret" user_bob="plain-secret" user_carol="plain-secret";'
const keystore = { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': tlsFile('broker') }
const truststore = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': tlsFile('ca') }

let server: KafkaServer
before(async () => {
  server = await startKafka({
    extraListeners: {
      LOGIN: 'SASL_PLAINTEXT',
      SECURE: 'SASL_SSL',
      TLSONLY: 'SSL',
      MUTUAL: 'SSL',
      BRIEF: 'SASL_PLAINTEXT',
    },
    config: {
      'auto.create.topics.enable': 'false',
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS;User:alice;User:bob',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.secure.sasl.enabled.mechanisms': 'SCRAM-SHA-512',
      ...Object.fromEntries(
        ['login', 'brief', 'secure'].flatMap((name) => [
          [`listener.name.${name}.plain.sasl.jaas.config`, PLAIN_MODULE],
          [`listener.name.${name}.scram-sha-256.sasl.jaas.config`, SCRAM_MODULE],
          [`listener.name.${name}.scram-sha-512.sasl.jaas.config`, SCRAM_MODULE],
        ]),
      ),
      'listener.name.brief.plain.connections.max.reauth.ms': '1000',
      ...keystore,
      ...Object.fromEntries(Object.entries(truststore).map(([name, value]) => [`listener.name.mutual.${name}`, value])),
      'listener.name.mutual.ssl.client.auth': 'required',
    },
  })
  await addScramUser('sha256', 1)
  await addScramUser('sha512', 2)
  await using admin = testKafka(server.bootstrapServers).admin()
  for (const name of ['brief', 'writable', 'readable', 'hidden']) {
    await admin.createTopic({ name, partitions: 1, replicationFactor: 1 })
  }
})
after(() => server[Symbol.asyncDispose]())

/** Sets alice's password to `scram-secret`, as kafka-configs does. */
async function addScramUser(hash: 'sha256' | 'sha512', mechanism: 1 | 2): Promise<void> {
  const salt = randomBytes(16)
  const iterations = 4096
  const saltedPassword = pbkdf2Sync('scram-secret', salt, iterations, hash === 'sha256' ? 32 : 64, hash)
  await using raw = await RawPartition.open(server.brokers[0]?.port ?? 0, 'none')
  const upsertion = { name: 'alice', mechanism, iterations, salt, saltedPassword }
  const { results } = await request(raw.connection, alterUserScramCredentialsV0.api, [], [upsertion])
  assert.deepEqual(
    results.map(({ errorCode }) => errorCode),
    [0],
  )
}

/** Grants carol this operation on the topic. */
async function allow(topic: string, operation: 'write' | 'describe'): Promise<void> {
  await using raw = await RawPartition.open(server.brokers[0]?.port ?? 0, 'none')
  const acl = {
    resourceType: ResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: 'User:carol',
    host: '*',
    operation: operation === 'write' ? AclOperations.WRITE : AclOperations.DESCRIBE,
    permissionType: AclPermissionTypes.ALLOW,
  }
  const { results } = await request(raw.connection, createAclsV3.api, [acl])
  assert.deepEqual(
    results.map(({ errorCode }) => errorCode),
    [0],
  )
}

/** Connects to a listener with these options; returns the id of the cluster. */
async function connect(listener: string, options: Partial<KafkaOptions>): Promise<string> {
  const servers = listener === 'PLAINTEXT' ? server.bootstrapServers : server.listener(listener)
  await using admin = testKafka(servers, options).admin()
  return (await admin.cluster(AbortSignal.timeout(20_000))).clusterId
}

const password = { PLAIN: 'plain-secret', 'SCRAM-SHA-256': 'scram-secret', 'SCRAM-SHA-512': 'scram-secret' } as const

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const) {
  test(`login with ${mechanism}: a wrong password is rejected at once, and the error does not show it`, async () => {
    const sasl: SaslOptions = { mechanism, username: 'alice', password: password[mechanism] }

    assert.equal((await connect('LOGIN', { sasl })).length, 22)

    await assert.rejects(
      connect('LOGIN', { sasl: { ...sasl, password: 'wrong-one' } }),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'AUTHENTICATION_FAILED')
        assert.ok(error.message.includes(`alice with ${mechanism}`), error.message)
        assert.match(
          error.message,
          /([Aa]uthentication failed|invalid credentials).*Check username and password in sasl\.jaas\.config/,
        )
        assert.ok(!error.message.includes('wrong-one'))
        return true
      },
    )
  })
}

test('the error names a mechanism that the listener does not offer, and those that it does', async () => {
  const sasl: SaslOptions = { mechanism: 'PLAIN', username: 'alice', password: 'plain-secret' }
  const tls = { ca, checkHostName: false }

  await assert.rejects(connect('SECURE', { sasl, tls }), {
    code: 'SASL_MECHANISM_DISABLED',
    message: /PLAIN.*SCRAM-SHA-512/,
  })
  const scram: SaslOptions = { mechanism: 'SCRAM-SHA-512', username: 'alice', password: 'scram-secret' }
  assert.equal((await connect('SECURE', { sasl: scram, tls })).length, 22)
})

test('the certificate of the broker is verified, and its name unless checkHostName is false', async () => {
  assert.equal((await connect('TLSONLY', { tls: { ca, checkHostName: false } })).length, 22)

  await assert.rejects(connect('TLSONLY', { tls: { checkHostName: false } }), {
    code: 'TLS_REFUSED',
    message: /not among the trusted ones\. Add .* ssl\.truststore\.location/,
  })
  // The certificate is for localhost, the address is 127.0.0.1.
  await assert.rejects(connect('TLSONLY', { tls: { ca } }), {
    code: 'TLS_REFUSED',
    message: /127\.0\.0\.1.*bootstrap\.servers.*ssl\.endpoint\.identification\.algorithm/,
  })
})

test('a client certificate is sent to a broker that requires one', async () => {
  const tls = { ca, checkHostName: false }

  assert.equal((await connect('MUTUAL', { tls: { ...tls, cert: client, key: client } })).length, 22)

  await assert.rejects(connect('MUTUAL', { tls }), {
    code: 'TLS_REFUSED',
    message: /failed: .*alert bad certificate\. Check ssl\.keystore\.\*: the broker demands a certificate/,
  })
})

test('the error for a listener of another protocol names security.protocol', async () => {
  await assert.rejects(connect('TLSONLY', {}), { code: 'NOT_A_BROKER', message: /security\.protocol/ })
})

test('an invalid key or address is an error before the client connects', () => {
  assert.throws(() => testKafka(['localhost:1'], { tls: { ca, cert: client, key: 'no key' } }), {
    code: 'SETTING_INVALID',
  })
  assert.throws(() => testKafka(['localhost']), { code: 'SETTING_INVALID', message: /bootstrap\.servers.*host:port/ })
})

test('connections are renewed in time: sessions of one second expire without a lost connection', async () => {
  const logger = captureLogger()
  const sasl: SaslOptions = { mechanism: 'PLAIN', username: 'bob', password: 'plain-secret' }
  const kafka = testKafka(server.listener('BRIEF'), { sasl, logger })
  await using load = await OrderedLoad.start({ kafka, topic: 'brief', partitions: 1 })

  const linesBefore = logger.lines.length
  const start = performance.now()
  while (performance.now() - start < 3500) {
    await load.send(200)
    await load.producer.flush()
  }

  await load.verify()
  assert.deepEqual(logger.lines.slice(linesBefore), [])
})

test('a missing permission is an error that names the topic, without a retry', async () => {
  const sasl: SaslOptions = { mechanism: 'PLAIN', username: 'carol', password: 'plain-secret' }
  const kafka = testKafka(server.listener('LOGIN'), { sasl })
  await using admin = kafka.admin()
  const denied = (subject: RegExp): object => ({ code: 'NOT_AUTHORIZED', message: subject })

  await assert.rejects(kafka.producer(silent()), denied(/InitProducerId.*CLUSTER_AUTHORIZATION_FAILED/))
  await assert.rejects(kafka.reader({ topic: 'hidden' }), denied(/topic hidden: TOPIC_AUTHORIZATION_FAILED/))
  await assert.rejects(admin.describeTopic('hidden'), denied(/topic hidden/))
  await assert.rejects(
    admin.createTopic({ name: 'new', partitions: 1, replicationFactor: 1 }),
    denied(/CreateTopics on topic new/),
  )

  await allow('writable', 'write')
  await allow('readable', 'describe')
  await using producer = await eventually('the brokers apply the permissions', () => kafka.producer(silent()))
  const writable = await producer.topic('writable')
  writable.send(valueRecord('v'))
  await producer.flush()
  await assert.rejects(producer.topic('hidden'), denied(/topic hidden/))
  const readable = await eventually('the topic is visible', () => producer.topic('readable'))
  readable.send(valueRecord('v'))
  await assert.rejects(producer.flush(), denied(/WRITE on topic readable: TOPIC_AUTHORIZATION_FAILED/))
  assert.throws(() => writable.send(valueRecord('v')), { code: 'NOT_AUTHORIZED' })
})

test('a missing topic that the brokers do not create is an error after the wait', async () => {
  const logger = captureLogger()
  await using producer = await testKafka(server.bootstrapServers, { logger }).producer(silent())

  await assert.rejects(producer.topic('nowhere', { missingTopicWaitMs: 200 }), {
    code: 'UNKNOWN_TOPIC',
    message: /Topic nowhere does not exist \(waited 200 ms\).*auto\.create\.topics\.enable/,
  })

  assert.equal(producer.failure, null)
  const waiting = producer.topic('nowhere', { signal: AbortSignal.timeout(50) })
  await assert.rejects(waiting, { name: 'StoppedError' })
})
