/** Stores of certificates, versions of TLS, and client certificates of the client of a schema registry. */
import { Certificates, runProgram, TlsFront } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scriptedRegistry } from '../testing/scripted-registry.ts'
import { everyName, type Options, registerWithTls, trusting } from '../testing/tls-client.ts'

test('stores that cannot be used are refused when the converter is configured, with the reason', async () => {
  await using certificates = await Certificates.create()
  const { cert, both } = await certificates.make(everyName)
  const path = (name: string): string => join(certificates.folder, name)
  const store = ['-storepass', 'changeit', '-importcert', '-noprompt', '-alias', 'a', '-file', cert]
  for (const type of ['JKS', 'PKCS12']) {
    const { code, stdout } = await runProgram('keytool', ['-keystore', path(type), '-storetype', type, ...store])
    assert.equal(code, 0, stdout)
  }
  writeFileSync(path('empty'), '')
  const keyStore = { 'schema.registry.ssl.keystore.location': both }
  const table: readonly (readonly [options: Options, reason: RegExp])[] = [
    [trusting(path('JKS')), /contains no certificate as PEM \(if it is a Java key store or PKCS12: keytool -export/],
    [trusting(path('PKCS12')), /contains no certificate as PEM/],
    [trusting(path('empty')), /contains no certificate as PEM/],
    [trusting(path('missing')), /ENOENT/],
    [{ ...trusting(path('JKS')), 'schema.registry.ssl.truststore.type': 'JKS' }, /keytool -importkeystore converts/],
    [{ 'schema.registry.ssl.truststore.certificates': 'none' }, /contains no certificate as PEM/],
    [{ ...keyStore, 'schema.registry.ssl.keystore.type': 'JKS' }, /keytool -importkeystore converts/],
  ]
  for (const [options, reason] of table) {
    const { code, message } = await registerWithTls('localhost', 1, options)
    assert.equal(code, 'CONVERTER_OPTION', message)
    assert.match(message, reason)
  }
})

test('versions of TLS, a port without TLS, and one of TLS with http', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const targetPort = Number(new URL(registry.url).port)
  await using certificates = await Certificates.create()
  const trust = trusting(certificates.authority('ca'))
  const codes: string[] = []
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
    await using front = await TlsFront.start({ targetPort, versions: [version, version] })
    front.use(await certificates.make(everyName))
    codes.push((await registerWithTls('localhost', front.port, trust)).code)
  }
  // RFC 8996 forbids the versions before 1.2.
  assert.deepEqual(codes, ['REGISTRY_UNAVAILABLE', 'REGISTRY_UNAVAILABLE', 'accepted', 'accepted'])
  assert.match((await registerWithTls('127.0.0.1', targetPort, trust)).message, /the port does not use TLS/)
})

test('a client certificate is sent from PEM and from PKCS12; a wrong password of either is an error', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  await using certificates = await Certificates.create()
  await using front = await TlsFront.start({ targetPort: Number(new URL(registry.url).port) })
  front.use(await certificates.make(everyName))
  const { cert, key } = await certificates.make({ commonName: 'client' })
  const out = ['-out', 'client.p12', '-passout', 'pass:changeit']
  await certificates.openssl('pkcs12', '-export', '-in', cert, '-inkey', key, ...out)
  const encrypted = await certificates.openssl('pkcs8', '-topk8', '-passout', 'pass:changeit', '-in', key)
  writeFileSync(
    join(certificates.folder, 'encrypted.pem'),
    encrypted + (await certificates.openssl('x509', '-in', cert)),
  )
  const trust = trusting(certificates.authority('ca'))
  const codes: string[] = []
  for (const file of ['client.p12', 'encrypted.pem']) {
    for (const password of ['changeit', 'another']) {
      const { code, message } = await registerWithTls('localhost', front.port, {
        ...trust,
        'schema.registry.ssl.keystore.location': join(certificates.folder, file),
        'schema.registry.ssl.keystore.password': password,
      })
      assert.ok(!message.includes(password), message)
      codes.push(code)
    }
  }
  assert.deepEqual(codes, ['accepted', 'CONVERTER_OPTION', 'accepted', 'CONVERTER_OPTION'])
})
