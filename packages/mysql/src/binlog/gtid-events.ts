import type { AlterPhase, AnonymousGtidEvent, GtidEvent, MariaDbGtidEvent } from './binlog-event.ts'
import type { MariaDbGtid } from '../gtid/mariadb-gtid-set.ts'

/** Makes UUID texts from their 16 bytes; the last one is kept, since most transactions come from one source. */
export class UuidReader {
  #bytes: Buffer = Buffer.alloc(16)
  #text = '00000000-0000-0000-0000-000000000000'

  read(bytes: Buffer, at: number): string {
    if (this.#isKept(bytes, at)) return this.#text
    this.#bytes = Buffer.from(bytes.subarray(at, at + 16))
    const hex = this.#bytes.toString('hex')
    this.#text = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    return this.#text
  }

  /** In JavaScript: a native comparison costs ten times as much for 16 bytes, and there is one a transaction. */
  #isKept(bytes: Buffer, at: number): boolean {
    const kept = this.#bytes
    for (let i = 0; i < 16; i++) if (bytes[at + i] !== kept[i]) return false
    return true
  }
}

/**
 * Body of GTID_EVENT (MySQL 8.0, control_events.h): int<1> flags · 16 bytes UUID · int<8> number · int<1> 2 · int<8>
 * last committed · int<8> sequence · int<7> immediate commit timestamp, whose top bit is set if int<7> original commit
 * timestamp follows · ….
 */
export function parseGtid(bytes: Buffer, start: number, end: number, uuids: UuidReader): GtidEvent {
  return {
    tag: 'gtid',
    source: uuids.read(bytes, start + 1),
    number: readNumber(bytes, start + 17),
    originalCommitMicros: readCommitMicros(bytes, start + 42, end),
  }
}

/** Body of ANONYMOUS_GTID_EVENT: that of GTID_EVENT, without a UUID and a number. */
export function parseAnonymousGtid(bytes: Buffer, start: number, end: number): AnonymousGtidEvent {
  return { tag: 'anonymousGtid', originalCommitMicros: readCommitMicros(bytes, start + 42, end) }
}

/** Numbers of transactions begin with 1. */
function readNumber(bytes: Buffer, at: number): number {
  const number = readInt64(bytes, at)
  if (number === 0) throw new RangeError('its GTID has the number 0')
  return number
}

function readCommitMicros(bytes: Buffer, at: number, end: number): number | null {
  if (at + 7 > end) return null
  const hasOriginal = ((bytes[at + 6] as number) & 0x80) !== 0
  const from = hasOriginal ? at + 7 : at
  if (from + 7 > end) return null
  return bytes.readUInt32LE(from) + (bytes.readUIntLE(from + 4, 3) & 0x7f_ff_ff) * 2 ** 32
}

/** GTID sets hold numbers up to 2^53; a server reaches that after 285 years of a million transactions a second. */
function readInt64(bytes: Buffer, at: number): number {
  const value = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32
  if (value >= Number.MAX_SAFE_INTEGER) throw new RangeError(`GTID number ${value} is beyond 2^53`)
  return value
}

/**
 * Body of MariaDB's GTID_EVENT (log_event.h): int<8> sequence · int<4> domain · int<1> flags · with FL_GROUP_COMMIT_ID
 * int<8> commit · with FL_PREPARED_XA or FL_COMPLETED_XA int<4> format, int<1> and int<1> lengths of the two parts of
 * the XID, the parts · int<1> more flags · …. Zeros fill it up to 19 bytes. The server is that of the header.
 */
export function parseMariaDbGtid(bytes: Buffer, start: number, end: number, server: number): MariaDbGtidEvent {
  const flags = bytes[start + 12] as number
  const gtid = { domain: bytes.readUInt32LE(start + 8), server, sequence: bytes.readBigUInt64LE(start) }
  const isStandalone = (flags & FL_STANDALONE) !== 0
  // An ALTER stands alone: for transactions, of which there are many, the other flags need not be located.
  const isXa = (flags & FL_PREPARED_XA) !== 0
  const alterPhase = isStandalone ? readAlterPhase(bytes, start, end) : null
  return { tag: 'mariadbGtid', gtid, isStandalone, isXa, alterPhase }
}

function readAlterPhase(bytes: Buffer, start: number, end: number): AlterPhase | null {
  const flags = bytes[start + 12] as number
  let at = start + 13
  if ((flags & FL_GROUP_COMMIT_ID) !== 0) at += 8
  if ((flags & (FL_PREPARED_XA | FL_COMPLETED_XA)) !== 0 && at + 6 <= end) {
    at += 6 + (bytes[at + 4] as number) + (bytes[at + 5] as number)
  }
  if (at >= end) return null
  const more = bytes[at] as number
  if ((more & FL_START_ALTER) !== 0) return 'start'
  if ((more & FL_COMMIT_ALTER) !== 0) return 'commit'
  return (more & FL_ROLLBACK_ALTER) !== 0 ? 'rollback' : null
}

const FL_STANDALONE = 1
const FL_GROUP_COMMIT_ID = 2
const FL_PREPARED_XA = 64
const FL_COMPLETED_XA = 128
/** Of the second byte of flags. */
const FL_START_ALTER = 2
const FL_COMMIT_ALTER = 4
const FL_ROLLBACK_ALTER = 8

/**
 * Body of MariaDB's GTID_LIST_EVENT: int<4> count (28 bits) and flags · for each: int<4> domain · int<4> server ·
 * int<8> sequence.
 */
export function parseMariaDbGtidList(bytes: Buffer, start: number, end: number): readonly MariaDbGtid[] {
  const count = bytes.readUInt32LE(start) & 0x0f_ff_ff_ff
  if (start + 4 + count * 16 > end) throw new RangeError(`a list of ${count} GTIDs extends past its end`)
  return Array.from({ length: count }, (_, i) => {
    const at = start + 4 + i * 16
    return {
      domain: bytes.readUInt32LE(at),
      server: bytes.readUInt32LE(at + 4),
      sequence: bytes.readBigUInt64LE(at + 8),
    }
  })
}
