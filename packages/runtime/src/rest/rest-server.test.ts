import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { inspect } from 'node:util'
import type { ConnectorInfo } from '@tributary/rest-api'
import { silentLogger } from '@tributary/support'
import { captureLogger, eventually, fakeClock } from '@tributary/testkit'
import { startRestServer } from './rest-server.ts'
import type { RestServer, RestServerOptions } from './rest-server.ts'
import { HerderGate } from './herder-gate.ts'
import { MemoryHerder } from './testing/memory-herder.ts'
import { exchange, parseAnswer, sendRaw } from './testing/raw-http.ts'

const registration = JSON.stringify({
  name: 'inventory',
  config: { 'connector.class': 'io.debezium.connector.mysql.MySqlConnector', 'database.password': 'hush' },
})
const json = { 'Content-Type': 'application/json' }

const hosts = ['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost']

for (const host of hosts) {
  test(`listens on ${host} and reports a URL at which it answers`, async () => {
    await using server = await start({ host })
    const answer = await fetch(server.url)
    assert.equal(answer.status, 200)
    assert.equal(new URL(server.url).port, String(server.port))
  })
}

test('a server on 0.0.0.0 answers at every loopback address, one on 127.0.0.1 only there', async () => {
  await using everywhere = await start({ host: '0.0.0.0' })
  await using local = await start({ host: '127.0.0.1' })
  assert.equal((await fetch(`http://127.0.0.2:${everywhere.port}/`)).status, 200)
  await assert.rejects(fetch(`http://127.0.0.2:${local.port}/`))
})

test('the error about an address in use names the action', async () => {
  await using first = await start()
  await assert.rejects(start({ port: first.port }), {
    code: 'REST_ADDRESS_IN_USE',
    message: new RegExp(
      `cannot listen on 127\\.0\\.0\\.1:${first.port}: another program .* Stop that program, or set REST_PORT`,
    ),
  })
})

test('the error about an address of another machine names the action', async () => {
  await assert.rejects(start({ host: '192.0.2.1' }), {
    code: 'REST_ADDRESS_NOT_AVAILABLE',
    message: /Set REST_HOST_NAME/,
  })
})

test('the error about an unknown name names the action', async () => {
  await assert.rejects(start({ host: 'no-such-host.invalid' }), {
    code: 'REST_HOST_UNKNOWN',
    message: /Set REST_HOST_NAME/,
  })
})

