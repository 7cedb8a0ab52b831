import type { GtidEvent } from './binlog-event.ts'
import type { UuidReader } from './gtid-events.ts'
import { readVariableLength, type VariableCursor } from './variable-length.ts'

/**
 * Body of GTID_TAGGED_LOG_EVENT (mysql/components/libs/binlog/event/control_events.h, since 8.3): a message of
 * mysql::serialization. Each number has a variable length, and each field follows its own number.
 *
 *     version (1) · size of the message · the last field that a reader must know · field …
 *
 *     0 flags · 1 UUID as 16 numbers · 2 number of the transaction, signed · 3 length of the tag, tag ·
 *     4 last committed, signed · 5 sequence, signed · 6 time of the commit · 7 time of the original commit, if it differs ·
 *     8 and more: lengths and versions
 *
 * A signed number is doubled; negative ones are odd. The times are in microseconds since 1970.
 */
export function parseGtidTagged(bytes: Buffer, at: number, end: number, uuids: UuidReader): GtidEvent {
  const cursor: VariableCursor = { bytes, at, end }
  const version = readVariableLength(cursor)
  readVariableLength(cursor)
  const lastRequired = readVariableLength(cursor)
  if (version !== 1 || lastRequired > LAST_KNOWN) {
    throw new RangeError(`its GTID has the form ${version} with the required field ${lastRequired}`)
  }
  requireField(cursor, FLAGS)
  readVariableLength(cursor)
  const source = readSource(cursor, uuids)
  requireField(cursor, NUMBER)
  const number = readVariableLength(cursor) / 2
  if (number < 1 || !Number.isInteger(number)) throw new RangeError(`its GTID has the number ${number}`)
  requireField(cursor, TAG)
  const tag = readTag(cursor)
  return {
    tag: 'gtid',
    source: tag === '' ? source : `${source}:${tag}`,
    number,
    originalCommitMicros: readCommitMicros(cursor),
  }
}

function requireField(cursor: VariableCursor, expected: number): void {
  const field = readVariableLength(cursor)
  if (field !== expected) throw new RangeError(`its GTID has the field ${field} instead of ${expected}`)
}

function readSource(cursor: VariableCursor, uuids: UuidReader): string {
  requireField(cursor, UUID)
  for (let i = 0; i < UUID_BYTES.length; i++) {
    const byte = readVariableLength(cursor)
    if (byte > 0xff) throw new RangeError('the UUID of its GTID is malformed')
    UUID_BYTES[i] = byte
  }
  return uuids.read(UUID_BYTES, 0)
}

function readTag(cursor: VariableCursor): string {
  const length = readVariableLength(cursor)
  const { bytes, at, end } = cursor
  const tag = bytes.latin1Slice(at, Math.min(at + length, end))
  // It is in offsets and in requests to the server.
  if (length > 0 && (at + length > end || !TAG_TEXT.test(tag))) throw new RangeError('the tag of its GTID is malformed')
  cursor.at = at + length
  return tag
}

/** The fields from the time on; null without one. */
function readCommitMicros(cursor: VariableCursor): number | null {
  let micros: number | null = null
  while (cursor.at < cursor.end) {
    const field = readVariableLength(cursor)
    if (field > ORIGINAL_COMMIT) break
    const value = readVariableLength(cursor)
    if (field >= COMMIT) micros = value
  }
  return micros
}

const FLAGS = 0
const UUID = 1
const NUMBER = 2
const TAG = 3
const COMMIT = 6
const ORIGINAL_COMMIT = 7
/** Of MySQL 9.7. */
const LAST_KNOWN = 11
const UUID_BYTES = Buffer.alloc(16)
const TAG_TEXT = /^[a-z_][a-z0-9_]{0,31}$/
