import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { capturedBinlog, readerOf, withoutChecksums } from '../testing/captured-binlog.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { EventType } from './event-type.ts'

// A compressed rows event that MariaDB wrote, changed in one way each. What mariadb-binlog prints of it is compared in
// captured-events.test.ts.

const EVENTS = withoutChecksums(capturedBinlog('mariadb.03').events)
const AT = EVENTS.findIndex((event) => event[4] === EventType.mariadbWriteRowsCompressedV1)
const ROWS = EVENTS[AT] as Buffer
/** Before it: the format and the table map. */
const CONTEXT = [EVENTS[0] as Buffer, EVENTS[AT - 1] as Buffer]

/** int<19> header · int<6> table id · int<2> flags · int<1> 28 columns · 4 bytes of bitmap · record. */
const RECORD_AT = 19 + 8 + 1 + 4
/** int<1> 0x82 · int<2> size, highest byte first. */
const DATA_AT = RECORD_AT + 3
const SIZE = ROWS.readUInt16BE(RECORD_AT + 1)

function resized(event: Buffer): Buffer {
  const copy = Buffer.from(event)
  copy.writeUInt32LE(copy.length, 9)
  // No position: the event counts as part of no file.
  copy.writeUInt32LE(0, 13)
  return copy
}

/** The event with another record: its first byte, its size in `sizeBytes` bytes, and its data. */
function withRecord(first: number, size: number, data: Buffer, sizeBytes = 4): Buffer {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(size))
  return resized(
    Buffer.concat([ROWS.subarray(0, RECORD_AT), Buffer.from([first]), number.subarray(8 - sizeBytes), data]),
  )
}

function read(event: Buffer): BinlogEvent | null {
  const reader = readerOf([...CONTEXT, event], false)
  for (let i = 0; i < 1 + CONTEXT.length; i++) reader.next()
  return reader.next()
}

function bytesOf(event: BinlogEvent | null): string {
  assert.ok(event?.tag === 'rows')
  return event.copy().bytes.toString('hex')
}

function failureOf(event: Buffer): string {
  try {
    read(event)
  } catch (error) {
    assert.ok(error instanceof CodedError && error.code === 'BINLOG_CORRUPT', String(error))
    return error.message
  }
  assert.fail('the event was read')
}

const DATA = ROWS.subarray(DATA_AT)

test('the size may have one to four bytes, and rows of version 2 have extra data', () => {
  const expected = bytesOf(read(ROWS))
  assert.ok(Buffer.from(expected, 'hex').includes('compressed compressed'))
  for (const sizeBytes of [2, 3, 4]) {
    assert.equal(bytesOf(read(withRecord(0x80 + sizeBytes, SIZE, DATA, sizeBytes))), expected)
  }
  const extra = Buffer.from([5, 0, 1, 2, 3])
  const second = resized(Buffer.concat([ROWS.subarray(0, 19 + 8), extra, ROWS.subarray(19 + 8)]))
  second[4] = EventType.mariadbWriteRowsCompressed
  assert.equal(bytesOf(read(second)), expected)
})

test('a compressed statement is the statement', () => {
  const [query] = withoutChecksums(capturedBinlog('mariadb.01').events).filter(
    (event) => event[4] === EventType.query && event.includes('CREATE TABLE'),
  )
  assert.ok(query !== undefined)
  const sqlAt = query.indexOf('CREATE TABLE')
  const sql = query.subarray(sqlAt)
  const size = Buffer.alloc(3)
  size[0] = 0x82
  size.writeUInt16BE(sql.length, 1)
  const compressed = resized(Buffer.concat([query.subarray(0, sqlAt), size, deflateSync(sql)]))
  compressed[4] = EventType.mariadbQueryCompressed

  assert.deepEqual(read(compressed), read(resized(query)))
})

test('an unknown method and wrong sizes are errors with the position', () => {
  for (const first of [0x02, 0x82 + 0x10 * 2, 0xa2, 0xc2, 0x80, 0x85, 0x87]) {
    assert.match(failureOf(withRecord(first, SIZE, DATA, first & 7)), /at binlog\.000001:\d+ .*unknown method/)
  }
  assert.match(failureOf(withRecord(0x82, SIZE - 1, DATA, 2)), /does not have the \d+ bytes that it specifies/)
  assert.match(failureOf(withRecord(0x82, SIZE + 1, DATA, 2)), /does not have the \d+ bytes that it specifies/)
  assert.match(failureOf(withRecord(0x82, SIZE, Buffer.concat([DATA, Buffer.from([0])]), 2)), /1 bytes follow/)
  assert.match(failureOf(withRecord(0x82, SIZE, DATA.subarray(0, -1), 2)), /damaged/)
  assert.match(failureOf(resized(ROWS.subarray(0, DATA_AT))), /ends before its compressed part/)
})

test('sizes that no data can have, and data beyond its size, take no memory', () => {
  const before = process.memoryUsage().arrayBuffers
  assert.match(failureOf(withRecord(0x84, 0xff_ff_ff_ff, DATA)), /compressed bytes cannot have the 4294967295 bytes/)
  const bomb = deflateSync(Buffer.alloc(256 << 20))
  assert.match(failureOf(withRecord(0x84, 1000, bomb)), /does not have the 1000 bytes that it specifies/)
  assert.ok(process.memoryUsage().arrayBuffers - before < 300 << 20)
})
