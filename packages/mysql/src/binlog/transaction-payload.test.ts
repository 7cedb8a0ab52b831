import { CodedError } from '@tributary/support'
import { type SeededRandom, seededRandom } from '@tributary/testkit'
import * as fzstd from 'fzstd'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { javaScriptZstd, type Zstd } from '../compression/zstd.ts'
import { type CapturedName, capturedBinlog, readerOf, withoutChecksums } from '../testing/captured-binlog.ts'
import { compressStreamed, insideEvent, payloadEvent, type PayloadOptions } from '../testing/payload-event.ts'
import type { BinlogEvent } from './binlog-event.ts'
import type { BinlogReader } from './binlog-reader.ts'
import { BLOCK_BYTES } from './event-blocks.ts'
import { EventType } from './event-type.ts'

// Events of a real server, read from a payload and as they are: both must be the same. What mysqlbinlog prints of a
// payload that a server wrote is compared in captured-events.test.ts.

const NAMES: readonly CapturedName[] = ['mysql.01', 'mysql.02', 'mysql.03', 'mysql.04', 'mysql.05', 'mysql.09']

const INSIDE: ReadonlySet<number> = new Set([
  EventType.query,
  EventType.intvar,
  EventType.rand,
  EventType.userVar,
  EventType.rowsQuery,
  EventType.tableMap,
  EventType.writeRows,
  EventType.updateRows,
  EventType.deleteRows,
  EventType.xid,
  EventType.xaPrepare,
])

const CAPTURED = NAMES.flatMap((name) => withoutChecksums(capturedBinlog(name).events))
const FORMAT = CAPTURED[0] as Buffer
const START = 4 + FORMAT.length
/** Without checksums and positions, as in a payload. */
const EVENTS = CAPTURED.filter((event) => INSIDE.has(event[4] as number)).map((event) => insideEvent(event, false))

/** A statement of that many bytes, in an event: int<1> length, which readers ignore, and the text. */
function statementOf(size: number): Buffer {
  const event = Buffer.alloc(20 + size, 's')
  event.fill(0, 0, 20)
  event[4] = EventType.rowsQuery
  event.writeUInt32LE(event.length, 9)
  return event
}

const MANY = Array.from({ length: 300 }, () => EVENTS).flat()
const SETS: Readonly<Record<string, readonly Buffer[]>> = {
  'one event': [EVENTS[0] as Buffer],
  'the events of a file': EVENTS,
  'events of several blocks': MANY,
  'an event of several blocks': [
    ...EVENTS,
    statementOf(3 * BLOCK_BYTES + 17),
    ...EVENTS,
    statementOf(BLOCK_BYTES),
    ...EVENTS,
  ],
}

const FORMS: Readonly<Record<string, PayloadOptions & { readonly zstd?: Zstd }>> = {
  zstd: {},
  'zstd in a stream': { compress: compressStreamed(3) },
  'zstd at its highest level': { compress: compressStreamed(19) },
  'zstd in several frames': {
    compress: (bytes) => {
      const middle = bytes.length >> 1
      return Buffer.concat([zstdCompressSync(bytes.subarray(0, middle)), zstdCompressSync(bytes.subarray(middle))])
    },
  },
  'zstd in JavaScript': { compress: compressStreamed(3), zstd: javaScriptZstd(fzstd) },
  'no compression': { compress: (bytes) => bytes, method: 255 },
}

