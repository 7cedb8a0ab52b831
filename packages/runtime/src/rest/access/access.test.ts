import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { captureLogger, runProgram, temporaryFolder } from '@tributary/testkit'
import { HerderGate } from '../herder-gate.ts'
import { startRestServer, type RestServer, type RestServerOptions } from '../rest-server.ts'
import { MemoryHerder } from '../testing/memory-herder.ts'
import { sendRaw, type RawAnswer } from '../testing/raw-http.ts'
import { Logins } from './logins.ts'
import { readLogins } from './read-logins.ts'

const CLASS = 'io.debezium.connector.mysql.MySqlConnector'
const registration = JSON.stringify({
  name: 'shop',
  config: {
    'connector.class': CLASS,
    'database.user': 'reader',
    'database.password': 'hush',
    'value.converter.schema.registry.url': 'https://svc:hush@registry:8081',
  },
})
const json = { 'Content-Type': 'application/json' }
const TOKEN = 'long-enough-token-0123'
const logins = new Logins({
  passwords: new Map([
    ['olga', 'päss:word'],
    ['viewer', 'look'],
  ]),
  tokens: new Map([['robot', TOKEN]]),
  readOnlyUsers: new Set(['viewer']),
})

function start(options: Partial<RestServerOptions> = {}): Promise<RestServer> {
  const gate = HerderGate.opened(new MemoryHerder())
  return startRestServer({ host: '127.0.0.1', port: 0, gate, logger: silentLogger, ...options })
}

/** The headers that Chromium 156 sent for each kind of request, where they matter here. */
const OWN_PAGE = { Origin: 'http://localhost', Host: 'localhost', 'Sec-Fetch-Site': 'same-origin' }

/** Requests that would pause a connector, with the status of the answer. */
const changes: readonly (readonly [
  what: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  text?: RegExp,
])[] = [
  ['of curl, without a body', {}, 202],
  ['of the page', { ...OWN_PAGE, ...json }, 202],
  ['of the page, with a charset', { ...OWN_PAGE, 'Content-Type': 'application/json; charset=utf-8' }, 202],
  ['of the page, without a type', OWN_PAGE, 202],
  ['of the page, without an Origin and a type', { 'Sec-Fetch-Site': 'same-origin' }, 415, /needs Content-Type/],
  [
    'of an old browser’s page, without a type',
    { Host: 'localhost', Origin: 'http://localhost' },
    415,
    /needs Content-Type/,
  ],
  [
    'of an allowed page, without a type',
    { Origin: 'https://console.example', 'Sec-Fetch-Site': 'cross-site' },
    415,
    /needs/,
  ],
  ['of the page, with the type of a form', { ...OWN_PAGE, 'Content-Type': 'text/plain' }, 415, /needs/],
  [
    'of a form of another site',
    { Host: 'localhost', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    403,
  ],
  ['of another port of this machine', { ...OWN_PAGE, ...json, 'Sec-Fetch-Site': 'same-site' }, 403, /another site/],
  ['without an Origin', { 'Sec-Fetch-Site': 'cross-site', ...json }, 403, /rest\.allowed\.origins/],
  ['of a user’s navigation', { 'Sec-Fetch-Site': 'none', ...json }, 403],
  ['of a sandboxed page', { Host: 'localhost', Origin: 'null', ...json }, 403],
  ['of an old browser’s page', { Host: 'localhost', Origin: 'http://localhost', ...json }, 202],
  ['of an allowed page', { Origin: 'https://console.example', 'Sec-Fetch-Site': 'cross-site', ...json }, 202],
]

test('requests of web pages that change something need JSON and the worker’s own origin', async () => {
  await using server = await start({ allowedCallers: { hosts: [], origins: ['https://console.example'] } })
  await sendRaw(server.port, { method: 'POST', target: '/connectors', headers: json, body: Buffer.from(registration) })
  for (const [what, headers, status, text = /./s] of changes) {
    const answer = await sendRaw(server.port, { method: 'PUT', target: '/connectors/shop/pause', headers })
    assert.equal(answer.status, status, `${what}: ${answer.body}`)
    if (status !== 202) assert.match(answer.body, text, what)
  }
})

test('a body of the worker’s own page needs the type', async () => {
  await using server = await start()
  const request = { method: 'PUT', target: '/connectors/shop/pause', headers: OWN_PAGE, body: Buffer.from('{}') }
  assert.equal((await sendRaw(server.port, request)).status, 415)
  const chunked = { ...OWN_PAGE, 'Transfer-Encoding': 'chunked' }
  const body = Buffer.from('2\r\n{}\r\n0\r\n\r\n')
  assert.equal((await sendRaw(server.port, { ...request, headers: chunked, body })).status, 415)
})

test('reads of web pages need no JSON', async () => {
  await using server = await start()
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
  assert.equal((await sendRaw(server.port, { method: 'GET', target: '/connectors', headers })).status, 200)
})

function basic(text: string): Readonly<Record<string, string>> {
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

test('with logins, every request needs one, and the answer is that of Kafka Connect’s login', async () => {
  const logger = captureLogger()
  await using server = await start({ logins, logger })
  const get = (headers: Readonly<Record<string, string>>): Promise<RawAnswer> =>
    sendRaw(server.port, { method: 'GET', target: '/connectors', headers })
  for (const headers of [basic('olga:päss:word'), basic('viewer:look'), { Authorization: `bearer ${TOKEN}` }]) {
    assert.equal((await get(headers)).status, 200, JSON.stringify(headers))
  }
  const wrong = [
    {},
    basic('olga:look'),
    basic('olga:'),
    basic('olga'),
    basic(':'),
    basic('nobody:'),
    basic('robot:long-enough-token-0123'),
    { Authorization: `Bearer ${TOKEN}x` },
    { Authorization: 'Bearer ' },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: `Basic ${'A'.repeat(5_000)}` },
  ]
  for (const headers of wrong) {
    const answer = await get(headers)
    assert.deepEqual([answer.status, answer.body], [401, 'User cannot access the resource.'], JSON.stringify(headers))
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="Tributary".*Bearer/)
  }
  for (const target of ['/', '/health', '/unknown', '/admin/loggers']) {
    assert.equal((await sendRaw(server.port, { method: 'GET', target })).status, 401, target)
  }
  assert.equal(logger.matching('wrong login').length, 1)
  assert.doesNotMatch(JSON.stringify(logger.matching('')), /olga|look|päss/)
})

