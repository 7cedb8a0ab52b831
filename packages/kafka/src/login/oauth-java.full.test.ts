/** What the client sends to a token endpoint, beside what Kafka's Java client sends. */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runKafkaTool, temporaryFolder } from '@tributary/testkit'
import { membersOfJson } from './jwt.ts'
import { ALLOWED_URLS, BEARER_MODULE, clientCredentials, connectOnce, OAuthBroker } from '../testing/oauth-broker.ts'
import type { TokenRequest } from '../testing/identity-provider.ts'

test('the requests are those of the Java client', async () => {
  await using folder = temporaryFolder('oauth-java')
  await using broker = await OAuthBroker.start()
  const { provider } = broker
  const jaas = `${BEARER_MODULE} clientId="an id" clientSecret="a+secret=%" scope="a b";`
  const fromJaas = { ...clientCredentials, 'sasl.jaas.config': jaas }
  const secured = Object.fromEntries(Object.entries(fromJaas).filter(([name]) => !name.includes('client.credentials')))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keyFile = join(folder.path, 'key.pem')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder.path, 'assertion.jwt'), provider.token())
  const assertion = {
    'sasl.oauthbearer.assertion.private.key.file': keyFile,
    'sasl.oauthbearer.assertion.claim.iss': 'the-issuer',
    'sasl.oauthbearer.assertion.claim.sub': 'the-subject',
    'sasl.oauthbearer.assertion.claim.aud': 'the-audience',
    'sasl.oauthbearer.scope': 'a b/c',
  }
  const table: readonly Readonly<Record<string, string>>[] = [
    clientCredentials,
    { ...clientCredentials, 'sasl.oauthbearer.scope': 'https://x/.default' },
    secured,
    { ...secured, 'sasl.oauthbearer.header.urlencode': 'true' },
    { ...clientCredentials, ...assertion },
    { ...clientCredentials, 'sasl.oauthbearer.assertion.file': join(folder.path, 'assertion.jwt') },
    {
      ...clientCredentials,
      ...assertion,
      'sasl.oauthbearer.jwt.retriever.class': 'org.apache.kafka.common.security.oauthbearer.JwtBearerJwtRetriever',
    },
  ]
  for (const properties of table) {
    broker.reset()
    await connectOnce(broker.client(properties))
    await connectWithJava(broker, folder.path, properties)
    const [ours, javas] = provider.requests
    assert.deepEqual(comparable(ours), comparable(javas), JSON.stringify(properties))
  }

  function comparable(request: TokenRequest | undefined): object {
    assert.ok(request)
    const { authorization, accept, 'content-type': type, 'cache-control': cache } = request.headers
    const form = new URLSearchParams(request.body)
    for (const name of ['assertion', 'client_assertion']) {
      const text = form.get(name)
      if (text !== null) form.set(name, comparableJwt(text))
    }
    return { authorization, accept, type, cache, form: Object.fromEntries(form) }
  }

  /** Without the times and the signature, which it checks. */
  function comparableJwt(text: string): string {
    const [header = '', payload = '', signature = ''] = text.split('.')
    const key = createPublicKey(privateKey)
    const claims = membersOfJson(Buffer.from(payload, 'base64url')) ?? {}
    const isOwn = claims['iss'] === 'the-issuer'
    assert.equal(verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')), isOwn)
    const { iat, exp, nbf, ...others } = claims
    const lifetime = Number(exp) - Number(iat)
    const all = { ...others, lifetime, before: Number(iat) - Number(nbf) }
    const names = membersOfJson(Buffer.from(header, 'base64url')) ?? {}
    return [names, all].map((members) => Object.entries(members).map(String).toSorted().join()).join('; ')
  }
})

async function connectWithJava(
  broker: OAuthBroker,
  folder: string,
  properties: Readonly<Record<string, string>>,
): Promise<void> {
  const file = join(folder, 'java.properties')
  const lines = Object.entries(broker.properties(properties)).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''))
  const args = ['--bootstrap-server', broker.servers(), '--command-config', file, '--list']
  const files = ['key.pem', 'assertion.jwt'].map((name) => join(folder, name)).join(',')
  const allowed = [
    `${ALLOWED_URLS}=${broker.provider.tokenUrl}`,
    `-Dorg.apache.kafka.sasl.oauthbearer.allowed.files=${files}`,
  ]
  const javaArgs = ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...allowed]
  const { code, stdout, stderr } = await runKafkaTool('org.apache.kafka.tools.TopicCommand', args, { javaArgs })
  assert.equal(code, 0, stdout + stderr)
}
