import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PacketReader } from '../connection/packet-reader.ts'
import { capturedBinlog, packetOf, rotateTo, silentSocket, summed } from '../testing/captured-binlog.ts'
import { BinlogReader } from './binlog-reader.ts'
import { ChecksumRun } from './checksum-run.ts'
import { EventType } from './event-type.ts'

const { events: captured } = capturedBinlog('mysql.01')

/** Packets as a dump sends them, with the positions of their events. */
class Sent {
  readonly bytes: Buffer
  readonly places: readonly (readonly [start: number, end: number])[]

  constructor(events: readonly Buffer[], marker = 0) {
    const packets = events.map((event, i) => packetOf(Buffer.concat([Buffer.of(marker), event]), 250 + i))
    let at = 0
    this.places = packets.map((packet) => [at + 5, (at += packet.length)] as const)
    this.bytes = Buffer.concat(packets)
  }

  /** For each event in order, whether the run covers it. */
  covered(run: ChecksumRun = new ChecksumRun()): boolean[] {
    return this.places.map(([start, end]) => run.covers(this.bytes, start, end))
  }
}

function eventsOf(...sizes: readonly number[]): Buffer[] {
  return sizes.map((size, i) => summed(Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + i) & 0xff))))
}

function trueFor(covered: readonly boolean[]): number[] {
  return covered.flatMap((isCovered, i) => (isCovered ? [i] : []))
}

test('the events of a real file are covered, and their packets stay unchanged', () => {
  const sent = new Sent([...captured, ...captured, ...captured])
  const before = Buffer.from(sent.bytes)
  // In a file that was open, the format description differs from what the server computed the checksum of.
  const inUse = captured.flatMap((event, i) =>
    event[4] === EventType.formatDescription && ((event[17] as number) & 1) !== 0 ? [i] : [],
  )
  assert.deepEqual(inUse, [])

  assert.equal(
    sent.covered().every((isCovered) => isCovered),
    true,
  )
  assert.deepEqual(sent.bytes, before)
})

test('with any wrong byte in any event, no event of its run is covered, later events are, and no byte changes', () => {
  const events = eventsOf(30, 75, 20, 300, 41)
  const right = eventsOf(50, 60, 70)
  for (const [i, event] of events.entries()) {
    for (let byte = 0; byte < event.length; byte++) {
      const wrong = Buffer.from(event)
      wrong[byte] = (wrong[byte] as number) ^ (1 << (byte % 8))
      const sent = new Sent([...events.slice(0, i), wrong, ...events.slice(i + 1)])
      const before = Buffer.from(sent.bytes)
      const run = new ChecksumRun()

      assert.deepEqual(trueFor(sent.covered(run)), [], `byte ${byte} of event ${i}`)
      assert.deepEqual(sent.bytes, before)
      assert.deepEqual(trueFor(new Sent(right).covered(run)), [0, 1, 2])
    }
  }
})

test('two wrong events do not cancel each other out', () => {
  const events = eventsOf(64, 64, 64, 64)
  const flip = (event: Buffer): Buffer => Buffer.from(event).fill((event[10] as number) ^ 4, 10, 11)
  const [a, b, c, d] = events as [Buffer, Buffer, Buffer, Buffer]

  assert.deepEqual(trueFor(new Sent([flip(a), flip(b), c, d]).covered()), [])
  assert.deepEqual(trueFor(new Sent([b, a, c, d]).covered()), [0, 1, 2, 3])
})

test('a few events are not covered, so the caller verifies each by itself', () => {
  assert.deepEqual(trueFor(new Sent(eventsOf(50)).covered()), [])
  assert.deepEqual(trueFor(new Sent(eventsOf(50, 60)).covered()), [])
})

test('a run ends before a packet that has not arrived completely', () => {
  const sent = new Sent(eventsOf(50, 60, 70, 80))
  const [start, end] = sent.places[0] as [number, number]
  for (let length = end; length < sent.bytes.length; length++) {
    const run = new ChecksumRun()
    const arrived = Buffer.from(sent.bytes.subarray(0, length))
    const isLong = length >= (sent.places[2] as [number, number])[1]
    assert.equal(run.covers(arrived, start, end), isLong, `${length} bytes`)
    assert.deepEqual(arrived, sent.bytes.subarray(0, length))
  }
})

test('a run ends before a packet that is not an event', () => {
  const events = new Sent(eventsOf(50, 60, 70))
  for (const other of [
    packetOf(Buffer.from([0xff, 1, 2])),
    packetOf(Buffer.from([0, 1, 2])),
    packetOf(Buffer.alloc(60, 0xff)),
  ]) {
    const bytes = Buffer.concat([events.bytes, other, new Sent(eventsOf(50)).bytes])
    const run = new ChecksumRun()
    const covered = events.places.map(([start, end]) => run.covers(bytes, start, end))
    assert.deepEqual(covered, [true, true, true])
    const at = events.bytes.length + 5
    assert.equal(run.covers(bytes, at, at + other.length - 5), false)
  }
})

test('more or larger events than fit in a run are covered as several runs, and no byte changes', () => {
  const many = new Sent(eventsOf(...Array.from({ length: 2_000 }, (_, i) => 19 + (i % 200))))
  const before = Buffer.from(many.bytes)
  const uncovered = many.covered().filter((isCovered) => !isCovered)
  assert.ok(uncovered.length <= 2, `${uncovered.length} of 2,000 events`)
  assert.deepEqual(many.bytes, before)

  // Their lengths need the third byte of the packet's header. With only two bytes each would seem to end in the run.
  for (const size of [70_000, 66_000, 131_200]) {
    const large = new Sent(eventsOf(40_000, 20_000, 3_000, size, 10, 20, 30))
    const largeBefore = Buffer.from(large.bytes)
    assert.deepEqual(trueFor(large.covered()), [0, 1, 2, 4, 5, 6])
    assert.deepEqual(large.bytes, largeBefore)
    const small = new Sent(eventsOf(50, 60, 70, size, 50, 60, 70))
    const smallBefore = Buffer.from(small.bytes)
    assert.deepEqual(trueFor(small.covered()), [0, 1, 2, 4, 5, 6])
    assert.deepEqual(small.bytes, smallBefore)
  }
})

test('a reader accepts an event after a run only if it is correct', () => {
  assert.equal(captured[0]?.[4], EventType.formatDescription)
  // A format description at the beginning of a run, and inside one.
  for (const events of [captured, [rotateTo('binlog.000001', 4, true), ...captured]]) {
    for (let count = 3; count < events.length; count++) {
      const packets = new PacketReader(silentSocket())
      const reader = new BinlogReader({ packets, hasChecksums: true, decodeStatement: () => '' })
      packets.push(new Sent(events.slice(0, count)).bytes)
      for (let i = 0; i < count; i++) assert.notEqual(reader.next(), null)

      const wrong = Buffer.from(events[count] as Buffer)
      wrong[20] = (wrong[20] as number) ^ 1
      packets.push(new Sent([wrong]).bytes)
      assert.throws(() => reader.next(), { code: 'BINLOG_CHECKSUM' }, `after ${count} events`)
    }
  }
})
