import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWriter, CodedError } from '@tributary/support'
import { capturedColumns, capturedJson } from '../../fixtures/captured-columns.ts'
import { type CapturedName, capturedBinlog, readerOf, summed, withoutChecksums } from '../testing/captured-binlog.ts'
import { textTarget } from '../testing/text-targets.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import type { BinlogEvent } from './binlog-event.ts'
import type { BinlogReader } from './binlog-reader.ts'
import { EventType } from './event-type.ts'
import { writeJsonText } from './json-binary.ts'
import { RowCodec } from './row-codec.ts'
import type { TableMap } from './table-map.ts'

// Damage must lead to an error that names the position, never to a crash, an endless loop or the bytes of another
// event.
// Without checksums a damaged value is just another value, but a damaged length, count or offset must be detected.

const NAMES: readonly CapturedName[] = [
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((n) => `mysql.0${n}` as const),
  ...([1, 2, 3, 4] as const).map((n) => `mariadb.0${n}` as const),
]
const DAMAGE_CODES = new Set(['BINLOG_CORRUPT', 'BINLOG_EVENT_UNKNOWN', 'BINLOG_TABLE_UNKNOWN', 'BINLOG_CHECKSUM'])

const KINDS = [textTarget('integer'), ...[...capturedColumns, capturedJson].map(([, kind]) => textTarget(kind))]

/** Targets for a captured table, damaged or not: `kinds`, `defaults` with two numbers, and `a` and `b`. */
function targetsOf({ columns }: TableMap): (ColumnTarget<string> | null)[] {
  const kinds =
    columns.length > 3 ? KINDS : columns.length === 2 ? [textTarget('integer'), textTarget('integer')] : A_AND_B
  return columns.map((_, i) => kinds[i] ?? null)
}

const A_AND_B = [textTarget('integer'), textTarget('text'), textTarget('double')]

function readRows(event: BinlogEvent): void {
  if (event.tag !== 'rows') return
  const result = RowCodec.compile(event.table, targetsOf(event.table))
  // If the types of a table map are damaged, `compile` reports before the first row that the rows do not fit.
  if (result.tag === 'misfit') return
  const { codec } = result
  while (event.hasMore) {
    if (event.kind !== 'write') event.readBefore(codec)
    if (event.kind !== 'delete') event.readAfter(codec)
  }
}

function readAll(reader: BinlogReader): void {
  for (let event = reader.next(); event !== null; event = reader.next()) readRows(event)
}

/** How reading ends: '' for success, or the code of an error that names the position. */
function outcome(events: readonly Buffer[], hasChecksums: boolean): string {
  const reader = readerOf(events, hasChecksums)
  try {
    readAll(reader)
    return ''
  } catch (error) {
    assert.ok(error instanceof CodedError, `${String(error)}\n${(error as Error).stack}`)
    assert.ok(DAMAGE_CODES.has(error.code), error.code)
    assert.match(error.message, /event at binlog\.\d+:\d+ /)
    return error.code
  }
}

/** The events that must precede an event so that it can be read: the format, and the table maps of its statement. */
function contextOf(events: readonly Buffer[], index: number): Buffer[] {
  const maps = events.slice(Math.max(0, index - 3), index).filter((event) => event[4] === EventType.tableMap)
  return index === 0 ? [] : [events[0] as Buffer, ...maps]
}

function flipped(event: Buffer, byte: number, bit: number): Buffer {
  const copy = Buffer.from(event)
  copy[byte] = (copy[byte] as number) ^ (1 << bit)
  return copy
}

for (const name of NAMES) {
  test(`${name}: without checksums, each damaged byte is a value or an error that names the position`, () => {
    const events = withoutChecksums(capturedBinlog(name).events)
    for (const [i, event] of events.entries()) {
      const context = contextOf(events, i)
      for (let byte = 0; byte < event.length; byte++) {
        outcome([...context, flipped(event, byte, byte % 8), ...events.slice(i + 1, i + 2)], false)
        outcome([...context, flipped(event, byte, (byte + 5) % 8), ...events.slice(i + 1, i + 2)], false)
      }
    }
  })

  test(`${name}: with checksums, each damaged byte is detected`, () => {
    const { events } = capturedBinlog(name)
    for (const [i, event] of events.entries()) {
      const context = contextOf(events, i)
      for (let byte = 0; byte < event.length; byte++) {
        const code = outcome([...context, flipped(event, byte, byte % 8)], true)
        // This byte of the format description is the algorithm: it specifies whether there is a checksum.
        if (i === 0 && byte === event.length - 5) continue
        assert.ok(code === 'BINLOG_CHECKSUM' || code === 'BINLOG_CORRUPT', `byte ${byte} of event ${i}: ${code}`)
      }
    }
  })

  test(`${name}: each event that is cut, with a matching header, is detected unless only whole rows are missing`, () => {
    const events = withoutChecksums(capturedBinlog(name).events)
    for (const [i, event] of events.entries()) {
      if (!hasOwnLength(event)) continue
      const context = contextOf(events, i)
      const unnoticed: number[] = []
      for (let length = 0; length < event.length; length++) {
        const cut = Buffer.from(event.subarray(0, length))
        if (length >= 13) cut.writeUInt32LE(length, 9)
        if (outcome([...context, cut, ...events.slice(i + 1, i + 2)], false) === '') unnoticed.push(length)
      }
      // An event may end before each of its rows but the first: an event without rows is detected.
      assert.equal(
        unnoticed.length,
        cutsAtRows([...context, event]),
        `event ${i} of type ${event[4]} cut to ${unnoticed.join()}`,
      )
    }
  })
}

/**
 * Whether the parts of an event have lengths. A text that extends to the end of its event is just shorter when it is
 * cut.
 */
