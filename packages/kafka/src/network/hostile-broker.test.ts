import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { CodedError, systemClock, toError } from '@tributary/support'
import { FETCH_API_KEY, FETCH_VERSION, fetchRequest, parseFetchResponse } from '../protocol/fetch.ts'
import { apiVersions, framed, simulate } from '../testing/simulated-broker.ts'
import type { BrokerConnection } from './broker-connection.ts'
import { openBrokerConnection } from './broker-login.ts'

/** Every request that the client needs, in all versions. */
const ALL = [0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 19, 20, 22, 32, 44].map((key) => [key, 0, 20] as const)
const API_VERSIONS = 18

const options = {
  clientId: 'test',
  onUnencrypted: () => undefined,
  tls: null,
  sasl: null,
  connectTimeoutMs: 20_000,
  clock: systemClock,
}

function open(port: number, requestTimeoutMs: number): Promise<BrokerConnection> {
  return openBrokerConnection({ host: '127.0.0.1', port }, { ...options, requestTimeoutMs })
}

/** A size, then the correlation id of the request, then the start of a body. */
function claimed(request: Buffer, size: number, body = ''): Buffer {
  const head = Buffer.alloc(4)
  head.writeInt32BE(size)
  return Buffer.concat([head, request.subarray(8, 12), Buffer.from(body, 'latin1')])
}

/** How the login fails at a broker that answers ApiVersions like that. */
async function loginFailure(
  answer: (request: Buffer, socket: Socket) => void,
  requestTimeoutMs = 20_000,
): Promise<Error> {
  await using broker = await simulate(answer)
  try {
    await using connection = await open(broker.port, requestTimeoutMs)
    assert.fail(`${connection.broker} was opened`)
  } catch (thrown) {
    return toError(thrown)
  }
}

const refused: readonly (readonly [what: string, answer: (request: Buffer) => Buffer, reason: RegExp])[] = [
  ['a frame of 2 GiB', (request) => claimed(request, 2 ** 31 - 1), /it sent a response of 2147483647 bytes/],
  [
    'a description of more than 16 MiB, before its bytes arrive',
    (request) => claimed(request, 2 ** 24 + 1),
    /it sent a response of 16777217 bytes, and responses of its kind have at most 16777216/,
  ],
  // error_code 0, then a compact array of 2^32 - 2 entries, none of which follows.
  [
    'an array with more entries than its bytes',
    (request) => framed(request, Buffer.from([0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f])),
    /its response to a ApiVersions request cannot be read \(Out of bounds/,
  ],
  ['an empty body', (request) => framed(request, Buffer.alloc(0)), /response to a ApiVersions request cannot be read/],
  ['a TLS alert', () => Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46]), /it sent a response of 352518912 bytes/],
  [
    'a response to no request',
    () => Buffer.from([0, 0, 0, 5, 0, 0, 0x27, 0x0f, 0]),
    /it sent a response to no request \(correlation id 9999\)/,
  ],
]

for (const [what, answer, reason] of refused) {
  test(`${what} is refused`, async () => {
    const failure = await loginFailure((request, socket) => socket.write(answer(request)))
    assert.ok(failure instanceof CodedError, failure.stack)
    assert.equal(failure.code, 'NOT_A_BROKER')
    assert.match(failure.message, reason)
  })
}

test('a response that arrives byte by byte does not outlast the time for it', async () => {
  const failure = await loginFailure((request, socket) => {
    socket.setNoDelay(true)
    socket.write(claimed(request, 2 ** 24))
    const drip = async (): Promise<void> => {
      while (!socket.destroyed) {
        socket.write('x')
        await systemClock.sleep(1)
      }
    }
    void drip()
  }, 300)
  assert.ok(failure instanceof CodedError)
  assert.equal(failure.code, 'REQUEST_TIMED_OUT')
  assert.match(failure.message, /did not answer a ApiVersions request within 300 ms/)
})

/** The outcome of a Fetch request at a broker that answers it like that after a correct login. */
async function fetchFailure(answer: (request: Buffer, socket: Socket) => void): Promise<CodedError> {
  await using broker = await simulate((request, socket) => {
    if (request.readInt16BE(4) === API_VERSIONS) socket.write(apiVersions(request, ALL))
    else answer(request, socket)
  })
  await using connection = await open(broker.port, 20_000)
  const partitions = [{ partition: 0, offset: 0n }]
  const body = fetchRequest({ topic: 't', partitions, maxWaitMs: 0, maxBytes: 1, isCommittedOnly: false })
  const request = { apiKey: FETCH_API_KEY, apiVersion: FETCH_VERSION, body, parse: parseFetchResponse }
  const failure = await new Promise<Error | null>((resolve) => connection.sendFramed(request, resolve))
  assert.ok(failure instanceof CodedError, String(failure))
  return failure
}

test('a response of four bytes fails its request, not the process', async () => {
  const failure = await fetchFailure((request, socket) => socket.write(framed(request, Buffer.alloc(0))))
  assert.equal(failure.code, 'NOT_A_BROKER')
  assert.match(failure.message, /its response to a Fetch request cannot be read/)
})

test('a broker that never stops sending frames loses its connection', async () => {
  let sent = 0
  const failure = await fetchFailure((request, socket) => {
    const unwanted = Buffer.alloc(65_536, Buffer.from([0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff]))
    const flood = async (): Promise<void> => {
      while (!socket.destroyed) {
        sent += unwanted.length
        if (!socket.write(unwanted)) await once(socket, 'drain')
      }
    }
    socket.write(framed(request, Buffer.alloc(20)).subarray(0, 10))
    void flood().catch(() => undefined)
  })
  assert.equal(failure.code, 'NOT_A_BROKER')
  assert.ok(sent < 64 << 20, `${sent} bytes were sent`)
})
