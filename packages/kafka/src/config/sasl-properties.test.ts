import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SaslOptions } from '../api/kafka.ts'
import { kafkaOptionsFromProperties } from './client-properties.ts'

const PACKAGE = 'org.apache.kafka.common.security.oauthbearer'
const HANDLER = 'sasl.login.callback.handler.class'
const base = {
  'bootstrap.servers': 'b-1.c.x1y2.c3.kafka.eu-west-1.amazonaws.com:9098',
  'security.protocol': 'SASL_SSL',
}
const url = { 'sasl.oauthbearer.token.endpoint.url': 'https://login.example.com/token' }
const oauth = (options = '', changes: Record<string, string> = {}): Record<string, string> => ({
  'sasl.mechanism': 'OAUTHBEARER',
  [HANDLER]: `${PACKAGE}.OAuthBearerLoginCallbackHandler`,
  'sasl.jaas.config': `${PACKAGE}.OAuthBearerLoginModule required${options};`,
  ...changes,
})
const iam = (options = '', changes: Record<string, string> = {}): Record<string, string> => ({
  'sasl.mechanism': 'AWS_MSK_IAM',
  'sasl.jaas.config': `software.amazon.msk.auth.iam.IAMLoginModule required${options};`,
  'sasl.client.callback.handler.class': 'software.amazon.msk.auth.iam.IAMClientCallbackHandler',
  ...changes,
})

function saslOf(properties: Record<string, string>): SaslOptions | undefined {
  return kafkaOptionsFromProperties({ ...base, ...properties }).sasl
}

const refresh = { factor: 0.8, jitter: 0.05, minPeriodSeconds: 60, bufferSeconds: 300 }
const endpoint = {
  tag: 'endpoint',
  url: new URL('https://login.example.com/token'),
  tls: { checkHostName: true },
  grant: { tag: 'clientSecret', clientId: 'i', clientSecret: 's', isUrlEncoded: false },
  scope: null,
  timeoutMs: 20_000,
  retryBackoffMs: 100,
  retryBackoffMaxMs: 10_000,
}
const secretInJaas = ' clientId="i" clientSecret="s"'
const secretInProperties = {
  'sasl.oauthbearer.client.credentials.client.id': 'i',
  'sasl.oauthbearer.client.credentials.client.secret': 's',
}

test('logins with a token endpoint are read in each form', () => {
  const table: readonly (readonly [properties: Record<string, string>, tokens: object])[] = [
    [oauth(secretInJaas, url), endpoint],
    [oauth('', { ...url, ...secretInProperties }), endpoint],
    [oauth(' clientId="old" clientSecret="old"', { ...url, ...secretInProperties }), endpoint],
    [oauth(`${secretInJaas} scope=" a b "`, url), { ...endpoint, scope: 'a b' }],
    [oauth(`${secretInJaas} scope="old"`, { ...url, 'sasl.oauthbearer.scope': 'new' }), { ...endpoint, scope: 'new' }],
    [oauth(secretInJaas, { ...url, [HANDLER]: `${PACKAGE}.secured.OAuthBearerLoginCallbackHandler` }), endpoint],
    [
      oauth(secretInJaas, {
        ...url,
        'sasl.login.connect.timeout.ms': '1000',
        'sasl.login.read.timeout.ms': '500',
        'sasl.login.retry.backoff.ms': '7',
        'sasl.login.retry.backoff.max.ms': '70',
      }),
      { ...endpoint, timeoutMs: 1500, retryBackoffMs: 7, retryBackoffMaxMs: 70 },
    ],
    [oauth('', { 'sasl.oauthbearer.token.endpoint.url': 'file:///a/b%20c.jwt' }), { tag: 'file', path: '/a/b c.jwt' }],
    [
      oauth('', { ...url, 'sasl.oauthbearer.assertion.file': '/a.jwt' }),
      { ...endpoint, grant: { tag: 'clientAssertion', clientId: null, assertion: { tag: 'file', path: '/a.jwt' } } },
    ],
    [
      oauth('', {
        ...url,
        'sasl.oauthbearer.jwt.retriever.class': `${PACKAGE}.JwtBearerJwtRetriever`,
        'sasl.oauthbearer.assertion.private.key.file': '/key.pem',
        'sasl.oauthbearer.assertion.algorithm': 'ES256',
        'sasl.oauthbearer.assertion.claim.sub': 'me',
        'sasl.oauthbearer.assertion.claim.jti.include': 'true',
      }),
      {
        ...endpoint,
        grant: {
          tag: 'jwtBearer',
          assertion: {
            tag: 'signed',
            algorithm: 'ES256',
            privateKeyPath: '/key.pem',
            passphrase: null,
            templatePath: null,
            claims: { sub: 'me' },
            expiresInSeconds: 300,
            validSinceSeconds: 60,
            hasId: true,
          },
        },
      },
    ],
  ]
  for (const [properties, tokens] of table) {
    const expected = { mechanism: 'OAUTHBEARER', tokens, extensions: {}, refresh }
    assert.deepEqual(saslOf(properties), expected, JSON.stringify(properties))
  }
})