function describe(event: BinlogEvent, { timestampSeconds, serverId, size, tableId }: BinlogReader): string {
  const content =
    event.tag === 'rows'
      ? [event.kind, event.table.table, tableId, event.copy().bytes.toString('hex')]
      : event.tag === 'tableMap'
        ? [event.table.database, event.table.table, event.table.columns.length]
        : event
  return JSON.stringify([event.tag, timestampSeconds, serverId, size, content], (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

interface Read {
  readonly events: readonly string[]
  /** Position and end of each. */
  readonly places: ReadonlySet<string>
  readonly orders: readonly number[]
}

function readAll(events: readonly Buffer[], zstd?: Zstd): Read {
  const reader = readerOf(events, false, zstd)
  reader.next()
  reader.next()
  const read = { events: [] as string[], places: new Set<string>(), orders: [] as number[] }
  for (let event = reader.next(); event !== null; event = reader.next()) {
    read.events.push(describe(event, reader))
    read.places.add(`${reader.place} ${reader.nextPosition}`)
    read.orders.push(reader.order)
    if (read.events.length % 50 === 0) reader.recycle()
  }
  return read
}

for (const [form, { zstd, ...options }] of Object.entries(FORMS)) {
  suite(`a payload: ${form}`, () => {
    for (const [what, events] of Object.entries(SETS)) {
      test(`contains ${what}`, () => {
        const payload = payloadEvent(events, { ...options, position: START })
        const read = readAll([FORMAT, payload], zstd)

        assert.deepEqual(read.events, readAll([FORMAT, ...events]).events)
        assert.deepEqual([...read.places], [`binlog.000001:${START} ${START + payload.length}`])
        assert.ok(read.orders.every((order, i) => order > (read.orders[i - 1] ?? START - 1)))
      })
    }

    test('the next transaction follows it, compressed or not', () => {
      const first = payloadEvent(EVENTS, { ...options, position: START })
      const second = payloadEvent(MANY, { ...options, position: START + first.length })
      const read = readAll([FORMAT, first, ...EVENTS, second, ...EVENTS], zstd)

      assert.deepEqual(read.events, readAll([FORMAT, ...EVENTS, ...EVENTS, ...MANY, ...EVENTS]).events)
    })
  })
}

test('more events of a payload follow until the last one was returned', () => {
  const events = EVENTS.slice(0, 3)
  const reader = readerOf([FORMAT, payloadEvent(events, { position: START }), ...EVENTS], false)
  const follows = Array.from({ length: 7 }, () => {
    reader.next()
    return reader.isInsidePayload
  })
  assert.deepEqual(follows, [false, false, true, true, false, false, false])
})

/** Runs a reader over the events; returns the reason of the error that it must end with, at the payload. */
function failureOf(...events: readonly Buffer[]): string {
  try {
    readAll([FORMAT, ...events])
  } catch (error) {
    assert.ok(error instanceof CodedError && error.code === 'BINLOG_CORRUPT', String(error))
    const [, reason] =
      /^The event at binlog\.000001:\d+ cannot be read: (.*)\.$/.exec(error.message.split('\n')[0] ?? '') ?? []
    assert.ok(error.message.includes(`binlog.000001:${START} `) && reason !== undefined, error.message)
    return reason
  }
  assert.fail('the events were read')
}

function failureOfPayload(events: readonly Buffer[], options: PayloadOptions = {}): string {
  return failureOf(payloadEvent(events, { position: START, ...options }))
}

const BARE = { compress: (bytes: Buffer) => bytes, method: 255 }
const LAST_BYTES = EVENTS.at(-1)?.length ?? 0
const BYTES = EVENTS.reduce((sum, { length }) => sum + length, 0)

test('sizes that do not agree with the payload are errors that name the position', () => {
  assert.match(failureOfPayload(EVENTS, { payloadBytes: 12 }), /payload has \d+ bytes instead of 12/)
  assert.match(failureOfPayload(EVENTS, { eventBytes: 0 }), /no events/)
  for (const options of [{}, BARE]) {
    assert.match(failureOfPayload(EVENTS, { ...options, eventBytes: BYTES + 100 }), /it has \d+ bytes instead of \d+/)
    assert.match(failureOfPayload(EVENTS, { ...options, eventBytes: BYTES - LAST_BYTES }), /more than/)
    assert.match(
      failureOfPayload(EVENTS, { ...options, eventBytes: BYTES - 1 }),
      /specifies \d+ of the \d+ bytes that are left/,
    )
    assert.match(failureOfPayload([...EVENTS, Buffer.alloc(18)], options), /its last 18 bytes are no event/)
    assert.match(failureOfPayload([...EVENTS, Buffer.alloc(19)], options), /specifies 0 of the 19 bytes/)
  }
})

test('what is no payload of a known form is an error', () => {
  assert.match(failureOfPayload(EVENTS, { method: 1 }), /unknown method 1/)
  assert.match(failureOfPayload(EVENTS, { compress: (bytes) => bytes }), /not zstd/)
  assert.match(
    failureOfPayload(EVENTS, { compress: (bytes) => Buffer.concat([zstdCompressSync(bytes), Buffer.from('more')]) }),
    /not zstd/,
  )
  assert.match(failureOfPayload(EVENTS, { compress: (bytes) => zstdCompressSync(bytes).subarray(0, -3) }), /end early/)
  const nothing = zstdCompressSync(Buffer.alloc(0))
  const padded = (bytes: Buffer): Buffer => Buffer.concat([zstdCompressSync(bytes), zstdCompressSync(Buffer.from('!'))])
  assert.match(failureOfPayload(EVENTS, { compress: padded }), /more than/)
  // An empty frame changes nothing.
  const harmless = payloadEvent(EVENTS, {
    position: START,
    compress: (bytes) => Buffer.concat([zstdCompressSync(bytes), nothing]),
  })
  assert.equal(readAll([FORMAT, harmless]).events.length, EVENTS.length)
})

test('a payload contains no event of a file, no GTID and no payload', () => {
  for (const type of [
    EventType.formatDescription,
    EventType.rotate,
    EventType.gtid,
    EventType.transactionPayload,
    EventType.previousGtids,
  ]) {
    const event = Buffer.alloc(100)
    event[4] = type
    event.writeUInt32LE(100, 9)
    assert.match(failureOfPayload([event]), new RegExp(`contains an event of type ${type}`))
  }
})

/** Memory outside the heap that reading the payload takes, in bytes; it must end with an error. */
function bytesTaken(payload: Buffer): number {
  const before = process.memoryUsage().arrayBuffers
  failureOf(payload)
  return process.memoryUsage().arrayBuffers - before
}

test('a payload that claims to contain more than memory has takes no more memory than what it contains', () => {
  const zeros = zstdCompressSync(Buffer.alloc(64 << 20))
  const claim = statementOf(1000)
  claim.writeUInt32LE(1 << 30, 9)
  const bombs = [
    payloadEvent([], { position: START, compress: () => zeros, eventBytes: 2 ** 50 }),
    payloadEvent([claim], { position: START, eventBytes: 2 ** 31 }),
    payloadEvent([], {
      position: START,
      compress: () => Buffer.concat([zstdCompressSync(claim), zeros]),
      eventBytes: 2 ** 40,
    }),
  ]
  const [first, second, third] = bombs.map(bytesTaken)
  assert.ok((first ?? NaN) < 4 << 20, String(first))
  assert.ok((second ?? NaN) < 4 << 20, String(second))
  // The event does contain 64 MiB: memory grows with what arrives, to twice of it.
  assert.ok((third ?? NaN) < 300 << 20, String(third))
})

const DAMAGE_CODES = new Set(['BINLOG_CORRUPT', 'BINLOG_EVENT_UNKNOWN', 'BINLOG_TABLE_UNKNOWN'])

/** Some bytes changed, removed or added. */
function damaged(bytes: Buffer, random: SeededRandom): Buffer {
  const copy = Buffer.from(bytes)
  const at = random.integer(0, copy.length)
  const kind = random()
  if (kind < 0.6) {
    for (let i = random.integer(1, 4); i > 0; i--) copy[random.integer(0, copy.length)] = random.integer(0, 256)
    return copy
  }
  const count = random.integer(1, 40)
  if (kind < 0.8) return Buffer.concat([copy.subarray(0, at), copy.subarray(at + count)])
  return Buffer.concat([copy.subarray(0, at), random.bytes(count), copy.subarray(at)])
}

test('damage inside a payload, or of it, is an error with the position, or other values', () => {
  const random = seededRandom(20_261_125)
  const outcomes = new Map<string, number>()
  for (let i = 0; i < 3_000; i++) {
    const from = random.integer(0, EVENTS.length - 8)
    const inside = Buffer.concat(EVENTS.slice(from, from + 8))
    const isInside = random() < 0.7
    const payload = payloadEvent([isInside ? damaged(inside, random) : inside], {
      position: START,
      ...(isInside ? {} : { compress: (bytes: Buffer) => damaged(zstdCompressSync(bytes), random) }),
    })
    let outcome = 'read'
    try {
      readAll([FORMAT, payload])
    } catch (error) {
      assert.ok(error instanceof CodedError && DAMAGE_CODES.has(error.code), `${i}: ${String((error as Error).stack)}`)
      assert.ok(error.message.includes(`binlog.000001:${START} `), error.message)
      outcome = error.code
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  assert.ok((outcomes.get('BINLOG_CORRUPT') ?? 0) > 1_000, JSON.stringify([...outcomes]))
})
