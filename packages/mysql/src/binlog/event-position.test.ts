import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PacketReader } from '../connection/packet-reader.ts'
import { packetOf, silentSocket } from '../testing/captured-binlog.ts'
import { BinlogReader } from './binlog-reader.ts'
import { EventType } from './event-type.ts'

// Positions that no captured file has: beyond the 4 GiB that the 32 bits of the header can represent.

const GIB = 2 ** 30
const ARTIFICIAL = 0x20

interface Header {
  readonly type: number
  /** Position of the event's end in its header. */
  readonly end: number
  readonly flags?: number
  readonly body?: Buffer
}

/**
 * 0x00 · int<4> seconds · int<1> type · int<4> server id · int<4> size · int<4> position of its end · int<2> flags ·
 * body.
 */
function packet({ type, end, flags = 0, body = Buffer.alloc(8) }: Header): Buffer {
  const header = Buffer.alloc(20)
  header[5] = type
  header.writeUInt32LE(19 + body.length, 10)
  header.writeUInt32LE(end % 2 ** 32, 14)
  header.writeUInt16LE(flags, 18)
  return packetOf(Buffer.concat([header, body]))
}

/** Body of a rotate: int<8> position · name. */
function rotateTo(position: number, file: string): Header {
  const body = Buffer.alloc(8 + file.length)
  body.writeBigUInt64LE(BigInt(position), 0)
  body.write(file, 8, 'latin1')
  return { type: EventType.rotate, end: 0, flags: ARTIFICIAL, body }
}

function readerOf(headers: readonly Header[]): BinlogReader {
  const packets = new PacketReader(silentSocket())
  for (const header of headers) packets.push(packet(header))
  return new BinlogReader({ packets, hasChecksums: false, decodeStatement: () => '' })
}

/** Position of each event as the reader reports it. */
function placesOf(headers: readonly Header[]): string[] {
  const reader = readerOf(headers)
  return headers.map(() => {
    reader.next()
    return `${reader.place}–${reader.nextPosition}`
  })
}

test('positions continue beyond 4 GiB, from event to event and with heartbeats', () => {
  const xid = EventType.xid
  const at = 4 * GIB - 27

  assert.deepEqual(
    placesOf([
      rotateTo(at - 27, 'b.1'),
      { type: xid, end: at },
      { type: xid, end: 4 * GIB + 100 },
      { type: EventType.heartbeat, end: 4 * GIB + 100 },
      { type: xid, end: 4 * GIB + 127 },
    ]),
    [
      `b.1:0–${at - 27}`,
      `b.1:${at - 27}–${at}`,
      `b.1:${4 * GIB + 73}–${4 * GIB + 100}`,
      `b.1:${4 * GIB + 100}–${4 * GIB + 100}`,
      `b.1:${4 * GIB + 100}–${4 * GIB + 127}`,
    ],
  )
})

test('a dump that begins beyond 4 GiB continues from its start position', () => {
  assert.deepEqual(
    placesOf([rotateTo(5 * GIB, 'b.1'), { type: EventType.xid, end: 5 * GIB + 27 }]).at(-1),
    `b.1:${5 * GIB}–${5 * GIB + 27}`,
  )
})

test('events that the server omits advance the position, artificial events do not', () => {
  assert.deepEqual(
    placesOf([
      rotateTo(4, 'b.1'),
      { type: EventType.xid, end: 1000 },
      { type: EventType.mariadbGtidList, end: 5, flags: ARTIFICIAL, body: Buffer.alloc(8) },
      { type: EventType.xid, end: 0 },
      rotateTo(4, 'b.2'),
      { type: EventType.xid, end: 31 },
    ]).map((place) => place.replace('b.', '')),
    ['1:0–4', '1:973–1000', '1:1000–1000', '1:1000–1000', '2:1000–4', '2:4–31'],
  )
})

test('an event that ends before it begins is an error', () => {
  const reader = readerOf([rotateTo(5000, 'b.1'), { type: EventType.xid, end: 4999 }])
  reader.next()

  assert.throws(() => reader.next(), { code: 'BINLOG_CORRUPT', message: /event at b\.1:5000 .*ends at 4999/ })
})

test('a packet that is not an event is reported as what it is', () => {
  const answers: readonly [payload: Buffer, expected: object][] = [
    [
      Buffer.concat([Buffer.from([0xff]), Buffer.from('d404', 'hex'), Buffer.from('#HY000gone')]),
      { errno: 1236, sqlState: 'HY000', message: 'gone' },
    ],
    [Buffer.from([0xfe, 0, 0, 2, 0]), { message: 'the server ended the dump' }],
    [Buffer.from([0x07, 1, 2]), { name: 'RangeError', message: /3 bytes that is not an event/ }],
    [Buffer.alloc(0), { name: 'RangeError', message: /0 bytes that is not an event/ }],
    [Buffer.from([0x00, 1, 2]), { code: 'BINLOG_CORRUPT' }],
  ]
  for (const [payload, expected] of answers) {
    const packets = new PacketReader(silentSocket())
    packets.push(Buffer.concat([packetOf(payload), packetOf(Buffer.alloc(50, 0xff))]))
    const reader = new BinlogReader({ packets, hasChecksums: false, decodeStatement: () => '' })
    assert.throws(() => reader.next(), expected)
  }
})
