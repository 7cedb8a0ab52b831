import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRetriable, StoppedError, systemClock, toError } from '@tributary/support'
import { apiVersions, framed, simulate } from '../testing/simulated-broker.ts'
import { openBrokerConnection, type LoginOptions } from './broker-login.ts'

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
