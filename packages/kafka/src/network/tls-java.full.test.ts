/** TLS beside Kafka's own Java client: certificates, hosts, stores, client certificates and versions. */
import {
  captureLogger,
  Certificates,
  eventually,
  type CertificateFiles,
  JavaTlsClient,
  loopbackHosts,
  runProgram,
  serverCertificates,
  startKafka,
  TlsFront,
  useKafka,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { kafkaOptionsFromProperties } from '../config/client-properties.ts'
import { testKafka } from '../testing/clients.ts'
import { connectWithTls, type TlsOutcome } from '../testing/tls-client.ts'

type Properties = Readonly<Record<string, string>>

/** ApiVersions, version 0, correlation id 1, without a client id; any broker answers it. */
const API_VERSIONS = Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex')

let certificates: Certificates
let java: JavaTlsClient
let brokerPort: number
before(async () => {
  certificates = await Certificates.create()
  java = await JavaTlsClient.start()
  brokerPort = Number((await useKafka()).bootstrapServers[0]?.split(':')[1])
})
after(async () => {
  await java[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})

const everyName = { commonName: 'server', names: 'DNS:localhost,IP:127.0.0.1,IP:::1' }

/** The outcomes of both clients; Java's is shown when they differ. */
async function compare(title: string, host: string, port: number, properties: Properties): Promise<Compared> {
  const ours = await connectWithTls({ host, port }, properties)
  const javas = await java.attempt({ host, port, request: API_VERSIONS, properties })
  const isEqual = (ours.code === 'accepted') === (javas === 'accepted')
  return {
    ours,
    isAccepted: javas === 'accepted',
    difference: isEqual ? null : `${title}: ${ours.code}; Java: ${javas}`,
  }
}

interface Compared {
  readonly ours: TlsOutcome
  readonly isAccepted: boolean
  readonly difference: string | null
}

const trusting = (authority: string): Properties => ({
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': authority,
})
const anyServer: Properties = { 'bootstrap.servers': 'localhost:1' }
const UNCHECKED: Properties = { 'ssl.endpoint.identification.algorithm': '' }

test('both clients accept the same certificates of brokers', async () => {
  await using front = await TlsFront.start({ targetPort: brokerPort })
  const found: Compared[] = []
  for (const [name, request] of Object.entries(serverCertificates)) {
    front.use(await certificates.make(request))
    for (const host of loopbackHosts) {
      for (const check of [{}, UNCHECKED]) {
        for (const trust of [
          trusting(certificates.authority('ca')),
          trusting(certificates.authority('stranger')),
          // Another authority has signed it: for OpenSSL alone it is no root of trust.
          trusting(join(certificates.folder, 'intermediate.pem')),
          {},
        ]) {
          const properties = { ...trust, ...check }
          found.push(await compare(`${name}; ${host}; ${JSON.stringify(properties)}`, host, front.port, properties))
        }
      }
    }
  }
  assert.deepEqual(
    found.flatMap(({ difference }) => difference ?? []),
    [],
  )
  assert.equal(found.length, Object.keys(serverCertificates).length * loopbackHosts.length * 8)
  assert.ok(new Set(found.map(({ isAccepted }) => isAccepted)).size === 2)
})

test('both clients accept the same versions of TLS', async () => {
  const found: string[] = []
  for (const [least, most] of [
    ['TLSv1', 'TLSv1.1'],
    ['TLSv1', 'TLSv1.2'],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const) {
    await using front = await TlsFront.start({ targetPort: brokerPort, versions: [least, most] })
    front.use(await certificates.make(everyName))
    const { ours, difference } = await compare(most, '127.0.0.1', front.port, trusting(certificates.authority('ca')))
    assert.equal(difference, null)
    found.push(ours.code)
  }
  assert.deepEqual(found, ['TLS_REFUSED', 'accepted', 'accepted', 'accepted'])
})

test('a listener without TLS is refused by both, and the error names security.protocol', async () => {
  const properties = trusting(certificates.authority('ca'))
  const javas = await java.attempt({ host: '127.0.0.1', port: brokerPort, request: API_VERSIONS, properties })
  assert.match(javas, /^refused .*(terminated|EOF|closed)/)
  const logger = captureLogger()
  const { tls } = kafkaOptionsFromProperties({ ...properties, 'security.protocol': 'SSL', ...anyServer })
  assert.ok(tls)
  await using admin = testKafka([`127.0.0.1:${brokerPort}`], { tls, logger }).admin()
  // The client retries as Java's does: a broker that stops ends handshakes too.
  const stop = new AbortController()
  const request = admin.cluster(stop.signal)
  request.catch(() => undefined)
  const [warning] = await eventually('the failure is logged', () => {
    const lines = logger.matching(/TLS handshake/)
    return lines.length > 0 && lines
  })
  assert.match(warning?.message ?? '', /as with a listener without TLS: check security\.protocol and the port/)
  stop.abort()
  await assert.rejects(request, { name: 'StoppedError' })
})

test('brokers accept the same client certificates from both', async () => {
  const ofBroker = { ...keystore((await certificates.make(everyName)).both), ...trusting(certificates.authority('ca')) }
  const config = { ...ofBroker, 'listener.name.mutual.ssl.client.auth': 'required' }
  await using broker = await startKafka({ extraListeners: { MUTUAL: 'SSL' }, config })
  const port = Number(broker.listener('MUTUAL')[0]?.split(':')[1])
  const password = 'changeit'
  const client = await certificates.make({ commonName: 'client' })
  const encrypted = await encryptedStore(client, password, ['-v1', 'PBE-SHA1-3DES'])
  const encryptedByOpenssl = await encryptedStore(client, password, ['-v2', 'aes-256-cbc'])
  const store = async (request: object): Promise<Properties> =>
    keystore((await certificates.make({ commonName: 'client', ...request })).both)
  const inline = await certificates.make({ commonName: 'client' })
  const table: readonly (readonly [title: string, properties: Properties])[] = [
    ['none', {}],
    ['trusted', await store({})],
    ['for clients', await store({ usage: 'clientAuth' })],
    ['for servers', await store({ usage: 'serverAuth' })],
    ['expired', await store({ begins: '3 days ago', ends: '1 day ago' })],
    ['another authority', await store({ authority: 'stranger' })],
    ['an intermediate authority', await store({ authority: 'intermediate' })],
    ['signed by itself', await store({ authority: 'self' })],
    ['encrypted', { ...keystore(encrypted), 'ssl.key.password': password }],
    ['encrypted with PBES2', { ...keystore(encryptedByOpenssl), 'ssl.key.password': password }],
    ['encrypted, with another password', { ...keystore(encrypted), 'ssl.key.password': 'another' }],
    ['encrypted, without the password', keystore(encrypted)],
    ['a store without a key', keystore(certificates.authority('ca'))],
    ['PKCS12 of OpenSSL', await clientStore(client, ['PKCS12', []])],
    ['PKCS12 of old OpenSSL', await clientStore(client, ['PKCS12', ['-legacy']])],
    [
      'PKCS12 of an intermediate authority',
      await clientStore(await certificates.make({ commonName: 'client', authority: 'intermediate' }), ['PKCS12', []]),
    ],
    ['JKS', await clientStore(client, ['JKS', []])],
    [
      'JKS, with another password of the key',
      { ...(await clientStore(client, ['JKS', []])), 'ssl.key.password': 'another' },
    ],
    [
      'in the properties',
      {
        'ssl.keystore.type': 'PEM',
        'ssl.keystore.certificate.chain': readFileSync(inline.cert, 'utf8'),
        'ssl.keystore.key': readFileSync(inline.key, 'utf8'),
      },
    ],
  ]
  const found: string[] = []
  for (const [title, properties] of table) {
    const all = { ...trusting(certificates.authority('ca')), ...properties }
    const { ours, isAccepted } = await compare(title, '127.0.0.1', port, all)
    assert.ok(!ours.message.includes(password) && !ours.message.includes('PRIVATE KEY'), ours.message)
    found.push(`${title}: ${ours.code}${isAccepted === (ours.code === 'accepted') ? '' : '; refused by Java'}`)
  }
  assert.deepEqual(found, [
    'none: TLS_REFUSED',
    'trusted: accepted',
    'for clients: accepted',
    'for servers: TLS_REFUSED',
    'expired: TLS_REFUSED',
    'another authority: TLS_REFUSED',
    'an intermediate authority: accepted',
    'signed by itself: TLS_REFUSED',
    'encrypted: accepted',
    // Java 17 has no algorithm of that name; the form is the default of OpenSSL.
    'encrypted with PBES2: accepted; refused by Java',
    'encrypted, with another password: SETTING_INVALID',
    'encrypted, without the password: SETTING_INVALID',
    'a store without a key: SETTING_INVALID',
    'PKCS12 of OpenSSL: accepted',
    'PKCS12 of old OpenSSL: accepted',
    'PKCS12 of an intermediate authority: accepted',
    'JKS: accepted',
    'JKS, with another password of the key: SETTING_INVALID',
    'in the properties: accepted',
  ])
})

test('both clients read the same stores', async () => {
  await using front = await TlsFront.start({ targetPort: brokerPort })
  front.use(await certificates.make(everyName))
  const [ca, stranger] = [certificates.authority('ca'), certificates.authority('stranger')]
  const write = (name: string, content: string): string => {
    writeFileSync(join(certificates.folder, name), content)
    return join(certificates.folder, name)
  }
  const both = write('both.pem', `a comment\n${readFileSync(stranger, 'utf8')}\n${readFileSync(ca, 'utf8')}`)
  const [jks, p12] = [await javaStore('JKS'), await javaStore('PKCS12')]
  const location = (path: string, type?: string): Properties => ({
    'ssl.truststore.location': path,
    ...(type === undefined ? {} : { 'ssl.truststore.type': type }),
  })
  const password = { 'ssl.truststore.password': 'changeit' }
  const inline = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': readFileSync(ca, 'utf8') }
  const table: readonly (readonly [title: string, properties: Properties])[] = [
    ['two authorities', location(both, 'PEM')],
    ['in the properties', inline],
    ['JKS, the default type', { ...location(jks), ...password }],
    ['JKS by its name', { ...location(jks, 'JKS'), ...password }],
    ['PKCS12', { ...location(p12, 'PKCS12'), ...password }],
    ['PKCS12 named JKS', { ...location(p12), ...password }],
    ['JKS named PKCS12', { ...location(jks, 'PKCS12'), ...password }],
    ['JKS without a password', location(jks)],
    ['PKCS12 without a password', location(p12, 'PKCS12')],
    ['PKCS12, with another password', { ...location(p12, 'PKCS12'), 'ssl.truststore.password': 'another' }],
    ['JKS, with another password', { ...location(jks), 'ssl.truststore.password': 'another' }],
    [
      'PKCS12 of Java 8',
      { ...location(await javaStore('PKCS12', ['-J-Dkeystore.pkcs12.legacy']), 'PKCS12'), ...password },
    ],
    ['PKCS12 of OpenSSL, without the mark of trust', { ...location(await opensslStore(), 'PKCS12'), ...password }],
    ['in one line', { ...inline, 'ssl.truststore.certificates': readFileSync(ca, 'utf8').replaceAll('\n', ' ') }],
    ['PEM named JKS', location(both)],
    ['JKS named PEM', location(jks, 'PEM')],
    ['PKCS12 named PEM', location(p12, 'PEM')],
    ['an empty file', location(write('empty.pem', ''), 'PEM')],
    ['a file without a certificate', location(write('text.pem', 'no certificate'), 'PEM')],
    ['a damaged certificate', location(write('damaged.pem', readFileSync(ca, 'utf8').replace('MII', 'XXX')), 'PEM')],
    ['a missing file', location(join(certificates.folder, 'missing.pem'), 'PEM')],
    ['a folder', location(certificates.folder, 'PEM')],
  ]
  const found: string[] = []
  for (const [title, properties] of table) {
    const { ours, isAccepted } = await compare(title, '127.0.0.1', front.port, properties)
    found.push(`${title}: ${ours.code}${isAccepted === (ours.code === 'accepted') ? '' : '; accepted by Java'}`)
    assert.ok(!/changeit|another/.test(ours.message), ours.message)
  }
  assert.deepEqual(found, [
    'two authorities: accepted',
    'in the properties: accepted',
    'JKS, the default type: accepted',
    'JKS by its name: accepted',
    'PKCS12: accepted',
    'PKCS12 named JKS: accepted',
    'JKS named PKCS12: accepted',
    'JKS without a password: accepted',
    'PKCS12 without a password: SETTING_INVALID',
    'PKCS12, with another password: SETTING_INVALID',
    'JKS, with another password: SETTING_INVALID',
    'PKCS12 of Java 8: accepted',
    'PKCS12 of OpenSSL, without the mark of trust: SETTING_INVALID',
    'in one line: accepted',
    'PEM named JKS: SETTING_INVALID',
    'JKS named PEM: SETTING_INVALID',
    'PKCS12 named PEM: SETTING_INVALID',
    'an empty file: SETTING_INVALID',
    'a file without a certificate: SETTING_INVALID',
    'a damaged certificate: SETTING_INVALID',
    'a missing file: SETTING_INVALID',
    'a folder: SETTING_INVALID',
  ])

  async function opensslStore(): Promise<string> {
    const path = join(certificates.folder, 'openssl.p12')
    await certificates.openssl('pkcs12', '-export', '-nokeys', '-in', ca, '-out', path, '-passout', 'pass:changeit')
    return path
  }

  async function javaStore(type: string, options: readonly string[] = []): Promise<string> {
    const path = join(certificates.folder, `trust${options.length}.${type.toLowerCase()}`)
    const store = ['-keystore', path, '-storetype', type, '-storepass', 'changeit']
    const entry = ['-alias', 'ca', '-file', ca]
    const { code, stdout } = await runProgram('keytool', [...options, '-importcert', '-noprompt', ...entry, ...store])
    assert.equal(code, 0, stdout)
    return path
  }
})

function keystore(path: string): Properties {
  return { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': path }
}

/** A store whose key is encrypted (PKCS#8). */
async function encryptedStore(
  { key, cert }: CertificateFiles,
  password: string,
  form: readonly [version: '-v1' | '-v2', cipher: string],
): Promise<string> {
  const path = `${key}${form[0]}.encrypted`
  const cipher = ['-topk8', ...form, '-passout', `pass:${password}`]
  const encrypted = await certificates.openssl('pkcs8', ...cipher, '-in', key)
  writeFileSync(path, encrypted + readFileSync(cert, 'utf8'))
  return path
}

/** A store of this type with key and certificates, made by OpenSSL and, for JKS, converted by keytool. */
async function clientStore(
  { key, cert }: CertificateFiles,
  [type, options]: readonly [type: 'PKCS12' | 'JKS', options: readonly string[]],
): Promise<Properties> {
  const p12 = `${key}${options.join('')}.p12`
  const source = ['-in', cert, '-inkey', key, '-name', 'client', '-out', p12]
  await certificates.openssl('pkcs12', '-export', ...options, ...source, '-passout', 'pass:changeit')
  const properties = { 'ssl.keystore.password': 'changeit', 'ssl.key.password': 'changeit', 'ssl.keystore.type': type }
  if (type === 'PKCS12') return { ...properties, 'ssl.keystore.location': p12 }
  const jks = `${key}.jks`
  const from = ['-srckeystore', p12, '-srcstoretype', 'PKCS12', '-srcstorepass', 'changeit']
  const to = ['-destkeystore', jks, '-deststoretype', 'JKS', '-deststorepass', 'changeit']
  const { code, stdout } = await runProgram('keytool', ['-importkeystore', '-noprompt', ...from, ...to])
  assert.equal(code, 0, stdout)
  return { ...properties, 'ssl.keystore.location': jks }
}
