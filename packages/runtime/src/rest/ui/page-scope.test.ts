import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { silentLogger, systemClock } from '@tributary/support'
import { captureLogger, eventually, fakeClock } from '@tributary/testkit'
import { Logins } from '../access/logins.ts'
import { HerderGate } from '../herder-gate.ts'
import { startRestServer, type RestServer, type RestServerOptions } from '../rest-server.ts'
import { MemoryHerder } from '../testing/memory-herder.ts'
import { sendRaw } from '../testing/raw-http.ts'
import { EVENT_ROLES } from './event-roles.ts'
import { EventStreams } from './event-streams.ts'
import type { MessageSource, PageOptions } from './page-options.ts'

/** Sends what a test gives it. */
class TestSource implements MessageSource {
  readonly listeners = new Set<(json: string) => void>()
  readonly start = (role: string): string => JSON.stringify({ tag: 'start', role })
  readonly listen = (onMessage: (json: string) => void): (() => void) => {
    this.listeners.add(onMessage)
    return () => this.listeners.delete(onMessage)
  }
  send(json: string): void {
    for (const listener of this.listeners) listener(json)
  }
}

const html = { type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html><title>x</title>') }
const script = { type: 'text/javascript; charset=utf-8', bytes: Buffer.from('export {}') }

function pageOf(live = new TestSource()): PageOptions {
  const files = new Map([
    ['index.html', html],
    ['assets/page-A.js', script],
  ])
  const events = { roles: new Set(['full'] as const), open: () => new TestSource() }
  return { loadFiles: () => Promise.resolve(files), live, log: new TestSource(), events }
}

function start(options: Partial<RestServerOptions> = {}): Promise<RestServer> {
  const gate = HerderGate.opened(new MemoryHerder())
  return startRestServer({ host: '127.0.0.1', port: 0, gate, logger: silentLogger, page: pageOf(), ...options })
}

test('the document must not run scripts of its own, and its assets are compressed and kept', async () => {
  await using server = await start()
  const document = await fetch(`${server.url}/ui/`)
  assert.equal(await document.text(), html.bytes.toString())
  assert.match(document.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'; /)
  assert.doesNotMatch(document.headers.get('content-security-policy') ?? '', /unsafe/)
  assert.equal(document.headers.get('cache-control'), 'no-cache')
  const headers = { 'Accept-Encoding': 'gzip' }
  const raw = await sendRaw(server.port, { method: 'GET', target: '/ui/assets/page-A.js', headers })
  assert.match(raw.headers.get('cache-control') ?? '', /immutable/)
  const plain = await fetch(`${server.url}/ui/assets/page-A.js`, { headers: { 'Accept-Encoding': 'identity' } })
  assert.equal(await plain.text(), 'export {}')
  const packed = await fetch(`${server.url}/ui/assets/page-A.js`)
  assert.equal(await packed.text(), gunzipSync(await gzipOf(server)).toString())
})

async function gzipOf(server: RestServer): Promise<Buffer> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(`${server.url}/ui/assets/page-A.js`, { headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks)))
    }).on('error', reject)
  })
}

test('the address without a slash leads to the page, also behind a proxy with a path', async () => {
  await using server = await start({ pathPrefix: '/cdc' })
  for (const target of ['/ui', '/cdc/ui']) {
    const answer = await sendRaw(server.port, { method: 'GET', target })
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, 'ui/'], target)
    const followed = await sendRaw(server.port, { method: 'GET', target: `${target}/` })
    assert.equal(followed.status, 200, target)
  }
})

test('paths that the page does not have are unknown, and without the page all of them', async () => {
  await using server = await start()
  for (const target of ['/ui/assets/none.js', '/ui/assets/..%2f', '/ui/x', '/ui/assets/__proto__']) {
    assert.ok([400, 404].includes((await sendRaw(server.port, { method: 'GET', target })).status), target)
  }
  await using none = await start({ page: null })
  for (const target of ['/ui/', '/ui/live']) {
    assert.equal((await sendRaw(none.port, { method: 'GET', target })).status, 404, target)
  }
})

test('a failure to load the files is an answer, and the next request loads them again', async () => {
  let attempts = 0
  const page = pageOf()
  const loadFiles = (): ReturnType<PageOptions['loadFiles']> =>
    (attempts += 1) === 1 ? Promise.reject(new Error('no such folder')) : page.loadFiles()
  const logger = captureLogger()
  await using server = await start({ page: { ...page, loadFiles }, logger })
  const first = await fetch(`${server.url}/ui/`)
  assert.deepEqual([first.status, /no such folder/.test(await first.text())], [500, false])
  assert.match(String(logger.matching('cannot be loaded')[0]?.fields['error']), /no such folder/)
  assert.equal((await fetch(`${server.url}/ui/`)).status, 200)
})

