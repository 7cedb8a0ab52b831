/** On real sockets, whose system refuses bytes while the other end does not read. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { RequestWriter, usualSendBuffer, type OutgoingRequest, type RequestWriterOptions } from './request-writer.ts'

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

function writerOn(socket: Socket, options: Partial<RequestWriterOptions> = {}): RequestWriter {
  const unexpected = (): never => assert.fail('the connection is dropped')
  const callbacks = { onForbidden: unexpected, onEndNotTaken: unexpected }
  return new RequestWriter({ socket, sendBuffer: usualSendBuffer(), isOpaque: false, ...callbacks, ...options })
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
  const forbidden = Promise.withResolvers<void>()
  const writer = writerOn(pair.client, { onForbidden: () => forbidden.resolve() })
  writer.write(request('a', LARGE_BYTES, () => isAllowed))
  writer.write(request('b', 100))
  assert.ok(pair.client.writableLength > 0, 'the system has taken a part only')
  isAllowed = false

  const arrived = arriving(pair.server)
  await forbidden.promise
  pair.client.end()
  assert.equal((await arrived).length, LARGE_BYTES - 1)
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
  const sendBuffer = usualSendBuffer()
  const small = request('b', 100, () => true)
  {
    await using pair = await connected()
    let isDropped = false
    const writer = writerOn(pair.client, { sendBuffer, onEndNotTaken: () => (isDropped = true) })
    // As if the buffer were smaller than the small request: what fills it is not counted.
    const large = request('a', LARGE_BYTES)
    writer.write(large)
    writer.onAnswer(large.bytes)
    writer.write(small)
    assert.equal(isDropped, true)
  }
  await using pair = await connected()
  const writer = writerOn(pair.client, { sendBuffer })
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