test('extensions and the window of the renewal are read', () => {
  const properties = oauth(`${secretInJaas} extension_logicalCluster="lkc-1" extension_identityPoolId=pool`, {
    ...url,
    'sasl.login.refresh.window.factor': '0.5',
    'sasl.login.refresh.window.jitter': '.25',
    'sasl.login.refresh.min.period.seconds': '0',
    'sasl.login.refresh.buffer.seconds': '3600',
  })

  assert.deepEqual(saslOf(properties), {
    mechanism: 'OAUTHBEARER',
    tokens: endpoint,
    extensions: { logicalCluster: 'lkc-1', identityPoolId: 'pool' },
    refresh: { factor: 0.5, jitter: 0.25, minPeriodSeconds: 0, bufferSeconds: 3600 },
  })
})

test('the unsecured login is read with its claims', () => {
  const options =
    ' unsecuredLoginStringClaim_sub="alice" unsecuredLoginNumberClaim_n="1.5" unsecuredLoginListClaim_l="|a|b" unsecuredLoginLifetimeSeconds="60" unsecuredLoginExtension_x="y"'
  const { [HANDLER]: _, ...properties } = oauth(options)

  assert.deepEqual(saslOf(properties), {
    mechanism: 'OAUTHBEARER',
    tokens: {
      tag: 'unsecured',
      lifetimeSeconds: 60,
      principalClaim: 'sub',
      claims: { sub: 'alice', n: 1.5, l: ['a', 'b'] },
    },
    extensions: { x: 'y' },
    refresh,
  })
})

test("the options of AWS's login module are read, and the region from the name of the broker", () => {
  const role = {
    tag: 'role',
    arn: 'arn:aws:iam::1:role/r',
    sessionName: 'aws-msk-iam-auth',
    externalId: null,
    stsRegion: 'eu-west-1',
    master: null,
  }
  const china = { 'bootstrap.servers': 'boot-a.c1.kafka-serverless.cn-north-1.amazonaws.com.cn:9098' }
  const table: readonly (readonly [properties: Record<string, string>, region: string, credentials: object])[] = [
    [iam(), 'eu-west-1', { tag: 'default' }],
    [iam('', china), 'cn-north-1', { tag: 'default' }],
    [iam(' awsProfileName="dev" awsDebugCreds="true"'), 'eu-west-1', { tag: 'profile', name: 'dev' }],
    [iam(' awsRoleArn="arn:aws:iam::1:role/r"'), 'eu-west-1', role],
    [
      iam(' awsRoleArn="arn:aws:iam::1:role/r" awsRoleSessionName="s" awsStsRegion="us-east-2" awsRoleExternalId="e"'),
      'eu-west-1',
      { ...role, sessionName: 's', stsRegion: 'us-east-2', externalId: 'e' },
    ],
    [
      iam(' awsRoleArn="arn:aws:iam::1:role/r" awsRoleAccessKeyId="k" awsRoleSecretAccessKey="s"'),
      'eu-west-1',
      { ...role, master: { accessKeyId: 'k', secretAccessKey: 's', sessionToken: null } },
    ],
    [
      oauth('', { [HANDLER]: 'software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler' }),
      'eu-west-1',
      { tag: 'default' },
    ],
  ]
  for (const [properties, region, credentials] of table) {
    const tokens = { tag: 'awsIam', region, credentials }
    const expected = { mechanism: 'OAUTHBEARER', tokens, extensions: {}, refresh }
    assert.deepEqual(saslOf(properties), expected, JSON.stringify(properties))
  }
})

