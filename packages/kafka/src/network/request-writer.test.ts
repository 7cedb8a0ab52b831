import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import type { BrokerSocket } from '../api/broker-socket.ts'
import { nextTurn } from '@tributary/support'
import { RequestWriter, usualSystemBuffer, type OutgoingRequest, type RequestWriterOptions } from './request-writer.ts'

/** More than the send buffer of one end and the receive buffer of the other. */
const LARGE_BYTES = 32 * 2 ** 20

interface Connected extends AsyncDisposable {
  readonly client: Socket
  /** Reads nothing until it is asked to. */
  readonly server: Socket
}

async function connected(): Promise<Connected> {
  const listener = createServer({ pauseOnConnect: true })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const accepted = once(listener, 'connection')
  const client = connect({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port, noDelay: true })
  client.on('error', () => undefined)
  await once(client, 'connect')
  const [server] = (await accepted) as [Socket]
  server.on('error', () => undefined)
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      client.destroy()
      server.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

function request(content: string, repeat: number, maySend?: () => boolean): OutgoingRequest {
  const bytes = Buffer.alloc(repeat, content)
  const middle = Math.floor(repeat / 2)
  return { chunks: [bytes.subarray(0, middle), bytes.subarray(middle)], bytes: repeat, maySend }
}

function writerOn(socket: BrokerSocket, options: Partial<RequestWriterOptions> = {}): RequestWriter {
  const unexpected = (): never => assert.fail('the connection is dropped')
  const defaults = { systemBuffer: usualSystemBuffer(), isOpaque: false, clock: fakeClock() }
  return new RequestWriter({
    socket,
    ...defaults,
    onForbidden: unexpected,
    onEndNotTaken: unexpected,
    ...options,
  })
}

/** Everything that arrives until the connection ends, or as many bytes. */
async function arriving(socket: Socket, bytesMax = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= bytesMax) socket.destroy()
  })
  socket.resume()
  if (!socket.destroyed) await once(socket, 'close')
  return Buffer.concat(chunks)
}

// On real sockets, whose system refuses bytes while the other end does not read.

test('requests arrive whole and in order, whatever their size and whether they are guarded', async () => {
  await using pair = await connected()
  const writer = writerOn(pair.client)
  const requests = [
    request('a', 100, () => true),
    request('b', LARGE_BYTES, () => true),
    request('c', 3, () => true),
    request('d', 100),
    request('e', 2, () => true),
    request('f', LARGE_BYTES, () => true),
    request('g', 1, () => true),
  ]
  for (const each of requests) writer.write(each)
  const expected = Buffer.concat(requests.flatMap(({ chunks }) => chunks))
  assert.ok((await arriving(pair.server, expected.length)).equals(expected))
})

test('the end of a guarded request that waits for room is not sent when it may not be any more', async () => {
  await using pair = await connected()
  let isAllowed = true
  const writer = writerOn(pair.client, { onForbidden: () => pair.client.end() })
  writer.write(request('a', LARGE_BYTES, () => isAllowed))
  writer.write(request('b', 100))
  assert.ok(pair.client.writableLength > 0, 'the system has taken a part only')
  isAllowed = false

  assert.equal((await arriving(pair.server, LARGE_BYTES)).length, LARGE_BYTES - 1)
})

test('a request that may not be sent is not begun', async () => {
  await using pair = await connected()
  let isForbidden = false
  const writer = writerOn(pair.client, { onForbidden: () => (isForbidden = true) })
  const one = request('a', 100, () => false)
  writer.write(one)
  writer.write(request('b', 100))
  assert.equal(isForbidden, true)
  pair.client.end()
  assert.equal((await arriving(pair.server)).length, 0)
})

test('a small guarded request that a send buffer does not take ends the connection, and goes in parts on the next', async () => {
  const systemBuffer = usualSystemBuffer()
  const small = request('b', 100, () => true)
  {
    await using pair = await connected()
    let isDropped = false
    const writer = writerOn(pair.client, { systemBuffer, onEndNotTaken: () => (isDropped = true) })
    // As if the buffer were smaller than the small request: what fills it is not counted.
    const large = request('a', LARGE_BYTES)
    writer.write(large)
    writer.onAnswer(large.bytes)
    writer.write(small)
    assert.equal(isDropped, true)
  }
  await using pair = await connected()
  const writer = writerOn(pair.client, { systemBuffer })
  const large = request('a', LARGE_BYTES)
  writer.write(large)
  writer.onAnswer(large.bytes)
  writer.write(small)
  const expected = Buffer.concat([...large.chunks, ...small.chunks])
  assert.ok((await arriving(pair.server, expected.length)).equals(expected))
})

