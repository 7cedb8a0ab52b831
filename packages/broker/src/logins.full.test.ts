import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Certificates, runKafkaTool, temporaryFolder } from '@tributary/testkit'
import { startBroker } from './shell/start-broker.ts'

// Judged by Kafka's Java clients of 4.3 and 2.8.

const USERS = { alice: 'pass,word=1', bob: 'secret' }

interface Attempt {
  readonly server: string
  readonly version?: string
  readonly properties: Readonly<Record<string, string>>
}

/** Creates a topic; returns the exit code and what the tool logs. */
async function createTopic(topic: string, { server, version, properties }: Attempt): Promise<string> {
  await using folder = temporaryFolder('logins')
  const file = join(folder.path, 'client.properties')
  const limits = { 'request.timeout.ms': '20000', 'default.api.timeout.ms': '20000' }
  const lines = Object.entries({ ...limits, ...properties }).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''))
  const tool = version === undefined ? 'org.apache.kafka.tools.TopicCommand' : 'kafka.admin.TopicCommand'
  const args = ['--bootstrap-server', server, '--command-config', file, '--create', '--topic', topic]
  const { code, stdout, stderr } = await runKafkaTool(tool, args, version === undefined ? {} : { version })
  return code === 0 ? 'created' : `${stdout}${stderr}`
}

function sasl(mechanism: string, user: string, password: string): Readonly<Record<string, string>> {
  const module = mechanism === 'PLAIN' ? 'plain.PlainLoginModule' : 'scram.ScramLoginModule'
  const login = `org.apache.kafka.common.security.${module} required username="${user}" password="${password}";`
  return { 'security.protocol': 'SASL_PLAINTEXT', 'sasl.mechanism': mechanism, 'sasl.jaas.config': login }
}

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']) {
  test(`Java clients log in with ${mechanism}; a wrong password and a client without a login are refused`, async () => {
    await using broker = await startBroker({ users: USERS })
    const server = broker.bootstrapServers
    const right = sasl(mechanism, 'alice', USERS.alice)
    assert.equal(await createTopic('new', { server, properties: right }), 'created')
    assert.equal(await createTopic('old', { server, properties: right, version: '2.8.2' }), 'created')
    const wrong = sasl(mechanism, 'alice', USERS.bob)
    assert.match(await createTopic('wrong', { server, properties: wrong }), /SaslAuthenticationException/)
    const stranger = sasl(mechanism, 'mallory', 'x')
    assert.match(await createTopic('wrong', { server, properties: stranger }), /SaslAuthenticationException/)
    assert.match(await createTopic('wrong', { server, properties: {} }), /TimeoutException|DisconnectException/)
  })
}

test('Java clients use TLS, also with a certificate of their own', async () => {
  await using certificates = await Certificates.create()
  const names = 'IP:127.0.0.1'
  const files = await certificates.make({ commonName: 'broker', names })
  const tls = { cert: await readFile(files.cert), key: await readFile(files.key) }
  const trust = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': certificates.authority('ca') }
  const client = await certificates.make({ commonName: 'client' })
  const own = { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': client.both }
  {
    await using broker = await startBroker({ tls, users: USERS })
    const login = { ...sasl('SCRAM-SHA-512', 'bob', USERS.bob), 'security.protocol': 'SASL_SSL', ...trust }
    const server = broker.bootstrapServers
    assert.equal(await createTopic('new', { server, properties: login }), 'created')
    assert.equal(await createTopic('old', { server, properties: login, version: '2.8.2' }), 'created')
  }
  await using broker = await startBroker({ tls: { ...tls, clientCa: await readFile(certificates.authority('ca')) } })
  const server = broker.bootstrapServers
  const mutual = { 'security.protocol': 'SSL', ...trust, ...own }
  assert.equal(await createTopic('mutual', { server, properties: mutual }), 'created')
  const anonymous = { 'security.protocol': 'SSL', ...trust }
  assert.notEqual(await createTopic('anonymous', { server, properties: anonymous }), 'created')
})
