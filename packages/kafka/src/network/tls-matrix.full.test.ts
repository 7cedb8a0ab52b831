/** Which brokers the client accepts, compared with the verdict of OpenSSL's own client. */
import { Certificates, loopbackHosts, opensslAccepts, serverCertificates, TlsFront, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectWithTls } from '../testing/tls-client.ts'

test('the client accepts exactly the brokers that OpenSSL accepts, by certificate, host, check and authority', async () => {
  const [broker = ''] = (await useKafka()).bootstrapServers
  await using certificates = await Certificates.create()
  await using front = await TlsFront.start({ targetPort: Number(broker.split(':')[1]) })
  const differences: string[] = []
  const verdicts: string[] = []
  for (const [name, request] of Object.entries(serverCertificates)) {
    front.use(await certificates.make(request))
    for (const host of loopbackHosts) {
      for (const isHostChecked of [true, false]) {
        for (const authority of [certificates.authority('ca'), null]) {
          const attempt = { host, port: front.port, authority, isHostChecked }
          const expected = (await opensslAccepts(attempt)) ? 'accepted' : 'TLS_REFUSED'
          const { code } = await connectWithTls(attempt, {
            ...(authority === null ? {} : { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': authority }),
            ...(isHostChecked ? {} : { 'ssl.endpoint.identification.algorithm': '' }),
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
  assert.ok(verdicts.includes('accepted') && verdicts.includes('TLS_REFUSED'))
})