test('a page that asks for the login itself is not interrupted by the browser’s dialog', async () => {
  await using server = await start({ logins })
  const headers = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' }
  const answer = await sendRaw(server.port, { method: 'GET', target: '/', headers })
  assert.deepEqual([answer.status, answer.headers.get('www-authenticate') ?? null], [401, null])
})

test('a user who may only read changes nothing and sees no password', async () => {
  await using server = await start({ logins })
  const ask = (user: string, method: string, target: string, body = ''): Promise<RawAnswer> =>
    sendRaw(server.port, { method, target, headers: { ...json, ...basic(user) }, body: Buffer.from(body) })
  assert.equal((await ask('olga:päss:word', 'POST', '/connectors', registration)).status, 201)
  const changing = [
    ['POST', '/connectors'],
    ['DELETE', '/connectors/shop'],
    ['DELETE', '/connectors/sh%20op'],
    ['PUT', '/connectors/shop/config'],
    ['PATCH', '/connectors/shop/config'],
    ['PUT', '/connectors/shop/pause'],
    ['PUT', '/connectors/shop/stop'],
    ['POST', '/connectors/shop/restart'],
    ['PATCH', '/connectors/shop/offsets'],
    ['DELETE', '/connectors/shop/offsets'],
    ['PUT', '/admin/loggers/root'],
    ['PUT', `/connector-plugins/${CLASS}/config/validate`],
  ] as const
  for (const [method, target] of changing) {
    const answer = await ask('viewer:look', method, target, '{}')
    assert.equal(answer.status, 403, `${method} ${target}: ${answer.body}`)
    assert.match(answer.body, /User viewer may only read/)
    assert.ok(answer.body.includes(`${method} ${target} may change`), answer.body)
  }
  const reading = ['/connectors/shop', '/connectors/shop/config', '/connectors?expand=info', '/connectors/shop/tasks']
  for (const target of reading) {
    const [full, readOnly] = [await ask('olga:päss:word', 'GET', target), await ask('viewer:look', 'GET', target)]
    assert.deepEqual([full.status, readOnly.status], [200, 200])
    assert.match(full.body, /hush/, target)
    assert.doesNotMatch(readOnly.body, /hush/, target)
    assert.match(readOnly.body, /"database\.password":"\[hidden\]"/, target)
    assert.match(readOnly.body, /"database\.user":"reader"/, target)
  }
})

