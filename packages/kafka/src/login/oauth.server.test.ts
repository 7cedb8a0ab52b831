/** Logins with OAUTHBEARER to a Kafka broker that checks the tokens. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { captureLogger, fullTest, temporaryFolder } from '@tributary/testkit'
import type { Kafka } from '../api/kafka.ts'
import type { IdentityProvider } from '../testing/identity-provider.ts'
import { BEARER_MODULE, clientCredentials, connectOnce, OAuthBroker, tlsFile } from '../testing/oauth-broker.ts'
import { OrderedLoad } from '../testing/ordered-load.ts'

const folder = temporaryFolder('oauth')
let broker: OAuthBroker
let provider: IdentityProvider
before(async () => {
  broker = await OAuthBroker.start()
  provider = broker.provider
})
after(async () => {
  await broker[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Creates a topic, which only User:client may. */
async function useTopic(kafka: Kafka, name: string): Promise<void> {
  await using admin = kafka.admin()
  await admin.createTopic({ name, partitions: 1, replicationFactor: 1 }, AbortSignal.timeout(20_000))
}

test('one token, of the client credentials, is enough for all connections; the broker takes the user from it', async () => {
  broker.reset()
  const kafka = broker.client(clientCredentials)

  await useTopic(kafka, 'mine')
  await connectOnce(kafka)

  assert.equal(provider.requests.length, 1)
  provider.answer = () => provider.grants({ sub: 'somebody' })
  await assert.rejects(useTopic(broker.client(clientCredentials), 'theirs'), { code: 'NOT_AUTHORIZED' })
})

test('a wrong secret is an error at once, which names the properties and not the secret', async () => {
  broker.reset()
  const refused = { error: 'invalid_client', error_description: 'no client the-id:the-secret' }
  provider.answer = () => ({ status: 401, body: JSON.stringify(refused) })

  await assert.rejects(connectOnce(broker.client(clientCredentials)), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'TOKEN_REFUSED')
    assert.match(error.message, /the-id.*status 401 \(invalid_client: no client the-id:\[hidden\]\)/)
    assert.match(error.message, /Check sasl\.oauthbearer\.client\.credentials\.client\.id.*clientSecret/)
    assert.ok(!error.message.includes('the-secret'))
    return true
  })
  assert.equal(provider.requests.length, 1)
})

test('the client waits for an endpoint that fails, and for one that does not run', async () => {
  broker.reset()
  let failures = 0
  provider.answer = () => {
    failures += 1
    if (failures === 1) return null
    return failures < 4 ? { status: 503, body: 'busy' } : provider.grants()
  }

  assert.equal((await connectOnce(broker.client(clientCredentials))).length, 22)
  assert.equal(failures, 4)
})

test('a token that the broker does not accept is an error that names what to check', async () => {
  broker.reset()
  const table: readonly (readonly [answer: Parameters<IdentityProvider['grants']>[0], code: string])[] = [
    [{ isForged: true }, 'AUTHENTICATION_FAILED'],
    [{ claims: { aud: 'another' } }, 'AUTHENTICATION_FAILED'],
    [{ claims: { iss: 'another' } }, 'AUTHENTICATION_FAILED'],
    [{ lifetimeSeconds: -60 }, 'TOKEN_INVALID'],
    [{ claims: { exp: undefined } }, 'TOKEN_INVALID'],
  ]
  for (const [claims, code] of table) {
    provider.answer = () => provider.grants(claims)
    await assert.rejects(connectOnce(broker.client(clientCredentials)), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, error.message)
      if (code === 'AUTHENTICATION_FAILED') {
        assert.match(error.message, /user client with OAUTHBEARER and a token of the token endpoint http/)
        assert.match(error.message, /invalid_token.*Check that the broker accepts the tokens of this issuer/)
      }
      assert.doesNotMatch(error.message, /eyJ/)
      return true
    })
  }
})

fullTest(
  'connections and tokens are renewed in time: neither short sessions nor short tokens lose a connection',
  async () => {
    broker.reset()
    provider.answer = () => provider.grants({ lifetimeSeconds: 6 })
    const logger = captureLogger()
    await using load = await OrderedLoad.start({
      kafka: broker.client(
        { ...clientCredentials, 'sasl.login.refresh.window.factor': '0.5' },
        { listener: 'BRIEF', logger },
      ),
      topic: 'brief',
      partitions: 1,
    })
    const linesBefore = logger.lines.length

    while (provider.requests.length < 3) {
      await load.send(200)
      await load.producer.flush()
    }

    await load.verify()
    assert.deepEqual(logger.lines.slice(linesBefore), [])
  },
)

test('a token in a file is read again when another program has renewed it', async () => {
  const path = join(folder.path, 'token.jwt')
  const file = { ...clientCredentials, 'sasl.oauthbearer.token.endpoint.url': pathToFileURL(path).href }
  await assert.rejects(connectOnce(broker.client(file)), { code: 'SETTING_INVALID', message: /ENOENT/ })
  writeFileSync(path, 'root:x:0:0')
  await assert.rejects(connectOnce(broker.client(file)), { code: 'TOKEN_INVALID', message: /not a JSON Web Token/ })

  writeFileSync(path, `${provider.token()}\n`)
  assert.equal((await connectOnce(broker.client(file))).length, 22)
})

test('the certificate of the endpoint is checked with the trust store of the JAAS options', async () => {
  broker.reset()
  const trusting = `${BEARER_MODULE} ssl.truststore.type="PEM" ssl.truststore.location="${tlsFile('ca')}";`
  const secure = { ...clientCredentials, 'sasl.oauthbearer.token.endpoint.url': provider.tlsTokenUrl }

  assert.equal((await connectOnce(broker.client({ ...secure, 'sasl.jaas.config': trusting }))).length, 22)

  await assert.rejects(connectOnce(broker.client(secure)), {
    code: 'TOKEN_REFUSED',
    message:
      /TLS handshake failed.*authority is not among the trusted.*Check ssl\.truststore.* in the options of sasl\.jaas\.config/,
  })
})

test('the unsecured login is for brokers that accept it', async () => {
  const unsecured = { 'sasl.jaas.config': `${BEARER_MODULE} unsecuredLoginStringClaim_sub="client";` }

  await useTopic(broker.client(unsecured, { listener: 'UNSECURED' }), 'unsecured')

  await assert.rejects(connectOnce(broker.client(unsecured)), {
    code: 'AUTHENTICATION_FAILED',
    message: /Only a broker with the unsecured validator/,
  })
})
