import { Schemas } from '@tributary/connect-api'
import { runProgram, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { AvroConverter } from '../avro/avro-converter.ts'

/** Creates a self-signed certificate for a host name and returns the file with certificate and key. */
async function certificate(folder: string, name: string, subjectAltName: string): Promise<string> {
  const [cert, key, both] = ['crt', 'key', 'pem'].map((ending) => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string,
  ]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${subjectAltName}`]
  const { code, stderr } = await runProgram('openssl', [...kind, ...names, '-keyout', key, '-out', cert])
  assert.equal(code, 0, stderr)
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
  return both
}

test('with TLS the trust store is used, the host name is checked, and the client certificate is sent', async () => {
  await using folder = temporaryFolder('tls')
  const server = await certificate(folder.path, 'registry', 'IP:127.0.0.1')
  const client = await certificate(folder.path, 'client', 'DNS:client')
  const askers: (string | undefined)[] = []
  const pem = readFileSync(server)
  const listening = createServer(
    { cert: pem, key: pem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {}
      askers.push(Array.isArray(CN) ? CN[0] : CN)
      response.end('{"id":1}')
    },
  )
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  const register = async (host: string, options: Readonly<Record<string, string>>): Promise<void> => {
    const converter = new AvroConverter()
    converter.configure({ 'schema.registry.url': `https://${host}:${port}`, ...options }, true)
    await converter.register(Schemas.string, 't', new AbortController().signal)
  }
  const trust = { 'schema.registry.ssl.truststore.location': server }
  try {
    await register('127.0.0.1', trust)
    await register('127.0.0.1', { ...trust, 'schema.registry.ssl.keystore.location': client })
    await register('127.0.0.1', { 'schema.registry.ssl.truststore.certificates': pem.toString() })
    assert.deepEqual(askers, [undefined, 'client', undefined])
    await assert.rejects(register('127.0.0.1', {}), {
      code: 'REGISTRY_UNAVAILABLE',
      message: /self-signed certificate is not among the trusted/,
    })
    await assert.rejects(register('localhost', trust), { code: 'REGISTRY_UNAVAILABLE', message: /does not match/ })
    await register('localhost', { ...trust, 'schema.registry.ssl.endpoint.identification.algorithm': '' })
  } finally {
    listening.closeAllConnections()
    listening.close()
  }
})