test('a large guarded request behind one that the system has not taken waits for it', async () => {
  await using pair = await connected()
  const writer = writerOn(pair.client)
  const requests = [request('a', LARGE_BYTES), request('b', 20_000, () => true), request('c', 100, () => true)]
  for (const each of requests) writer.write(each)
  const expected = Buffer.concat(requests.flatMap(({ chunks }) => chunks))
  assert.ok((await arriving(pair.server, expected.length)).equals(expected))
})

// On a socket whose system takes each write whole until its buffer is full, as Linux does with the last segment.

const BYTES = 20_000

test('a buffer that is full after the first part of a request has room for its end before that is written', async () => {
  const socket = new LimitedSocket(BYTES - 2)
  writerOn(socket).write(request('a', BYTES, () => true))
  assert.equal(socket.takenBytes, BYTES - 2)
  socket.makeRoom()
  await nextTurn()
  assert.deepEqual([socket.takenBytes, socket.writableLength], [BYTES, 0])
})

test('a buffer that is full at the end of a request ends the connection once; the next one waits for room', async () => {
  const systemBuffer = usualSystemBuffer()
  const clock = fakeClock()
  let drops = 0
  const full = new LimitedSocket(BYTES - 1)
  const one = request('a', BYTES, () => true)
  writerOn(full, { systemBuffer, clock, onEndNotTaken: () => (drops += 1) }).write(one)
  assert.deepEqual([full.takenBytes, full.writableLength, drops], [BYTES - 1, 1, 1])

  const next = new LimitedSocket(BYTES - 1)
  const writer = writerOn(next, { systemBuffer, clock })
  // As when a connection is opened: other requests of the client are answered first.
  const versions = request('v', 50)
  writer.write(versions)
  next.takenBytes = 0
  writer.onAnswer(versions.bytes)
  writer.write(one)
  writer.write(request('b', 100))
  assert.deepEqual([next.takenBytes, next.writableLength], [BYTES - 1, 0])
  next.makeRoom()
  await clock.advance(1_000)
  assert.deepEqual([next.takenBytes, next.writableLength], [BYTES + 100, 0])

  const third = new LimitedSocket(BYTES)
  writerOn(third, { systemBuffer, clock }).write(one)
  assert.equal(third.takenBytes, BYTES, 'it does not wait any more')
})

test('the end of a request that waited for room is not sent when it may not be any more', async () => {
  const clock = fakeClock()
  let isAllowed = true
  let forbidden = 0
  const socket = new LimitedSocket(BYTES)
  const systemBuffer = { ...usualSystemBuffer(), fullAtBytes: BYTES }
  const writer = writerOn(socket, { systemBuffer, clock, onForbidden: () => (forbidden += 1) })
  writer.write(request('a', BYTES, () => isAllowed))
  isAllowed = false
  await clock.advance(1_000)
  assert.deepEqual([socket.takenBytes, socket.writableLength, forbidden], [BYTES - 1, 0, 1])
})

test('a connection under TLS, which reports what was taken a turn later, is not dropped', async () => {
  const socket = new LimitedSocket(Infinity, { isLate: true })
  const writer = writerOn(socket, { isOpaque: true })
  for (const bytes of [100, BYTES, 100]) writer.write(request('a', bytes, () => true))
  while (socket.writableLength > 0) await nextTurn()
  assert.equal(socket.takenBytes, BYTES + 200)
})

class LimitedSocket implements BrokerSocket {
  readonly destroyed = false
  takenBytes = 0
  readonly #isLate: boolean
  #fullAtBytes: number
  #corked: Buffer[] | null = null
  #kept: { readonly bytes: number; readonly onTaken: (() => void) | undefined }[] = []

  constructor(fullAtBytes: number, { isLate = false } = {}) {
    this.#fullAtBytes = fullAtBytes
    this.#isLate = isLate
  }

  get writableLength(): number {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  on(): void {
    // Nothing happens on it but writes.
  }

  cork(): void {
    this.#corked = []
  }

  uncork(): void {
    const bytes = Buffer.concat(this.#corked ?? []).length
    this.#corked = null
    this.#keep(bytes, undefined)
  }

  write(chunk: Buffer, onTaken?: () => void): void {
    if (this.#corked === null) this.#keep(chunk.length, onTaken)
    else this.#corked.push(chunk)
  }

  #keep(bytes: number, onTaken: (() => void) | undefined): void {
    this.#kept.push({ bytes, onTaken })
    if (this.#isLate) setImmediate(() => this.#take())
    else this.#take()
  }

  #take(): void {
    while (this.#kept.length > 0 && this.takenBytes < this.#fullAtBytes) {
      const write = this.#kept.shift()
      this.takenBytes += write?.bytes ?? 0
      // As a socket of Node: after the write has returned.
      if (write?.onTaken !== undefined) queueMicrotask(write.onTaken)
    }
  }

  /** The other end has read everything. */
  makeRoom(): void {
    this.#fullAtBytes = Infinity
    this.#take()
  }

  destroy(): void {
    this.#kept = []
  }

  resetAndDestroy(): void {
    this.#kept = []
  }
}
