import { CodedError, systemClock, toError } from '@tributary/support'
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { ConfluentRegistry } from './confluent-registry.ts'
import { HttpClient } from './http-client.ts'
import { RegistryAnswers } from './registry-answers.ts'
import { confluentPropertyNames } from './registry-property-names.ts'

const never = new AbortController().signal

interface Outcome {
  readonly error: CodedError
  /** Bytes that the registry has sent. */
  readonly sent: number
}

const CHUNK = Buffer.alloc(65_536, '[')

/** Writes until the client closes the connection. */
async function flood(socket: Socket, chunk: Buffer): Promise<void> {
  while (!socket.destroyed) if (!socket.write(chunk)) await once(socket, 'drain')
}

/** How a client fails at a registry that answers each request like that. */
async function outcomeOf(
  answer: (socket: Socket) => void | Promise<void>,
  ask: (registry: ConfluentRegistry) => Promise<unknown>,
  timeoutMs = 20_000,
): Promise<Outcome> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => void Promise.resolve(answer(socket)).catch(() => undefined))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const http = new HttpClient({
    urls: [new URL(`http://127.0.0.1:${port}`)],
    headers: { Authorization: 'Basic c2VjcmV0' },
    usesUrlLogin: false,
    tls: {},
    trustProperty: 'trust',
    timeoutMs,
    clock: systemClock,
  })
  const names = confluentPropertyNames('value.converter.')
  const options = { isAutomatic: true, usesLatest: false, isNormalized: false }
  const registry = new ConfluentRegistry(new RegistryAnswers(http, names), options)
  const error = await ask(registry).then(() => new Error('the answer was accepted'), toError)
  const sent = sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  for (const socket of sockets) socket.destroy()
  server.close()
  assert.ok(error instanceof CodedError, error.stack)
  return { error, sent }
}

const check = (registry: ConfluentRegistry): Promise<void> => registry.check(never)
const schema = (registry: ConfluentRegistry): Promise<unknown> => registry.schemaOf(1n, never)

function answered(body: string): (socket: Socket) => void {
  return (socket) => void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}

test('an answer without end is cut off', async () => {
  for (const head of ['Content-Length: 1073741824', 'Connection: close']) {
    const { error, sent } = await outcomeOf((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`)
      return flood(socket, CHUNK)
    }, check)
    assert.equal(error.code, 'REGISTRY_NOT_REACHED')
    assert.match(error.message, /the answer is longer than 16 MiB/)
    assert.match(error.message, /value\.converter\.schema\.registry\.url/)
    assert.ok(sent < 64 << 20, `${sent} bytes were sent`)
  }
})

test('endless headers, and bytes that are not HTTP, are cut off', async () => {
  const endless = await outcomeOf((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    return flood(socket, Buffer.from('X-Header: x\r\n'.repeat(1000)))
  }, check)
  assert.equal(endless.error.code, 'REGISTRY_NOT_REACHED')
  assert.match(endless.error.message, /Header overflow/i)
  const alert = await outcomeOf((socket) => void socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46])), check)
  assert.equal(alert.error.code, 'REGISTRY_NOT_REACHED')
})

for (const [what, answer] of [
  ['never answers', () => undefined],
  ['sends byte by byte', drip],
] as const) {
  test(`a registry that ${what} fails the request after the time for it`, async () => {
    const { error } = await outcomeOf(answer, check, 200)
    assert.equal(error.code, 'REGISTRY_NOT_REACHED')
    assert.match(error.message, /no answer within 200 ms/)
  })
}

async function drip(socket: Socket): Promise<void> {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
  while (!socket.destroyed) {
    socket.write(' ')
    await systemClock.sleep(2)
  }
}

test('JSON with more values or levels than any schema is not parsed', async () => {
  const wide = `[${'{},'.repeat(5_000_000)}{}]`
  const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
  for (const body of [wide, deep]) {
    const { error } = await outcomeOf(answered(body), schema)
    assert.equal(error.code, 'REGISTRY_ANSWER')
    assert.match(error.message, /the body has more values, or nests them more deeply, than a schema of any table/)
  }
  const quoted = `{"schema":"${'[{,'.repeat(300_000)}\\\\\\"[[["}`
  const http = await outcomeOf(answered(quoted.replace('"schema"', '"other"')), schema)
  // The brackets in a string do not count.
  assert.match(http.error.message, /schema is missing/)
})

test('a redirect is reported and not followed', async () => {
  const { error } = await outcomeOf(
    (socket) =>
      void socket.end(
        'HTTP/1.1 302 Found\r\nLocation: https://u:secret@other.example/login?x=y\r\nContent-Length: 0\r\n\r\n',
      ),
    check,
  )
  assert.equal(error.code, 'REGISTRY_ANSWER')
  assert.match(error.message, /status 302, which redirects to https:\/\/other\.example\/login\. /)
  const other = await outcomeOf(
    (socket) => void socket.end('HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
    schema,
  )
  assert.match(other.error.message, /status 301, which redirects to \/elsewhere/)
})
