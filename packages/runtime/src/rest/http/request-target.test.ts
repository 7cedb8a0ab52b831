import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeSegment, refuseTarget, routableUrl } from './request-target.ts'

const host = 'localhost:8083'

/** Targets that Kafka Connect 4.3.1 refused with status 400. */
const refused = String.raw`
  // /// /connectors// /connectors/a//status connectors * http://other:8083/ ftp://localhost/x /.. /../x
  /connectors/a%2Fb /connectors/a%2fb/status /connectors/a%5Cb /connectors/a%25b /%2F
  /connectors/% /connectors/%zz /connectors/%1 /connectors/a% /connectors/%u0041
  /connectors/%00 /connectors/%0a /connectors/%1f /connectors/%7F
  /connectors/%FF /connectors/%C0%AF /connectors/%ED%A0%80 /connectors/%E2%82
  /connectors/%2e /connectors/%2E%2e /connectors/.%2e /connectors/..;/a /connectors/.;x
  /connectors/"x" /connectors/{x} /connectors/a|b /connectors/<x> /connectors/a^b /connectors/[x] /connectors/a\b
  /connectors/ü
`
  .trim()
  .split(/\s+/)

for (const target of refused) {
  test(`refuses ${target}`, () => {
    assert.notEqual(refuseTarget({ method: 'GET', target, host }), null)
  })
}

/** Targets that it accepted, with the URL for the router, in which percent signs are encoded. */
const routed: readonly (readonly [target: string, url: string])[] = [
  ['/', '/'],
  ['/;x=1', '/'],
  ['/?x=1&y=%zz', '/?x=1&y=%zz'],
  ['/#/x', '/'],
  ['/connectors/', '/connectors'],
  ['/connectors/;x', '/connectors'],
  ['/connectors;x=1/a;b;c/status;y', '/connectors/a/status'],
  ['/connectors/a#b', '/connectors/a'],
  ['/connectors/a?b?c#d', '/connectors/a?b?c'],
  ['/connectors/a%20b', '/connectors/a%2520b'],
  ['/connectors/%2e%2ea', '/connectors/%252e%252ea'],
  ['/connectors/.', '/connectors/.'],
  ['/connectors/..', '/connectors/..'],
  ['/connectors/x/../../', '/connectors/x/../..'],
  ["/connectors/@:,$&=!~*()'", "/connectors/@:,$&=!~*()'"],
  ['/connectors?expand=status;x', '/connectors?expand=status;x'],
  ['http://localhost:8083', '/'],
  ['HTTP://LOCALHOST:8083/connectors/zz?x', '/connectors/zz?x'],
]

for (const [target, url] of routed) {
  test(`routes ${target} as ${url}`, () => {
    assert.equal(refuseTarget({ method: 'GET', target, host }), null)
    assert.equal(routableUrl(target), url)
  })
}

const segments: readonly (readonly [segment: string, text: string])[] = [
  ['a%20b', 'a b'],
  ['a+b', 'a+b'],
  ['%3B%3F%23', ';?#'],
  ['%C3%BC%F0%9F%98%80', 'ü😀'],
]

for (const [segment, text] of segments) {
  test(`decodes ${segment} to ${text}`, () => {
    assert.equal(decodeSegment(segment), text)
  })
}

const hosts: readonly (readonly [host: string | undefined, isRefused: boolean])[] = [
  [undefined, false],
  ['localhost', false],
  ['[::1]:80', false],
  ['', true],
  [' ', true],
  ['a b', true],
  ['a/b', true],
  ['x:y', true],
  ['x:99999', true],
  ['é', true],
]

for (const [name, isRefused] of hosts) {
  test(`${isRefused ? 'refuses' : 'accepts'} the host ${name}`, () => {
    assert.equal(refuseTarget({ method: 'GET', target: '/', host: name }) !== null, isRefused)
  })
}

test('accepts OPTIONS * about the server as a whole', () => {
  assert.equal(refuseTarget({ method: 'OPTIONS', target: '*', host }), null)
})
