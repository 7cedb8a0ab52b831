/**
 * Tokens of AWS's own signer, which npm fetches (29 MB), checked by a computation of Signature Version 4 of its own, as
 * a broker of Amazon MSK does, and sent in a login.
 */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { installedPackage, temporaryFolder } from '@tributary/testkit'
import { silentLogger, systemClock } from '@tributary/support'
import type { AwsCredentials } from '../api/token-settings.ts'
import type { Token } from '../api/token-source.ts'
import { openBrokerConnection } from '../network/broker-login.ts'
import { framed, simulate, supportedVersions } from '../testing/simulated-broker.ts'
import { awsIamToken } from './aws-iam-token.ts'
import { CachedTokens } from './cached-tokens.ts'

const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const ROLE_KEY = { id: 'ASIAEXAMPLE', secret: 'roleSecret', session: 'session/token==' }
const REGION = 'eu-west-1'
const folder = temporaryFolder('aws')
// oxlint-disable-next-line no-restricted-properties -- what AWS's library reads
const environment = process.env

let home: string
before(async () => {
  home = await installedPackage('aws-msk-iam-sasl-signer-js', '1.0.3')
  const credentials = join(folder.path, 'credentials')
  writeFileSync(credentials, `[dev]\naws_access_key_id=AKIDPROFILE\naws_secret_access_key=profileSecret\n`)
  // The library must find nothing else on the machine that runs the test.
  Object.assign(environment, {
    AWS_ACCESS_KEY_ID: KEY.id,
    AWS_SECRET_ACCESS_KEY: KEY.secret,
    AWS_SHARED_CREDENTIALS_FILE: credentials,
    AWS_CONFIG_FILE: join(folder.path, 'none'),
    AWS_EC2_METADATA_DISABLED: 'true',
  })
})
after(() => folder[Symbol.asyncDispose]())

function tokenOf(credentials: AwsCredentials): Promise<Token> {
  const options = { clock: systemClock, signal: AbortSignal.timeout(60_000), home }
  return awsIamToken({ tag: 'awsIam', region: REGION, credentials }, options)
}

/** What the broker sees in a token: the key that signed it, whether the signature is right, and its end. */
function checked(
  token: string,
  secret: string,
): { readonly keyId: string; readonly isSigned: boolean; readonly endMs: number } {
  const url = new URL(Buffer.from(token, 'base64url').toString())
  assert.equal(url.origin + url.pathname, `https://kafka.${REGION}.amazonaws.com/`)
  const query = url.searchParams
  assert.equal(query.get('Action'), 'kafka-cluster:Connect')
  const { signature, ...fields } = fieldsOf(query)
  const { day, time, keyId } = fields
  // The signer adds its name after it has signed.
  const signed = [...query].filter(([name]) => name !== 'X-Amz-Signature' && name !== 'User-Agent')
  const canonicalQuery = signed
    .map((pair) => pair.map(encoded).join('='))
    .toSorted()
    .join('&')
  const emptyHash = createHash('sha256').digest('hex')
  const canonical = ['GET', '/', canonicalQuery, `host:${url.host}`, '', 'host', emptyHash].join('\n')
  const scope = `${day}/${REGION}/kafka-cluster/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [day, REGION, 'kafka-cluster', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`))
  const isSigned = hmac(key, toSign).toString('hex') === signature
  const iso = time.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')
  // oxlint-disable-next-line no-restricted-globals -- parses a time
  return { keyId, isSigned, endMs: Date.parse(iso) + Number(query.get('X-Amz-Expires')) * 1000 }
}

