import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { advertisedAddress } from './advertised-url.ts'

const http = { isTls: false, host: '10.0.0.5', port: 8083 }
const https = { isTls: true, host: 'secure.example', port: 8443 }

const cases = [
  ['the only listener', [http], {}, '10.0.0.5:8083', 'http'],
  ['http before https', [https, http], {}, '10.0.0.5:8083', 'http'],
  ['https where there is no http', [https], {}, 'secure.example:8443', 'https'],
  [
    'the listener of rest.advertised.listener',
    [http, https],
    { isTlsAdvertised: true },
    'secure.example:8443',
    'https',
  ],
  [
    'the name and port that are set',
    [http],
    { advertisedHost: 'w.example', advertisedPort: 80 },
    'w.example:80',
    'http',
  ],
  ['an address of IPv6', [http], { advertisedHost: '::1' }, '[::1]:8083', 'http'],
  ['all interfaces', [{ ...http, host: null }], {}, `${hostname()}:8083`, 'http'],
] as const

for (const [name, listeners, changes, workerId, scheme] of cases) {
  test(`others reach a worker at: ${name}`, () => {
    const none = { advertisedHost: null, advertisedPort: null, isTlsAdvertised: null }
    const address = advertisedAddress({ ...none, rest: { listeners }, ...changes }, [])
    assert.deepEqual(address, { workerId, url: `${scheme}://${workerId}/` })
  })
}

test('a listener on any free port is advertised with the port that it got', () => {
  const config = {
    advertisedHost: null,
    advertisedPort: null,
    isTlsAdvertised: null,
    rest: { listeners: [{ ...http, port: 0 }] },
  }
  assert.equal(advertisedAddress(config, [41_234]).url, 'http://10.0.0.5:41234/')
})
