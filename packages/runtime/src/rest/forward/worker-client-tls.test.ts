import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger, systemClock } from '@tributary/support'
import { Certificates } from '@tributary/testkit'
import { HerderGate } from '../herder-gate.ts'
import { startRestServers } from '../rest-servers.ts'
import { MemoryHerder } from '../testing/memory-herder.ts'
import { createWorkerClient } from './create-client.ts'
import { NotSentError } from './worker-client.ts'

/** A worker whose listener requires the certificates of other workers. */
async function workerProperties(
  certificates: Certificates,
  { names = 'IP:127.0.0.1', authority = 'ca' }: { names?: string; authority?: 'ca' | 'stranger' } = {},
): Promise<Readonly<Record<string, string>>> {
  const worker = await certificates.make({ commonName: 'worker', names })
  return {
    'listeners.https.ssl.keystore.type': 'PEM',
    'listeners.https.ssl.keystore.location': worker.both,
    'listeners.https.ssl.truststore.type': 'PEM',
    'listeners.https.ssl.truststore.location': certificates.authority(authority),
    'listeners.https.ssl.client.auth': 'required',
  }
}

async function call(
  listening: Readonly<Record<string, string>>,
  calling: Readonly<Record<string, string>>,
): Promise<number> {
  const gate = HerderGate.opened(new MemoryHerder())
  const listener = { isTls: true, host: '127.0.0.1', port: 0 }
  await using rest = await startRestServers([listener], { gate, logger: silentLogger, properties: listening })
  const client = createWorkerClient(calling, systemClock)
  const url = new URL(`${rest.main.url}/connectors`)
  const { status } = await client.send({ url, method: 'GET', headers: {}, body: Buffer.alloc(0) })
  return status
}

test('workers with https verify each other with the key and the authorities of their listeners', async () => {
  await using certificates = await Certificates.create()
  const properties = await workerProperties(certificates)
  assert.equal(await call(properties, properties), 200)
})

test('a worker whose certificate is not trusted, or has another name, gets no request', async () => {
  await using certificates = await Certificates.create()
  const properties = await workerProperties(certificates)
  const distrustful = await workerProperties(certificates, { authority: 'stranger' })
  await assert.rejects(call(properties, distrustful), NotSentError)
  const renamed = await workerProperties(certificates, { names: 'DNS:other.example' })
  await assert.rejects(call(renamed, properties), NotSentError)
  const unchecked = { ...properties, 'listeners.https.ssl.endpoint.identification.algorithm': '' }
  assert.equal(await call(renamed, unchecked), 200)
})