test('what cannot be used is refused by its name, without secrets', () => {
  const noUrl = { 'sasl.oauthbearer.token.endpoint.url': 'login.example.com' }
  const table: readonly (readonly [properties: Record<string, string>, code: string, named: RegExp])[] = [
    [oauth(secretInJaas), 'SETTING_MISSING', /sasl\.oauthbearer\.token\.endpoint\.url is missing/],
    [oauth(secretInJaas, noUrl), 'SETTING_INVALID', /sasl\.oauthbearer\.token\.endpoint\.url.*https/],
    [oauth(' clientId="i"', url), 'SETTING_MISSING', /client\.secret is missing, and so is the option clientSecret/],
    [oauth(' clientSecret="hush"', url), 'SETTING_MISSING', /client\.id is missing/],
    [
      oauth('', { ...url, [HANDLER]: 'io.strimzi.X' }),
      'SETTING_UNSUPPORTED',
      /io\.strimzi\.X.*OAuthBearerLoginCallbackHandler/,
    ],
    [oauth('', { [HANDLER]: '' }), 'SETTING_MISSING', /sasl\.login\.callback\.handler\.class/],
    [
      oauth(' unsecuredLoginLifetimeSeconds="1"', { [HANDLER]: '' }),
      'SETTING_INVALID',
      /unsecuredLoginStringClaim_sub/,
    ],
    [oauth(`${secretInJaas} extension_auth="x"`, url), 'SETTING_INVALID', /extension_auth/],
    [oauth(`${secretInJaas} extension_a1="x"`, url), 'SETTING_INVALID', /extension_a1/],
    [oauth(secretInJaas, { ...url, 'sasl.login.refresh.window.factor': '0.4' }), 'SETTING_INVALID', /from 0\.5 to 1/],
    [oauth(secretInJaas, { ...url, 'sasl.oauthbearer.jwt.retriever.class': 'x.Y' }), 'SETTING_UNSUPPORTED', /x\.Y/],
    [
      oauth('', { ...url, 'sasl.oauthbearer.assertion.claim.iss': 'x' }),
      'SETTING_MISSING',
      /assertion\.private\.key\.file is missing, and so is sasl\.oauthbearer\.assertion\.file/,
    ],
    [iam(' awsShouldUseFips="true"'), 'SETTING_UNSUPPORTED', /AWS_USE_FIPS_ENDPOINT/],
    [iam('', { 'bootstrap.servers': 'kafka.example.com:9098' }), 'SETTING_MISSING', /AWS_REGION.*bootstrap\.servers/],
    [
      iam('', { 'sasl.client.callback.handler.class': 'x.Y' }),
      'SETTING_UNSUPPORTED',
      /sasl\.client\.callback\.handler\.class/,
    ],
    [iam('', { 'sasl.login.class': 'x.Y' }), 'SETTING_UNSUPPORTED', /sasl\.login\.class/],
    [{ ...oauth(), 'sasl.mechanism': 'PLAIN' }, 'SETTING_UNSUPPORTED', /sasl\.login\.callback\.handler\.class/],
    [
      { 'sasl.mechanism': 'GSSAPI' },
      'SETTING_UNSUPPORTED',
      /PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER and AWS_MSK_IAM/,
    ],
  ]
  for (const [properties, code, named] of table) {
    assert.throws(
      () => saslOf(properties),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, code, error.message)
        assert.match(error.message, named)
        assert.doesNotMatch(error.message, /hush/)
        return true
      },
      JSON.stringify(properties),
    )
  }
})