function hasOwnLength(event: Buffer): boolean {
  switch (event[4]) {
    case EventType.writeRows:
    case EventType.updateRows:
    case EventType.deleteRows:
    case EventType.writeRowsV1:
    case EventType.updateRowsV1:
    case EventType.deleteRowsV1:
    case EventType.xid:
      return true
    case EventType.mariadbGtidList:
      // The server pads an empty list.
      return event.readUInt32LE(19) > 0
    default:
      return false
  }
}

/** Number of places before a row of the last event, except the first, at which the event may end. */
function cutsAtRows(events: readonly Buffer[]): number {
  const reader = readerOf(events, false)
  let count = 0
  for (let event = reader.next(); event !== null; event = reader.next()) {
    if (event.tag !== 'rows') continue
    const result = RowCodec.compile(event.table, targetsOf(event.table))
    assert.ok(result.tag === 'codec')
    const { codec } = result
    count = -1
    for (; event.hasMore; count++) {
      event.readBefore(codec)
      if (event.kind === 'update') event.readAfter(codec)
    }
  }
  return count
}

test('a wrong checksum is a retriable error that names the position', () => {
  const { events } = capturedBinlog('mysql.01')
  const [format, previous] = events
  assert.ok(format !== undefined && previous !== undefined)
  const reader = readerOf([format, flipped(previous, 25, 0)])
  reader.next()
  reader.next()

  assert.throws(
    () => reader.next(),
    (error) => {
      assert.ok(error instanceof CodedError)
      assert.equal(error.code, 'BINLOG_CHECKSUM')
      assert.equal(error.isRetriable, true)
      assert.match(error.message, /binlog\.000001:127 /)
      return true
    },
  )
})

test('an event of an unknown type is skipped only if its header permits it', () => {
  const { events } = capturedBinlog('mysql.01')
  const format = events[0] as Buffer
  const unknown = (flags: number): Buffer => {
    // int<4> time · int<1> type · int<4> server · int<4> size · int<4> end · int<2> flags · body
    const event = Buffer.alloc(19 + 6)
    event[4] = 99
    event.writeUInt32LE(event.length + 4, 9)
    event.writeUInt32LE(format.length + 4 + event.length + 4, 13)
    event.writeUInt16LE(flags, 17)
    return summed(event)
  }
  const allowed = readerOf([format, unknown(0x80)])
  allowed.next()
  allowed.next()

  assert.deepEqual(allowed.next(), { tag: 'ignored', type: 99 })
  assert.equal(outcome([format, unknown(0)], true), 'BINLOG_EVENT_UNKNOWN')
})

test('rows without their table map are an error; reading the transaction again resolves it', () => {
  const { events } = capturedBinlog('mysql.01')
  const rows = events.find((event) => event[4] === EventType.writeRows) as Buffer

  assert.equal(outcome([events[0] as Buffer, rows], true), 'BINLOG_TABLE_UNKNOWN')
})

/** JSON documents, as bytes, that no server writes. Grammar: see json-binary.ts. */
const IMPOSSIBLE_JSON: Readonly<Record<string, readonly number[]>> = {
  'an array that holds itself twice': [0x02, 2, 0, 10, 0, 0x02, 0, 0, 0x02, 0, 0],
  'an object that holds itself': [0x00, 1, 0, 12, 0, 11, 0, 1, 0, 0x00, 0, 0, 0x61],
  'an array of more elements than it has bytes': [0x02, 0xff, 0xff, 10, 0, 0x04, 0, 0],
  'a large array of 2^32 - 1 elements': [0x03, 0xff, 0xff, 0xff, 0xff, 10, 0, 0, 0],
  'a string beyond the end': [0x0c, 0x7f, 0x61],
  'a string whose length does not end': [0x0c, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  'a key beyond the end': [0x00, 1, 0, 12, 0, 11, 0, 0xff, 0xff, 0x04, 0, 0],
  'an unknown literal': [0x04, 9],
  'a number that is cut': [0x09, 1, 2, 3],
  'an unknown type': [0x0e, 1, 2, 3],
  'a decimal with more digits after the point than it has': [0x0f, 246, 4, 2, 5, 0x80, 0],
  'a decimal of 200 digits': [0x0f, 246, 3, 200, 5, 0x80],
  'a decimal of fewer bytes than digits': [0x0f, 246, 3, 20, 5, 0x80],
  'a time of three bytes': [0x0f, 11, 3, 1, 2, 3],
}

for (const [what, document] of Object.entries(IMPOSSIBLE_JSON)) {
  test(`binary JSON: ${what} is an error`, () => {
    const bytes = Buffer.from([...document, ...Array.from({ length: 64 }, () => 0)])
    assert.throws(() => writeJsonText(bytes, 0, document.length, new ByteWriter()), RangeError)
  })
}

test('an empty JSON value is null, as the server prints it', () => {
  const out = new ByteWriter()
  writeJsonText(Buffer.alloc(1), 1, 1, out)
  assert.equal(out.copy().toString(), 'null')
})

test('an image without a column that is followed by more bytes is an error: reading it would never end', () => {
  // INSERT INTO defaults () VALUES () with binlog_row_image=MINIMAL: header (19), table id, flags and extra data (10),
  // number of columns, and at the end the bitmap of its columns.
  const events = withoutChecksums(capturedBinlog('mysql.01').events)
  const index = events.findLastIndex((event) => event[4] === EventType.writeRows && event.length === 31)
  assert.ok(index > 0)
  const longer = Buffer.concat([events[index] as Buffer, Buffer.from([0])])
  longer.writeUInt32LE(longer.length, 9)
  assert.equal(outcome([...contextOf(events, index), longer], false), 'BINLOG_CORRUPT')
})
