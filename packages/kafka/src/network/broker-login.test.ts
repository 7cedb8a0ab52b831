import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { isRetriable, StoppedError, systemClock, toError } from '@tributary/support'
import { openBrokerConnection, type LoginOptions } from './broker-login.ts'

/*
 * Brokers that are not available for tests (old ones, broken ones) are simulated by a server that answers every request
 * in one way.
 */

interface SimulatedBroker extends AsyncDisposable {
  readonly port: number
}

async function simulate(answer: (request: Buffer, socket: Socket) => void): Promise<SimulatedBroker> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (request) => answer(request, socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const options: LoginOptions = {
  clientId: 'test',
  tls: null,
  sasl: null,
  onUnencrypted: () => undefined,
  connectTimeoutMs: 300,
  requestTimeoutMs: 5000,
  clock: systemClock,
}

async function failureOf(port: number, signal?: AbortSignal): Promise<Error & { code?: string }> {
  try {
    const connection = await openBrokerConnection({ host: '127.0.0.1', port }, options, signal)
    await connection.close()
  } catch (thrown) {
    return toError(thrown)
  }
  throw new Error('the connection was opened')
}

/** ApiVersions response, version 3, to this request. */
function apiVersions(request: Buffer, versions: readonly (readonly [key: number, min: number, max: number])[]): Buffer {
  const entries = versions.map(([key, min, max]) => Buffer.from([key >> 8, key & 255, 0, min, 0, max, 0]))
  // error_code, compact array length, entries, throttle_time_ms, tagged fields
  return framed(
    request,
    Buffer.concat([Buffer.from([0, 0, versions.length + 1]), ...entries, Buffer.from([0, 0, 0, 0, 0])]),
  )
}

function framed(request: Buffer, body: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(4 + body.length)
  return Buffer.concat([size, request.subarray(8, 12), body])
}

test('the error of a broker that is too old names the request, the offered versions and the required one', async () => {
  await using kafka24 = await simulate((request, socket) =>
    socket.write(
      apiVersions(request, [
        [0, 0, 8],
        [1, 0, 11],
        [3, 0, 9],
      ]),
    ),
  )
  const old = await failureOf(kafka24.port)
  assert.equal(old.code, 'BROKER_TOO_OLD')
  assert.match(old.message, /supports Produce in versions 0 to 8, Tributary needs version 9.*Kafka 2\.8/)

  await using partial = await simulate((request, socket) =>
    socket.write(
      apiVersions(request, [
        [0, 3, 12],
        [1, 4, 17],
      ]),
    ),
  )
  assert.match(
    (await failureOf(partial.port)).message,
    /supports ListOffsets in versions none, Tributary needs version 6/,
  )

  // Version 0 of the response with UNSUPPORTED_VERSION (35) and an empty array.
  await using ancient = await simulate((request, socket) =>
    socket.write(framed(request, Buffer.from([0, 35, 0, 0, 0, 0]))),
  )
  assert.match((await failureOf(ancient.port)).message, /supports ApiVersions in versions below 3/)
})

test('a server that is not a broker is a permanent error; one that does not answer is retriable', async () => {
  await using web = await simulate((_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await using closing = await simulate((_, socket) => socket.end())
  await using silent = await simulate(() => undefined)
  await using stopped = await simulate(() => undefined)
  await stopped[Symbol.asyncDispose]()
  const table: readonly (readonly [port: number, code: string, retriable: boolean, message: RegExp])[] = [
    [web.port, 'NOT_A_BROKER', false, /security\.protocol/],
    [closing.port, 'CONNECTION_LOST', true, /the broker closed it/],
    [silent.port, 'BROKER_UNREACHABLE', true, /does not answer within 300 ms/],
    [stopped.port, 'BROKER_UNREACHABLE', true, /ECONNREFUSED/],
  ]
  for (const [port, code, retriable, message] of table) {
    const failure = await failureOf(port)
    assert.equal(failure.code, code)
    assert.equal(isRetriable(failure), retriable, code)
    assert.match(failure.message, message)
  }
})

test('the signal stops the opening of a connection', async () => {
  await using silent = await simulate(() => undefined)

  assert.ok((await failureOf(silent.port, AbortSignal.timeout(30))) instanceof StoppedError)
  assert.ok((await failureOf(silent.port, AbortSignal.abort())) instanceof StoppedError)
})
