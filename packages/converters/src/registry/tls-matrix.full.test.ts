/** Which schema registries the client accepts, compared with the verdict of OpenSSL's own client. */
import { Certificates, loopbackHosts, opensslAccepts, serverCertificates, TlsFront } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRegistry } from '../testing/scripted-registry.ts'
import { registerWithTls, trusting } from '../testing/tls-client.ts'

test('the client accepts exactly the registries that OpenSSL accepts, by certificate, host, check and authority', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  await using certificates = await Certificates.create()
  await using front = await TlsFront.start({ targetPort: Number(new URL(registry.url).port) })
  const differences: string[] = []
  const verdicts: string[] = []
  for (const [name, request] of Object.entries(serverCertificates)) {
    front.use(await certificates.make(request))
    for (const host of loopbackHosts) {
      for (const isHostChecked of [true, false]) {
        for (const authority of [certificates.authority('ca'), null]) {
          const attempt = { host, port: front.port, authority, isHostChecked }
          const expected = (await opensslAccepts(attempt)) ? 'accepted' : 'REGISTRY_UNAVAILABLE'
          const { code } = await registerWithTls(host, front.port, {
            ...(authority === null ? {} : trusting(authority)),
            ...(isHostChecked ? {} : { 'schema.registry.ssl.endpoint.identification.algorithm': '' }),
          })
          if (code !== expected) differences.push(`${name}; ${JSON.stringify(attempt)}: ${code}, not ${expected}`)
          verdicts.push(expected)
        }
      }
    }
  }
  assert.deepEqual(differences, [])
  // The judge works: it accepts and refuses.
  assert.equal(verdicts.length, Object.keys(serverCertificates).length * loopbackHosts.length * 4)
  assert.ok(verdicts.includes('accepted') && verdicts.includes('REGISTRY_UNAVAILABLE'))
})
