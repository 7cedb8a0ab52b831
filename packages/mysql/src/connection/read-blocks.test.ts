import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, connect as connectTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { eventually, seededRandom } from '@tributary/testkit'
import { packetOf } from '../testing/captured-binlog.ts'
import { PacketReader } from './packet-reader.ts'
import { ReadBlocks } from './read-blocks.ts'

const MIB = 1 << 20
const PSK = { psk: Buffer.alloc(16, 7), identity: 'test' }
/** Without certificates: both sides know a key. */
const TLS = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2', pskCallback: () => PSK } as const

type Kind = 'TCP' | 'TLS'
const KINDS: readonly Kind[] = ['TCP', 'TLS']

/** Both ends of a connection. TLS starts on an existing socket, as in the driver. */
async function pair(t: TestContext, kind: Kind): Promise<{ readonly far: Socket; readonly near: Socket }> {
  const server: Server =
    kind === 'TCP' ? createServer() : createTlsServer({ ...TLS, pskCallback: () => PSK.psk, pskIdentityHint: '' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, kind === 'TCP' ? 'connection' : 'secureConnection') as Promise<[Socket]>
  const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
  const near = kind === 'TCP' ? socket : connectTls({ ...TLS, socket, checkServerIdentity: () => undefined })
  const [far] = await accepted
  t.after(() => {
    near.destroy()
    far.destroy()
    server.close()
  })
  // As in the driver: the socket flows already, and has emitted the first bytes as an event.
  const first = once(near, 'data')
  far.write('hello')
  await first
  return { far, near }
}

/** Bytes that each differ from the one 256 bytes before. */
function pattern(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let i = 0; i < size; i++) bytes[i] = (i + (i >> 8) + (i >> 16)) & 255
  return bytes
}

for (const kind of KINDS) {
  test(`${kind}: bytes arrive complete, in order, in few buffers and without data events`, async (t) => {
    const { far, near } = await pair(t, kind)
    const chunks: Buffer[] = []
    let emitted = 0
    near.on('data', (bytes: Buffer) => (emitted += bytes.length))
    assert.ok(ReadBlocks.of(near, (bytes) => chunks.push(bytes)) !== null, 'this Node reads into blocks')
    const sent = pattern(5 * MIB)
    far.end(sent)
    await once(near, 'close')

    assert.ok(Buffer.concat(chunks).equals(sent))
    assert.equal(emitted, 0)
    const buffers = new Set(chunks.map(({ buffer }) => buffer))
    assert.ok(buffers.size <= 24, `${buffers.size} buffers`)
  })

  test(`${kind}: a paused socket delivers only bytes in flight, and the rest after it is resumed`, async (t) => {
    const { far, near } = await pair(t, kind)
    const chunks: Buffer[] = []
    let received = 0
    let wasPaused = false
    const sent = pattern(40 * MIB)
    ReadBlocks.of(near, (bytes) => {
      chunks.push(bytes)
      received += bytes.length
      if (wasPaused || received < MIB) return
      wasPaused = true
      near.pause()
    })
    far.write(sent)
    let before = -1
    await eventually('no more bytes arrive', () => {
      const isStill = near.isPaused() && received === before
      before = received
      return isStill
    })
    assert.ok(received < 4 * MIB, `${received} bytes arrived`)
    near.resume()
    await eventually('all bytes have arrived', () => received === sent.length)

    assert.ok(Buffer.concat(chunks).equals(sent))
  })
}

test('a packet keeps its content until it is recycled, also across two blocks and with much read ahead', async (t) => {
  const { far, near } = await pair(t, 'TLS')
  const random = seededRandom(3)
  const payloads = Array.from({ length: 2000 }, (_, i) => Buffer.alloc(random.integer(1, 20_000), i))
  const blocks = ReadBlocks.of(near, (bytes) => reader.push(bytes))
  const reader = new PacketReader(near, blocks)
  near.on('close', () => reader.fail(new Error('the end')))
  far.end(Buffer.concat(payloads.map((payload) => packetOf(payload))))
  // Like a poll: compares the views of several packets after more bytes have been read.
  for (let first = 0, count = 0; first < payloads.length; first += count) {
    reader.recycle()
    count = random.integer(1, 8)
    const expected = payloads.slice(first, first + count)
    const given: Buffer[] = []
    while (given.length < expected.length) {
      if (reader.next()) given.push(reader.bytes.subarray(reader.start, reader.end))
      else await reader.wait()
    }
    await new Promise((resolve) => setImmediate(resolve))
    for (const [i, payload] of expected.entries()) assert.ok(payload.equals(given[i] as Buffer), `packet ${first + i}`)
  }
})

test('a socket with buffered bytes is not changed: new bytes would overtake them', async (t) => {
  const { far, near } = await pair(t, 'TCP')
  near.pause()
  far.write('old')
  await eventually('the bytes are buffered', () => near.readableLength > 0)

  assert.equal(
    ReadBlocks.of(near, () => undefined),
    null,
  )
})

test('recycled blocks are read into again, the others keep their content', async (t) => {
  const { far, near } = await pair(t, 'TCP')
  let chunks: Buffer[] = []
  let received = 0
  const blocks = ReadBlocks.of(near, (bytes) => {
    chunks.push(bytes)
    received += bytes.length
  })
  const receive = async (bytes: Buffer): Promise<Buffer[]> => {
    chunks = []
    received = 0
    far.write(bytes)
    await eventually('all bytes have arrived', () => received === bytes.length)
    return chunks
  }
  blocks?.recycle([])
  const first = await receive(pattern(2 * MIB))
  const kept = first.at(-1) as Buffer
  const content = Buffer.from(kept)
  blocks?.recycle([kept])
  const second = await receive(pattern(MIB))

  const known = new Set(first.map(({ buffer }) => buffer))
  const unknown = new Set(second.map(({ buffer }) => buffer)).difference(known)
  assert.ok(unknown.size <= 1, 'only the block after the kept one may be new')
  assert.ok(kept.equals(content))
  await receive(pattern(3 * MIB))
  // The blocks of the second chunk were not recycled.
  assert.ok(Buffer.concat(second).equals(pattern(MIB)))
  assert.ok(kept.equals(content))
})

test('the first callback of a socket stays, and later calls return the same blocks', async (t) => {
  const { far, near } = await pair(t, 'TCP')
  const received: string[] = []
  const blocks = ReadBlocks.of(near, (bytes) => received.push(bytes.toString()))

  assert.equal(
    ReadBlocks.of(near, () => received.push('the second')),
    blocks,
  )
  far.write('one')
  await eventually('the bytes have arrived', () => received.length > 0)
  assert.deepEqual(received, ['one'])
})

test('a stream without the fields of a socket is not changed', async () => {
  const stream = new PassThrough()
  assert.equal(
    ReadBlocks.of(stream, () => assert.fail('it does not read into blocks')),
    null,
  )
  const data = once(stream, 'data')
  stream.write('as before')
  assert.deepEqual((await data).map(String), ['as before'])
})
