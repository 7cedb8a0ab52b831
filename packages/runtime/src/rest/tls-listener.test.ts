/** HTTPS listeners, asked by curl. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { Certificates, runProgram } from '@tributary/testkit'
import { HerderGate } from './herder-gate.ts'
import { readListenerTls } from './listener-tls.ts'
import { startRestServer } from './rest-server.ts'
import { startRestServers, type RestServers } from './rest-servers.ts'
import { MemoryHerder } from './testing/memory-herder.ts'

function start(properties: Readonly<Record<string, string>>): Promise<RestServers> {
  const listener = { isTls: true, host: '127.0.0.1', port: 0 }
  const gate = HerderGate.opened(new MemoryHerder())
  return startRestServers([listener], { gate, logger: silentLogger, properties })
}

async function curl(...args: readonly string[]): Promise<string> {
  const { code, stdout } = await runProgram('curl', ['-sS', '-w', ' %{http_code}', '-o', '/dev/null', ...args])
  return code === 0 ? stdout.trim() : `curl ends with ${code}`
}

test('a listener with https serves its certificate, and the settings with a prefix replace those of the brokers', async () => {
  await using certificates = await Certificates.create()
  const server = await certificates.make({ commonName: 'worker', names: 'IP:127.0.0.1' })
  await using rest = await start({
    'ssl.keystore.location': '/of/the/brokers',
    'listeners.https.ssl.keystore.type': 'PEM',
    'listeners.https.ssl.keystore.location': server.both,
  })
  assert.match(rest.main.url, /^https:/)
  assert.equal(await curl('--cacert', certificates.authority('ca'), `${rest.main.url}/connectors`), '200')
  // 60: the certificate cannot be verified; 1 and 56 would be a server without TLS.
  assert.equal(await curl('--cacert', certificates.authority('stranger'), `${rest.main.url}/`), 'curl ends with 60')
  assert.equal(await curl(rest.main.url.replace('https:', 'http:')), 'curl ends with 52')
  const location = await runProgram('curl', [
    '-sS',
    '-D',
    '-',
    '-o',
    '/dev/null',
    '--cacert',
    certificates.authority('ca'),
    '-H',
    'Content-Type: application/json',
    '-d',
    registration,
    `${rest.main.url}/connectors`,
  ])
  assert.match(location.stdout, /location: https:\/\/127\.0\.0\.1:\d+\/connectors\/shop/)
})

const registration = JSON.stringify({
  name: 'shop',
  config: { 'connector.class': 'io.debezium.connector.mysql.MySqlConnector' },
})

test('client certificates are those of the trust store: required, or accepted if they are presented', async () => {
  await using certificates = await Certificates.create()
  const server = await certificates.make({ commonName: 'worker', names: 'IP:127.0.0.1' })
  const client = await certificates.make({ commonName: 'client' })
  const stranger = await certificates.make({ commonName: 'client', authority: 'stranger' })
  const properties = {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': server.both,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': certificates.authority('ca'),
  }
  const ca = ['--cacert', certificates.authority('ca')]
  for (const [clientAuth, without] of [
    ['required', /^curl ends with/],
    ['requested', /^200$/],
  ] as const) {
    await using rest = await start({ ...properties, 'ssl.client.auth': clientAuth })
    const get = (...args: readonly string[]): Promise<string> => curl(...ca, ...args, `${rest.main.url}/connectors`)
    assert.match(await get(), without, clientAuth)
    assert.equal(await get('--cert', client.cert, '--key', client.key), '200', clientAuth)
    assert.match(await get('--cert', stranger.cert, '--key', stranger.key), /^curl ends with/, clientAuth)
  }
})

test('half-open connections do not lock clients with TLS out, and kept ones are answered again', async () => {
  await using certificates = await Certificates.create()
  const server = await certificates.make({ commonName: 'worker', names: 'IP:127.0.0.1' })
  await using rest = await start({ 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': server.both })
  const idle = Array.from({ length: 1_100 }, () => connect(rest.main.port, '127.0.0.1').on('error', () => undefined))
  try {
    const url = `${rest.main.url}/connectors`
    assert.equal(await curl('--cacert', certificates.authority('ca'), url, '-o', '/dev/null', url), '200 200')
  } finally {
    for (const socket of idle) socket.destroy()
  }
})

test('a connection without a handshake is closed', async () => {
  await using certificates = await Certificates.create()
  const { both } = await certificates.make({ commonName: 'worker', names: 'IP:127.0.0.1' })
  const tls = readListenerTls({ 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': both })
  const gate = HerderGate.opened(new MemoryHerder())
  const options = { host: '127.0.0.1', port: 0, gate, logger: silentLogger }
  await using rest = await startRestServer({ ...options, tls: { ...tls, handshakeTimeoutMs: 50 } })
  const socket = connect(rest.port, '127.0.0.1').on('error', () => undefined)
  await once(socket.resume(), 'close', { signal: AbortSignal.timeout(10_000) })
  assert.equal(socket.destroyed, true)
})

test('settings that cannot make a listener are refused with the property to set', async () => {
  await using certificates = await Certificates.create()
  const { both, cert } = await certificates.make({ commonName: 'worker' })
  const pem = { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': both }
  const table: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{}, /needs a key and its certificates.*ssl\.keystore\.location/],
    [{ 'listeners.https.ssl.keystore.type': 'PEM' }, /listeners\.https\.ssl\.keystore\.location/],
    [{ ...pem, 'ssl.keystore.location': cert }, /The key of the https listener cannot be used/],
    [{ ...pem, 'ssl.client.auth': 'yes' }, /it must be none, requested or required/],
    [{ ...pem, 'ssl.client.auth': 'required' }, /every public one could admit them.*ssl\.truststore\.location/],
  ]
  for (const [properties, message] of table) assert.throws(() => readListenerTls(properties), { message })
})