test('the files need no login, the streams do, and they know the role', async () => {
  const logins = new Logins({
    passwords: new Map([['viewer', 'look']]),
    tokens: new Map(),
    readOnlyUsers: new Set(['viewer']),
  })
  await using server = await start({ logins })
  for (const path of ['/ui/', '/ui/assets/page-A.js']) assert.equal((await fetch(server.url + path)).status, 200)
  for (const path of ['/ui/live', '/ui/log', '/ui/x']) assert.equal((await fetch(server.url + path)).status, 401, path)
  const headers = { Authorization: `Basic ${Buffer.from('viewer:look').toString('base64')}` }
  const answer = await fetch(`${server.url}/ui/live`, { headers })
  assert.equal(await firstFrame(answer), 'data: {"tag":"start","role":"read-only"}\n\n')
})

test('records are for the users whom ui.events names, and for the page itself', async () => {
  const logins = new Logins({
    passwords: new Map([
      ['viewer', 'look'],
      ['admin', 'do'],
    ]),
    tokens: new Map(),
    readOnlyUsers: new Set(['viewer']),
  })
  await using server = await start({ logins })
  const statusOf = async (login: string, more: Record<string, string> = {}): Promise<number> => {
    const headers = { Authorization: `Basic ${Buffer.from(login).toString('base64')}`, ...more }
    return (await sendRaw(server.port, { method: 'HEAD', target: '/ui/events?connector=c&topic=t', headers })).status
  }
  assert.deepEqual([await statusOf('admin:do'), await statusOf('viewer:look'), await statusOf('x:y')], [200, 403, 401])
})

for (const [setting, admin, viewer] of [
  ['full', 200, 403],
  ['all', 200, 200],
  ['none', 403, 403],
] as const) {
  test(`with ui.events=${setting} a user has the records or a refusal`, async () => {
    const logins = new Logins({
      passwords: new Map([
        ['viewer', 'look'],
        ['admin', 'do'],
      ]),
      tokens: new Map(),
      readOnlyUsers: new Set(['viewer']),
    })
    const events = { roles: EVENT_ROLES[setting], open: () => new TestSource() }
    await using server = await start({ logins, page: { ...pageOf(), events } })
    const statusOf = async (login: string): Promise<number> => {
      const headers = { Authorization: `Basic ${Buffer.from(login).toString('base64')}` }
      const answer = await fetch(`${server.url}/ui/events?connector=c&topic=t`, { headers })
      await answer.body?.cancel()
      return answer.status
    }
    assert.deepEqual([await statusOf('admin:do'), await statusOf('viewer:look')], [admin, viewer])
  })
}