test('answers several requests on one connection, until a request has Connection: close', async () => {
  await using server = await start()
  const kept = `GET /connectors HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const last = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  const answers = (await exchange(server.port, Buffer.from(kept + kept + last))).toString()
  assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 3)
})

test('answers a client of HTTP/1.0 without a Host header', async () => {
  await using server = await start()
  const head = `POST /connectors HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${registration.length}\r\n\r\n`
  const answer = parseAnswer(await exchange(server.port, Buffer.from(head + registration)))
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('location'), `${server.url}/connectors/inventory`)
})

test('the Location header has the host that the client used', async () => {
  await using server = await start({ allowedCallers: { hosts: ['connect.example'], origins: [] } })
  const headers = { ...json, Host: 'connect.example:80' }
  const answer = await sendRaw(server.port, {
    method: 'POST',
    target: '/connectors/',
    headers,
    body: Buffer.from(registration),
  })
  assert.equal(answer.headers.get('location'), 'http://connect.example:80/connectors/inventory')
})

test('passes a registration to the herder with the name in its configuration', async () => {
  const herder = new MemoryHerder()
  await using server = await start({ gate: HerderGate.opened(herder) })
  await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: registration })
  assert.deepEqual(Object.entries(herder.connectorConfig('inventory')).at(-1), ['name', 'inventory'])
})

test('the status code of the health depends on the status of the worker', async () => {
  const herder = new MemoryHerder()
  await using server = await start({ gate: HerderGate.opened(herder) })
  const statuses: number[] = []
  for (const status of ['healthy', 'starting', 'unhealthy'] as const) {
    herder.workerStatus = { status, message: 'm' }
    statuses.push((await fetch(`${server.url}/health`)).status)
  }
  assert.deepEqual(statuses, [200, 503, 500])
})

test('a validation returns warnings only on request: the document of Kafka Connect has none', async () => {
  const herder = new MemoryHerder()
  await using server = await start({ gate: HerderGate.opened(herder) })
  const path = `${server.url}/connector-plugins/MySqlConnector/config/validate`
  const ask = async (query: string): Promise<unknown> => {
    const body = JSON.stringify({ 'connector.class': 'io.debezium.connector.mysql.MySqlConnector' })
    const answer = await fetch(path + query, { method: 'PUT', headers: json, body })
    return ((await answer.json()) as { readonly warnings?: unknown }).warnings
  }
  assert.deepEqual([await ask(''), await ask('?warnings=true')], [undefined, [{ property: 'p', message: 'm' }]])
  herder.validationErrors = 1
  assert.deepEqual(await ask('?warnings=true'), [])
})

test('refuses a body over the limit before reading it', async () => {
  await using server = await start()
  const headers = { ...json, 'Content-Length': String(2 * 1024 * 1024 + 1) }
  const answer = await sendRaw(server.port, { method: 'POST', target: '/connectors', headers })
  assert.equal(answer.status, 413)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  assert.match(answer.body, /"error_code":413,"message":"The request body is larger than 2 MiB/)
})

test('large bodies that never end lock out other large bodies, and nothing else', async () => {
  await using server = await start()
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < 40; i++) {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write('POST /connectors HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{'),
      )
      socket.on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect')
    }
    const body = `{"name":"large"}${' '.repeat(100_000)}`
    const large = await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body })
    assert.equal(large.status, 503)
    assert.match(await large.text(), /Too many requests with large bodies/)
    assert.equal((await fetch(`${server.url}/connectors`)).status, 200)
    const small = await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: '[]' })
    assert.equal(small.status, 500)
    for (const socket of sockets) socket.destroy()
    await eventually('the others have ended', async () => {
      const again = await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body })
      return again.status !== 503
    })
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('a connection with too many unanswered requests is closed; a few are answered in order', async () => {
  await using server = await start()
  const get = 'GET /connectors HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const answersTo = async (requests: number): Promise<number> => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += String(chunk)))
    socket.on('error', () => undefined)
    socket.end(get.repeat(requests))
    await once(socket, 'close')
    return text.split('HTTP/1.1 200').length - 1
  }
  assert.equal(await answersTo(16), 16)
  assert.equal(await answersTo(1_000), 0)
})

test('half-open connections and stalled bodies do not lock other clients out', async () => {
  await using server = await start()
  const sockets: Socket[] = []
  const open = async (text: string): Promise<void> => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
  }
  try {
    const stalled = 'POST /connectors HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'
    for (let i = 0; i < 1_100; i++) await open(i % 3 === 0 ? stalled : i % 3 === 1 ? 'GET /conn' : '')

    const answer = await fetch(`${server.url}/connectors`)

    assert.equal(answer.status, 200)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('requests of web pages, and of names that were made to resolve to this machine, are refused', async () => {
  await using server = await start({ allowedCallers: { hosts: [], origins: ['https://console.example'] } })
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await sendRaw(server.port, { method: 'POST', target: '/connectors/x/restart', headers })).status
  const known = await statusOf({})
  assert.notEqual(known, 403)
  assert.equal(await statusOf({ Origin: 'https://evil.example' }), 403)
  assert.equal(await statusOf({ Host: 'evil.example' }), 403)
  assert.equal(await statusOf({ Origin: 'https://console.example', ...json }), known)
})

test('a document with more properties than a configuration can have is refused', async () => {
  await using server = await start()
  const config = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, '']))
  const body = JSON.stringify({ name: 'many', config })
  const answer = await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body })
  assert.match(await answer.text(), /An object has more than 10000 properties/)
})

test('every answer has the configured headers', async () => {
  await using server = await start({ responseHeaders: { 'X-Frame-Options': 'DENY' } })
  const paths = ['/', '/nope', '/connectors/a%2Fb', '/connectors/nope']
  const headers = await Promise.all(
    paths.map(async (path) => (await fetch(server.url + path)).headers.get('x-frame-options')),
  )
  assert.deepEqual(headers, ['DENY', 'DENY', 'DENY', 'DENY'])
})

test('logs a line for every request, without what the client sent', async () => {
  const logger = captureLogger()
  {
    await using server = await start({ logger })
    await fetch(`${server.url}/connectors?x=hush`, { method: 'POST', headers: json, body: registration })
    await fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: `${registration}hush` })
    await fetch(`${server.url}/nope`)
  }
  const requests = logger.lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields)
  assert.deepEqual(
    requests.map(({ method, path, status }) => [method, path, status]),
    [
      ['POST', '/connectors', 201],
      ['POST', '/connectors', 500],
      ['GET', '/nope', 404],
    ],
  )
  assert.ok(requests.every(({ ms }) => typeof ms === 'number'))
  assert.doesNotMatch(JSON.stringify(logger.lines), /hush/)
})

test('logs why a request is not readable, without what the client sent', async () => {
  const logger = captureLogger()
  await using server = await start({ logger })
  await exchange(
    server.port,
    Buffer.from('POST /connectors HTTP/1.1\r\nContent-Length: hush\r\n\r\n{"password":"hush"}'),
  )
  const [line] = logger.matching('A request is not readable as HTTP')
  assert.equal(line?.fields['code'], 'HPE_INVALID_CONTENT_LENGTH')
  assert.doesNotMatch(inspect(logger.lines, { depth: null, showHidden: true }), /hush/)
})

test('logs no error when a client closes the connection while it sends a request', async () => {
  const logger = captureLogger()
  {
    await using server = await start({ logger })
    const head = 'POST /connectors HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{'
    await sendAndLeave(server.port, head)
    await eventually('the request is logged', () => logger.matching('POST /connectors').length === 1)
  }
  assert.deepEqual(new Set(logger.lines.map(({ level }) => level)), new Set(['info', 'debug']))
})

test('answers reads while the herder stores a registration', async () => {
  const herder = new SlowHerder()
  await using server = await start({ gate: HerderGate.opened(herder) })
  const posted = fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: registration })
  await herder.arrived
  assert.deepEqual(await (await fetch(`${server.url}/connectors`)).json(), [])
  herder.store()
  assert.equal((await posted).status, 201)
})

test('closing waits for a request in progress, closes idle connections and may be repeated', async () => {
  const herder = new SlowHerder()
  const server = await start({ gate: HerderGate.opened(herder) })
  const idle = await openIdleConnection(server.port)
  const posted = fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: registration })
  await herder.arrived
  const stopped = Promise.all([server[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
  await idle.closed
  herder.store()
  assert.equal((await posted).status, 201)
  await stopped
  await assert.rejects(fetch(server.url))
})

test('closing waits at most 5 s for a request in progress', async () => {
  const herder = new SlowHerder()
  const clock = fakeClock()
  const server = await start({ gate: HerderGate.opened(herder), clock })
  const posted = assert.rejects(
    fetch(`${server.url}/connectors`, { method: 'POST', headers: json, body: registration }),
  )
  await herder.arrived
  const stopped = server[Symbol.asyncDispose]()
  await clock.advance(5_000)
  await posted
  await stopped
})

test('keeps a connection open for the next request of a client', async () => {
  await using server = await start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = [await localPortOf(server.port, agent), await localPortOf(server.port, agent)]
  agent.destroy()
  assert.equal(ports[0], ports[1])
})

/** Stores a registration when the test calls `store`. */
class SlowHerder extends MemoryHerder {
  readonly #arrival = Promise.withResolvers<void>()
  readonly #storing = Promise.withResolvers<void>()
  readonly arrived: Promise<void> = this.#arrival.promise

  store(): void {
    this.#storing.resolve()
  }

  override async createConnector(request: Parameters<MemoryHerder['createConnector']>[0]): Promise<ConnectorInfo> {
    this.#arrival.resolve()
    await this.#storing.promise
    return super.createConnector(request)
  }
}

function start(options: Partial<RestServerOptions> = {}): Promise<RestServer> {
  const gate = HerderGate.opened(new MemoryHerder())
  return startRestServer({ host: '127.0.0.1', port: 0, gate, logger: silentLogger, ...options })
}

/** Opens a connection and resolves when its first request is answered. */
function openIdleConnection(port: number): Promise<{ readonly closed: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise<void>((close) => socket.on('close', () => close()))
    socket.on('error', reject)
    socket.once('data', () => resolve({ closed }))
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  })
}

/** Sends the first part of a request and closes the connection. */
function sendAndLeave(port: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, () => socket.destroy()))
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

function localPortOf(port: number, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', agent }, (answer) => {
      const { localPort } = answer.socket
      answer.resume().on('end', () => resolve(localPort))
    })
    sent.on('error', reject).end()
  })
}
