import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { seededRandom } from '@tributary/testkit'
import { packetOf, silentSocket } from '../testing/captured-binlog.ts'
import { PacketReader } from './packet-reader.ts'

const FULL = 0xff_ff_ff
const MIB = 1 << 20

/** Sizes around those at which the next packet continues a payload, or a chunk ends within a header. */
const SIZES = [0, 1, 3, 4, 250, 65_536, MIB, FULL - 1, FULL, FULL + 1, 2 * FULL, 2 * FULL + 5]

function payloadOf(size: number): Buffer {
  const payload = Buffer.alloc(size)
  for (let at = 0; at < size; at += 4096) payload[at] = (at >> 12) & 0xff
  if (size > 0) payload[size - 1] = 0x7f
  return payload
}

/** Pushes the bytes in chunks and returns the packets. */
function packetsFrom(bytes: Buffer, chunkBytes: () => number): Buffer[] {
  const reader = new PacketReader(silentSocket())
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = at + chunkBytes()
    reader.push(bytes.subarray(at, end))
    at = end
    while (reader.next()) packets.push(Buffer.from(reader.bytes.subarray(reader.start, reader.end)))
  }
  assert.equal(reader.isDrained, true)
  return packets
}

test('payloads of every size are complete, whatever the sizes of the chunks', () => {
  const payloads = SIZES.map(payloadOf)
  const bytes = Buffer.concat(payloads.map((payload) => packetOf(payload)))
  const random = seededRandom(1)

  for (const chunkBytes of [() => bytes.length, () => 65_536, () => random.integer(1, 300_000)]) {
    const packets = packetsFrom(bytes, chunkBytes)
    assert.equal(packets.length, payloads.length)
    for (const [i, packet] of packets.entries()) assert.ok(packet.equals(payloads[i] as Buffer), `size ${SIZES[i]}`)
  }
})

test('small packets are complete when each byte arrives in a chunk of its own', () => {
  const payloads = [0, 1, 2, 300].map(payloadOf)

  const packets = packetsFrom(Buffer.concat(payloads.map((payload) => packetOf(payload))), () => 1)

  assert.deepEqual(packets, payloads)
})

test('the sequence number of a continued packet is that of its last part', () => {
  const reader = new PacketReader(silentSocket())
  reader.push(packetOf(payloadOf(FULL + 1), 254))
  reader.push(packetOf(payloadOf(1), 7))

  assert.equal(reader.next(), true)
  assert.equal(reader.sequence, 255)
  assert.equal(reader.next(), true)
  assert.equal(reader.sequence, 7)
})

/** A flowing socket, and whether it is paused. */
function pausable(): { socket: Duplex; isPaused: () => boolean } {
  const socket = silentSocket()
  socket.resume()
  return { socket, isPaused: () => socket.isPaused() }
}

test('pauses the socket while more than a mebibyte waits, and resumes it at half of that', () => {
  const { socket, isPaused } = pausable()
  const reader = new PacketReader(socket)
  const chunk = packetOf(payloadOf(100_000))
  let waiting = 0
  while (!isPaused()) {
    reader.push(chunk)
    waiting += chunk.length
  }
  assert.ok(waiting > MIB && waiting <= MIB + chunk.length)

  while (isPaused()) {
    assert.equal(reader.next(), true)
    waiting -= chunk.length
  }
  assert.ok(waiting <= MIB / 2 && waiting > MIB / 2 - 2 * chunk.length)
})

test('reads a packet larger than the queue to its end, and no further', async () => {
  const { socket, isPaused } = pausable()
  const reader = new PacketReader(socket)
  const bytes = Buffer.concat([packetOf(payloadOf(20 * MIB)), packetOf(payloadOf(8 * MIB))])
  let at = 0
  while (!reader.next()) {
    // `next` must have resumed the socket: while paused, these bytes would never arrive.
    assert.equal(isPaused(), false)
    reader.push(bytes.subarray(at, (at += 256 * 1024)))
    await reader.wait()
  }
  assert.ok(at <= 20 * MIB + 8 + 256 * 1024)
  assert.equal(reader.end - reader.start, 20 * MIB)
})

test('complete packets can be read after the connection has ended; then waiting throws its error', async () => {
  const reader = new PacketReader(silentSocket())
  reader.push(packetOf(payloadOf(5)))
  reader.push(packetOf(payloadOf(9)).subarray(0, 6))
  reader.fail(new Error('reset by peer'))
  reader.fail(new Error('a later one'))

  assert.equal(reader.next(), true)
  assert.equal(reader.next(), false)
  await assert.rejects(reader.wait(), { message: 'reset by peer' })
  assert.equal(reader.isDrained, false)
})

test('waiting ends when bytes arrive, when the connection ends, and when the signal fires', async () => {
  const reader = new PacketReader(silentSocket())
  assert.equal(reader.next(), false)
  const arrival = reader.wait()
  reader.push(packetOf(payloadOf(1)))
  await arrival
  assert.equal(reader.next(), true)
  assert.equal(reader.next(), false)

  const stop = new AbortController()
  const stopped = reader.wait(stop.signal)
  stop.abort()
  await assert.rejects(stopped, { name: 'StoppedError' })

  const end = reader.wait()
  reader.fail(new Error('ended'))
  await end
  assert.equal(reader.next(), false)
  await assert.rejects(reader.wait(), { message: 'ended' })
})

test('waiting returns at once when bytes arrived after the last look', async () => {
  const reader = new PacketReader(silentSocket())
  assert.equal(reader.next(), false)
  reader.push(packetOf(payloadOf(3)))

  await reader.wait()

  assert.equal(reader.next(), true)
})

test('a packet whose chunks are adjacent in memory is not copied', () => {
  const reader = new PacketReader(silentSocket())
  const block = Buffer.concat([packetOf(payloadOf(1000)), packetOf(payloadOf(3)), packetOf(payloadOf(2000))])
  const ends = [600, 1004, 1005, 1011, 2500, block.length]
  const found: (readonly [number, number])[] = []
  for (const [i, end] of ends.entries()) {
    reader.push(block.subarray(ends[i - 1] ?? 0, end))
    while (reader.next()) {
      const at = reader.bytes.byteOffset + reader.start - block.byteOffset
      found.push([at, at + reader.end - reader.start])
    }
  }

  assert.deepEqual(found, [
    [4, 1004],
    [1008, 1011],
    [1015, 3015],
  ])
  assert.equal(reader.isDrained, true)
})