test('a path prefix is optional in requests, and the Location header has that of the request', async () => {
  await using server = await start({ pathPrefix: '/cdc/a' })
  const ask = (method: string, target: string, body = ''): Promise<RawAnswer> =>
    sendRaw(server.port, { method, target, headers: { ...json, Host: 'proxy.localhost' }, body: Buffer.from(body) })
  for (const target of ['/', '/cdc/a', '/cdc/a/', '/cdc/a/connectors?expand=info', '/connectors']) {
    assert.equal((await ask('GET', target)).status, 200, target)
  }
  for (const target of ['/cdc', '/cdc/ab', '/cdc/a/cdc/a', '/cdc/aconnectors']) {
    assert.equal((await ask('GET', target)).status, 404, target)
  }
  const created = await ask('POST', '/cdc/a/connectors', registration)
  assert.equal(created.headers.get('location'), 'http://proxy.localhost/cdc/a/connectors/shop')
})

test('a file of users that would let everybody in, or a misspelt name, is refused without its secrets', async () => {
  await using folder = temporaryFolder('logins')
  const file = (text: string): string => {
    const path = join(folder.path, `users-${Math.random()}`)
    writeFileSync(path, text)
    return path
  }
  const read = (basicText: string | null, bearerText: string | null, readOnlyUsers: readonly string[] = []): string => {
    try {
      const basicFile = basicText === null ? null : basicText === 'missing' ? '/no/such/file' : file(basicText)
      const bearerFile = bearerText === null ? null : file(bearerText)
      return readLogins({ basicFile, bearerFile, readOnlyUsers }) === null ? 'open' : 'logins'
    } catch (error) {
      return String(error)
    }
  }
  assert.equal(read(null, null), 'open')
  assert.equal(read('a=b\n# c\n', `robot=${TOKEN}`, ['a', 'robot']), 'logins')
  const table: readonly (readonly [string, RegExp])[] = [
    [read('missing', null), /rest\.auth\.basic\.file: \/no\/such\/file cannot be read: ENOENT/],
    [read('', null), /names no user/],
    [read('# only\n', null), /names no user/],
    [read('# c\nolga=\n', null), /line 2 of \S+ has no value/],
    [read('hush-hush', null), /line 1 of \S+ has no value/],
    [read('hush\\:b=x', null), /the name in line 1 has a colon/],
    [read(null, 'robot=hush'), /the token in line 1 has fewer than 16 characters/],
    [read(null, `${TOKEN}=robot`), /the token in line 1 has fewer than 16 characters/],
    [read(null, `a=${TOKEN}\nb=${TOKEN}`), /lines 1 and 2 have the same token/],
    [read(null, 'a=hush hush hush hush hush'), /other characters/],
    [read('olga=hush', null, ['Olga']), /rest\.auth\.read\.only\.users names Olga, which is in no file/],
    [read(null, null, ['viewer']), /neither rest\.auth\.basic\.file nor rest\.auth\.bearer\.file is set/],
  ]
  for (const [text, pattern] of table) {
    assert.match(text, pattern)
    assert.doesNotMatch(text, /hush|long-enough/)
  }
})

test('curl logs in with user and password, and with a token', async () => {
  await using server = await start({ logins })
  const curl = async (...args: readonly string[]): Promise<string> =>
    (await runProgram('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...args, `${server.url}/connectors`]))
      .stdout
  assert.equal(await curl('-u', 'viewer:look'), '200')
  assert.equal(await curl('-H', `Authorization: Bearer ${TOKEN}`), '200')
  assert.equal(await curl('-u', 'viewer:wrong'), '401')
})

test('a signed request of another worker needs no login, but its signature; no other request is exempt', async () => {
  const herder = new MemoryHerder()
  herder.sessionKey = { key: createSecretKey(Buffer.alloc(32, 1)), algorithm: 'HmacSHA256', createdMs: 0 }
  await using server = await start({ gate: HerderGate.opened(herder), logins })
  const body = Buffer.from('[]')
  const send = async (method: string, target: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await sendRaw(server.port, { method, target, headers: { ...json, ...headers }, body })).status
  const signed = herder.sign(body)
  const forged = { ...signed, 'X-Connect-Authorization': Buffer.alloc(32).toString('base64') }
  assert.equal(await send('POST', '/connectors/c/tasks', signed), 204)
  assert.equal(await send('POST', '/connectors/c/tasks/', signed), 204)
  assert.equal(await send('PUT', '/connectors/c/fence', signed), 204)
  assert.equal(await send('POST', '/connectors/c/tasks', forged), 403)
  assert.equal(await send('POST', '/connectors/c/tasks', {}), 401)
  for (const [method, target] of [
    ['GET', '/connectors/c/tasks'],
    ['PUT', '/connectors/c/pause'],
    ['POST', '/connectors/tasks'],
    ['POST', '/connectors/c/tasks/0/restart'],
    ['POST', '/connectors/c/restart?x=/connectors/c/tasks'],
    ['DELETE', '/connectors/c'],
  ] as const)
    assert.equal(await send(method, target, signed), 401, `${method} ${target}`)
})
