import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { refuseCaller } from './caller.ts'
import { workerCallers } from './worker-callers.ts'

const NONE = { hosts: [], origins: [] }
const isRefused = (
  host: string | undefined,
  {
    origin,
    localAddress = '127.0.0.1',
    allowed = NONE,
  }: Partial<Parameters<typeof refuseCaller>[0]> & {
    readonly allowed?: Parameters<typeof refuseCaller>[1]
  } = {},
): boolean => refuseCaller({ host, origin, localAddress }, allowed) !== null

test('names of the loopback address are answered there, others only when they are allowed', () => {
  for (const host of [
    'localhost',
    'LOCALHOST:8083',
    'a.localhost',
    '127.0.0.1:8083',
    '[::1]:8083',
    '10.0.0.7',
    undefined,
  ]) {
    assert.equal(isRefused(host), false, host)
  }
  for (const host of ['evil.example', 'evil.example:8083', 'localhost.evil.example', '127.0.0.1.evil.example']) {
    assert.equal(isRefused(host), true, host)
    assert.equal(isRefused(host, { localAddress: '::ffff:127.0.0.1' }), true, host)
    assert.equal(isRefused(host, { localAddress: '::1' }), true, host)
  }
  assert.equal(isRefused('connect.example:80', { allowed: { hosts: ['Connect.example'], origins: [] } }), false)
  assert.equal(isRefused('evil.example', { allowed: { hosts: ['*'], origins: [] } }), false)
})

test('at another address every name is answered: names of services and load balancers cannot be known', () => {
  assert.equal(isRefused('connect.prod.svc:8083', { localAddress: '10.0.0.7' }), false)
  assert.equal(isRefused('connect.prod.svc:8083', { localAddress: 'fe80::1' }), false)
})

test('with rest.allowed.hosts, only those and the worker’s own names are answered, at every address', () => {
  const listener = { isTls: false, host: 'connect.internal', port: 8083 }
  const callers = (hosts: readonly string[]): ReturnType<typeof workerCallers> =>
    workerCallers({
      allowedCallers: { hosts, origins: [] },
      rest: { listeners: [listener] },
      advertisedHost: 'connect.prod.svc',
    })
  const table: readonly (readonly [hosts: readonly string[], host: string, isRefused: boolean])[] = [
    [[], 'evil.example', false],
    [['proxy.example'], 'evil.example:8083', true],
    [['proxy.example'], 'proxy.example', false],
    [['proxy.example'], 'connect.prod.svc:8083', false],
    [['proxy.example'], 'connect.internal:8083', false],
    [['proxy.example'], hostname(), false],
    [['proxy.example'], '10.0.0.7:8083', false],
    [['*'], 'evil.example', false],
  ]
  for (const [hosts, host, expected] of table) {
    const what = `${host} with ${hosts.join()}`
    assert.equal(isRefused(host, { localAddress: '10.0.0.7', allowed: callers(hosts) }), expected, what)
  }
})

test('requests of web pages are refused, except those of the worker and of allowed origins', () => {
  const localAddress = '10.0.0.7'
  for (const origin of ['https://evil.example', 'null', 'http://worker:8084', 'http://worker:8083.evil.example']) {
    assert.equal(isRefused('worker:8083', { origin, localAddress }), true, origin)
  }
  assert.equal(isRefused('worker:8083', { origin: 'http://worker:8083', localAddress }), false)
  const allowed = { hosts: [], origins: ['https://console.example'] }
  assert.equal(isRefused('worker:8083', { origin: 'https://Console.example', localAddress, allowed }), false)
  assert.equal(
    isRefused('worker:8083', { origin: 'null', localAddress, allowed: { hosts: [], origins: ['*'] } }),
    false,
  )
})

test('the answer names the property to set', () => {
  const refuse = (origin?: string): string | null =>
    refuseCaller({ host: 'evil.example', origin, localAddress: '127.0.0.1' }, NONE)
  assert.match(refuse() ?? '', /evil\.example.*rest\.allowed\.hosts/)
  assert.match(refuse('https://x.example') ?? '', /https:\/\/x\.example.*rest\.allowed\.origins/)
  assert.ok((refuse('x'.repeat(10_000)) ?? '').length < 400)
})