test('while the worker starts, records are not available, and that is no error of the worker', async () => {
  const logger = captureLogger()
  const gate = new HerderGate({ version: '1', commit: 'c', kafka_cluster_id: '' }, 'Reading its topics')
  const open = (): never => assert.fail(String(gate.herder.serverInfo().version))
  await using server = await start({ gate, logger, page: { ...pageOf(), events: { roles: new Set(['full']), open } } })
  const answer = await fetch(`${server.url}/ui/events?connector=c&topic=t`)
  assert.deepEqual([answer.status, /starting up. Reading its topics/.test(await answer.text())], [503, true])
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('a stream ends after its last message', async () => {
  const events: PageOptions['events'] = {
    roles: new Set(['full']),
    open: () => ({
      start: () => '{"tag":"start"}',
      listen: (onMessage, onEnd) => {
        onMessage('{"tag":"end"}')
        onEnd()
        return () => undefined
      },
    }),
  }
  await using server = await start({ page: { ...pageOf(), events } })
  const answer = await fetch(`${server.url}/ui/events?connector=c&topic=t`)
  assert.equal(await answer.text(), 'data: {"tag":"start"}\n\ndata: {"tag":"end"}\n\n')
})

test('a page reads the topic that its address names, and a refusal is an answer', async () => {
  const asked: unknown[] = []
  const events: PageOptions['events'] = {
    roles: new Set(['full']),
    open: (request) => {
      asked.push(request)
      return { status: 404, message: `nothing in ${request.topic}` }
    },
  }
  await using server = await start({ page: { ...pageOf(), events } })
  const answer = await fetch(`${server.url}/ui/events?connector=a%2Fb&topic=t.%E2%82%AC&scan=1000&filter=op%3Du+x`)
  assert.deepEqual([answer.status, await answer.json()], [404, { error_code: 404, message: 'nothing in t.€' }])
  assert.deepEqual(asked, [{ connector: 'a/b', topic: 't.€', scanLength: 1_000, filter: 'op=u x' }])
})

async function firstFrame(answer: Response): Promise<string> {
  const reader = answer.body?.getReader()
  const frame = (await reader?.read())?.value as Uint8Array | undefined
  await reader?.cancel()
  return Buffer.from(frame ?? new Uint8Array()).toString()
}

test('a stream sends messages and heartbeats, and forgets a client that leaves', async () => {
  const live = new TestSource()
  const clock = fakeClock()
  await using server = await start({ page: pageOf(live), clock })
  const answer = await fetch(`${server.url}/ui/live`)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const reader = answer.body?.getReader()
  const next = async (): Promise<string> => {
    const frame = (await reader?.read())?.value as Uint8Array | undefined
    return Buffer.from(frame ?? new Uint8Array()).toString()
  }
  assert.match(await next(), /"start"/)
  live.send('{"n":1}')
  assert.equal(await next(), 'data: {"n":1}\n\n')
  await clock.advance(15_000)
  assert.equal(await next(), ': \n\n')
  await reader?.cancel()
  await eventually('the stream is closed', () => live.listeners.size === 0)
})

test('the number of streams is limited, and a client that does not read is disconnected', async () => {
  const live = new TestSource()
  await using server = await start({ page: pageOf(live) })
  const request = `GET /ui/live HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const sockets = Array.from({ length: 64 }, () => connect(server.port, '127.0.0.1').pause())
  for (const socket of sockets) socket.on('error', () => undefined).write(request)
  await eventually('all streams are open', () => live.listeners.size === 64)
  assert.equal((await fetch(`${server.url}/ui/live`)).status, 503)
  for (const socket of sockets.slice(1)) socket.destroy()
  await eventually('one stream is left', () => live.listeners.size === 1)
  const megabyte = JSON.stringify('x'.repeat(2 ** 20))
  for (let i = 0; i < 40; i += 1) live.send(megabyte)
  await eventually('the slow client is disconnected', () => live.listeners.size === 0)
  sockets[0]?.destroy()
  assert.equal((await fetch(`${server.url}/connectors`)).status, 200)
})

test('a page of another site opens no stream', async () => {
  await using server = await start()
  for (const site of ['cross-site', 'same-site', 'none']) {
    const headers = { 'Sec-Fetch-Site': site }
    const answer = await sendRaw(server.port, { method: 'GET', target: '/ui/live', headers })
    assert.equal(answer.status, 403, site)
    assert.match(answer.body, /Only the page itself may open this stream/)
  }
  // Not by fetch, which sets the header itself.
  const own = connect(server.port, '127.0.0.1')
  own.write('GET /ui/live HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\r\n')
  const [head] = (await once(own, 'data')) as [Buffer]
  assert.match(head.toString(), /^HTTP\/1\.1 200 /)
  own.destroy()
})

test('a client that reads nothing for a while is disconnected, one that reads stays', async () => {
  const live = new TestSource()
  const streams = new EventStreams(systemClock, { stallMs: 300 })
  await using server = await start({ page: pageOf(live), streams })
  const [stalled, reading] = [connect(server.port, '127.0.0.1').pause(), connect(server.port, '127.0.0.1').resume()]
  for (const socket of [stalled, reading]) {
    socket.on('error', () => undefined).write('GET /ui/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  }
  await eventually('both streams are open', () => live.listeners.size === 2)
  const megabyte = JSON.stringify('x'.repeat(2 ** 20))
  for (let i = 0; i < 15; i += 1) live.send(megabyte)
  try {
    await eventually('the stalled client is disconnected', () => {
      // Keeps the other stream from being silent, as heartbeats do.
      live.send('0')
      return live.listeners.size === 1
    })
    assert.equal(reading.destroyed, false)
  } finally {
    stalled.destroy()
    reading.destroy()
  }
})

test('the streams of all listeners together hold at most 64 MiB', async () => {
  const live = new TestSource()
  const streams = new EventStreams(systemClock)
  await using server = await start({ page: pageOf(live), streams })
  await using other = await start({ page: pageOf(live), streams })
  const sockets = Array.from({ length: 12 }, () => connect(server.port, '127.0.0.1').pause())
  for (const socket of sockets) {
    socket.on('error', () => undefined).write('GET /ui/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  }
  await eventually('all streams are open', () => live.listeners.size === 12)
  const megabyte = JSON.stringify('x'.repeat(2 ** 20))
  while (!streams.isFull) live.send(megabyte)
  assert.equal(live.listeners.size, 12)
  assert.equal((await fetch(`${other.url}/ui/live`)).status, 503)
  live.send('1')
  await eventually('the sum is below the limit', () => !streams.isFull)
  assert.ok(live.listeners.size >= 8 && live.listeners.size < 12, `${live.listeners.size} of 12 streams are left`)
  for (const socket of sockets) socket.destroy()
  await eventually('all streams are closed', () => live.listeners.size === 0)
})

test('closing the server ends the streams at once', async () => {
  const live = new TestSource()
  const server = await start({ page: pageOf(live) })
  const answer = await fetch(`${server.url}/ui/live`)
  const text = answer.text()
  const began = performance.now()
  await server.close()
  assert.match(await text, /"start"/)
  assert.ok(performance.now() - began < 3_000, 'the limit of 5 s for requests in progress was used up')
})