function fieldsOf(query: URLSearchParams): Readonly<Record<'signature' | 'day' | 'time' | 'keyId', string>> {
  const [keyId = '', day = '', ...scope] = (query.get('X-Amz-Credential') ?? '').split('/')
  assert.deepEqual(scope, [REGION, 'kafka-cluster', 'aws4_request'])
  return { signature: query.get('X-Amz-Signature') ?? '', day, time: query.get('X-Amz-Date') ?? '', keyId }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

test('the token is signed with the default credentials for the region, and valid for 15 minutes', async () => {
  const { value, expiresAtMs } = await tokenOf({ tag: 'default' })

  const { keyId, isSigned, endMs } = checked(value, KEY.secret)
  assert.deepEqual([keyId, isSigned, endMs], [KEY.id, true, expiresAtMs])
  assert.ok(Math.abs(expiresAtMs - systemClock.now() - 900_000) < 60_000)
  // The check itself can fail.
  assert.equal(checked(value, 'another').isSigned, false)
})

test('awsProfileName chooses a profile; one that does not exist is an error that names it', async () => {
  const { value } = await tokenOf({ tag: 'profile', name: 'dev' })
  const { keyId, isSigned } = checked(value, 'profileSecret')
  assert.deepEqual([keyId, isSigned], ['AKIDPROFILE', true])

  await assert.rejects(tokenOf({ tag: 'profile', name: 'missing' }), {
    code: 'AWS_CREDENTIALS_MISSING',
    message: /the AWS profile missing.*Check awsProfileName/,
  })
})

test('awsRoleArn is assumed at the token service, with session name, external id and credentials', async () => {
  const requests: { body: string; authorization: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ body: Buffer.concat(chunks).toString(), authorization: request.headers.authorization ?? '' })
      response.writeHead(200, { 'Content-Type': 'text/xml' }).end(assumed)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  environment['AWS_ENDPOINT_URL_STS'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const role = { tag: 'role', arn: 'arn:aws:iam::123456789012:role/r', sessionName: 'the-session' } as const
  const master = { accessKeyId: 'AKIDMASTER', secretAccessKey: 'm', sessionToken: null }
  try {
    const { value } = await tokenOf({ ...role, externalId: 'the-id', stsRegion: 'us-east-2', master })

    const { keyId, isSigned } = checked(value, ROLE_KEY.secret)
    assert.deepEqual([keyId, isSigned], [ROLE_KEY.id, true])
    const [{ body, authorization } = { body: '', authorization: '' }] = requests
    const form = Object.fromEntries(new URLSearchParams(body))
    assert.equal(form['Action'], 'AssumeRole')
    assert.equal(form['RoleArn'], role.arn)
    assert.equal(form['RoleSessionName'], 'the-session')
    assert.equal(form['ExternalId'], 'the-id')
    assert.match(authorization, /Credential=AKIDMASTER\/\d+\/us-east-2\/sts\//)
  } finally {
    server.closeAllConnections()
    server.close()
    delete environment['AWS_ENDPOINT_URL_STS']
  }
})

const assumed = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>${ROLE_KEY.id}</AccessKeyId><SecretAccessKey>${ROLE_KEY.secret}</SecretAccessKey>
<SessionToken>${ROLE_KEY.session}</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>`

test('the login sends the token by OAUTHBEARER; a broker checks it', async () => {
  const seen: string[] = []
  // A double: AWS's brokers are not available. It answers ApiVersions (18), SaslHandshake (17), SaslAuthenticate (36).
  await using broker = await simulate((request, socket) => {
    const key = request.readInt16BE(4)
    if (key === 18) socket.write(supportedVersions(request))
    // error_code 0, one mechanism: OAUTHBEARER.
    else if (key === 17) socket.write(framed(request, Buffer.from('0000' + '00000001' + '000b', 'hex'), 'OAUTHBEARER'))
    else {
      const [, token = ''] = /auth=Bearer ([\w-]+)/.exec(request.toString('latin1')) ?? []
      const { keyId, isSigned } = checked(token, KEY.secret)
      seen.push(`${keyId} ${isSigned}`)
      // Tagged fields of the header, error_code 0, error_message null, auth_bytes empty, session_lifetime_ms 0.
      socket.write(framed(request, Buffer.from('00' + '0000' + '00' + '01' + '0000000000000000' + '00', 'hex')))
    }
  })
  const source = new CachedTokens({
    name: 'AWS',
    remedy: '',
    fetch: () => tokenOf({ tag: 'default' }),
    window: { factor: 0.8, jitter: 0, minPeriodSeconds: 60, bufferSeconds: 300 },
    clock: systemClock,
    logger: silentLogger,
  })
  const connection = await openBrokerConnection(
    { host: '127.0.0.1', port: broker.port },
    {
      clientId: 'test',
      tls: null,
      sasl: { mechanism: 'OAUTHBEARER', source, extensions: {} },
      onUnencrypted: () => undefined,
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 10_000,
      clock: systemClock,
    },
  )
  await connection.close()
  assert.deepEqual(seen, [`${KEY.id} true`])
})
