import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'
import { startRestServer } from './rest-server.ts'
import type { RestServer, RestServerOptions } from './rest-server.ts'
import { RequestError } from './request-error.ts'
import { MemoryHerder } from './testing/memory-herder.ts'
import { sendRaw } from './testing/raw-http.ts'
import type { RawAnswer } from './testing/raw-http.ts'

const textType = 'text/plain; version=0.0.4; charset=utf-8'

const ownRoutes: readonly OwnRoute[] = [
  { path: '/numbers', handle: () => ({ status: 200, content: { type: textType, bytes: Buffer.from('records 5\n') } }) },
  {
    path: '/files/:file',
    handle: ({ parameters, query }) => ({
      status: 200,
      content: { type: 'application/octet-stream', bytes: Buffer.from(`${parameters['file']} ${query.get('v')}`) },
    }),
  },
  { path: '/document', handle: () => ({ status: 200, document: { records: 5 } }) },
  { path: '/empty', handle: () => ({ status: 204 }) },
  {
    path: '/missing',
    handle: () => {
      throw new RequestError(404, 'There is no such file')
    },
  },
  { path: '/broken', handle: () => Promise.reject(new Error('the meter is broken')) },
]

/** Requests to our own operations with status, Content-Type and body of the answer. */
const answers: readonly (readonly [
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  expected: readonly [status: number, type: string | undefined, body: string],
])[] = [
  ['GET', '/numbers', {}, [200, textType, 'records 5\n']],
  ['GET', '/numbers/', {}, [200, textType, 'records 5\n']],
  ['GET', '/numbers', { Accept: 'text/html' }, [200, textType, 'records 5\n']],
  ['GET', '/numbers', { Accept: 'a/b/c', 'Content-Type': 'garbage' }, [200, textType, 'records 5\n']],
  ['HEAD', '/numbers', {}, [200, textType, '']],
  ['GET', '/files/a%20b.png?v=1', {}, [200, 'application/octet-stream', 'a b.png 1']],
  ['GET', '/document', { Accept: 'text/html' }, [200, 'application/json', '{"records":5}']],
  ['GET', '/empty', {}, [204, undefined, '']],
  ['GET', '/missing', {}, [404, 'application/json', '{"error_code":404,"message":"There is no such file"}']],
  ['GET', '/broken', {}, [500, 'application/json', '{"error_code":500,"message":"the meter is broken"}']],
  ['POST', '/numbers', {}, [405, 'application/json', '{"error_code":405,"message":"HTTP 405 Method Not Allowed"}']],
  [
    'GET',
    '/numbers',
    { Host: 'a b' },
    [400, 'application/json', '{"error_code":400,"message":"The Host header is not a host with an optional port"}'],
  ],
]

for (const [method, target, headers, expected] of answers) {
  test(`answers ${method} ${target} ${JSON.stringify(headers)} with ${expected[0]}`, async () => {
    await using server = await start()
    const answer = await sendRaw(server.port, { method, target, headers })
    assert.deepEqual([answer.status, answer.headers.get('content-type'), answer.body], expected)
  })
}

test('a method that our own operation does not have is answered with those that it has', async () => {
  await using server = await start()
  const allowed = await Promise.all(
    ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(async (method) => {
      const answer = await sendRaw(server.port, { method, target: '/numbers' })
      return [answer.status, answer.headers.get('allow')]
    }),
  )
  assert.deepEqual(
    allowed,
    Array.from({ length: 5 }, () => [405, 'GET,HEAD']),
  )
})

test('the rules of Kafka Connect apply to its own paths and to unknown ones', async () => {
  await using server = await start()
  const get = (target: string, Accept: string): Promise<RawAnswer> =>
    sendRaw(server.port, { method: 'GET', target, headers: { Accept } })
  const [refused, malformed, unknown] = [
    await get('/connectors', 'text/html'),
    await get('/connectors', 'a/b/c'),
    await get('/numbers/x', 'text/html'),
  ]
  assert.deepEqual([refused.status, malformed.status, unknown.status], [406, 400, 404])
  assert.equal(unknown.body, '{"error_code":404,"message":"HTTP 404 Not Found"}')
})

test('without routes of our own, their paths are unknown', async () => {
  await using server = await start({ ownRoutes: [] })
  assert.equal((await sendRaw(server.port, { method: 'GET', target: '/numbers' })).status, 404)
})

test('our own operations get the headers and the log of every request, and a failure is logged', async () => {
  const logger = captureLogger()
  {
    await using server = await start({ logger, responseHeaders: { 'X-Frame-Options': 'DENY' } })
    const answer = await sendRaw(server.port, { method: 'GET', target: '/broken?token=hush' })
    assert.equal(answer.headers.get('x-frame-options'), 'DENY')
  }
  assert.deepEqual(
    logger.matching('GET /broken').map(({ level, message }) => [level, message]),
    [
      ['error', 'GET /broken failed'],
      ['debug', 'GET /broken 500'],
    ],
  )
})

test('our own operations are answered while the worker is starting', async () => {
  const gate = new HerderGate({ version: '4.3.1', commit: 'abc', kafka_cluster_id: '' }, 'Waiting')
  await using server = await start({ gate })
  assert.equal((await sendRaw(server.port, { method: 'GET', target: '/numbers' })).status, 200)
})

function start(options: Partial<RestServerOptions> = {}): Promise<RestServer> {
  const gate = HerderGate.opened(new MemoryHerder())
  return startRestServer({ host: '127.0.0.1', port: 0, gate, ownRoutes, logger: silentLogger, ...options })
}
