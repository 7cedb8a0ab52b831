import { quotedBytes } from '../error-texts.ts'

/**
 * The first packet of a connection, before the driver sees it. The driver takes any bytes for a greeting: a text of
 * HTTP for the start of one with five megabytes, zeros for one without a password.
 *
 * HandshakeV10: int<1> 10 · string<NUL> version · int<4> thread · string[8] first part of the scramble · 0 · int<2>
 * flags · int<1> collation · int<2> status · int<2> upper flags · int<1> length of the scramble · string[10] reserved ·
 * string[13] its other part · string<NUL> plug-in. Or an error packet, when the server refuses the client.
 */
export type FirstPacket =
  | { readonly tag: 'incomplete' }
  /** `bytes` is what the driver may read: all that has arrived. */
  | { readonly tag: 'greeting'; readonly bytes: Buffer }
  /** Not of MySQL, and why. */
  | { readonly tag: 'foreign'; readonly reason: string }

export function readFirstPacket(bytes: Buffer): FirstPacket {
  if (bytes.length < 3) return { tag: 'incomplete' }
  const length = bytes.readUIntLE(0, 3)
  if (length === 0 || length > GREETING_BYTES_MAX) return foreign(bytes)
  if (bytes.length <= HEADER_BYTES) return { tag: 'incomplete' }
  const first = bytes[HEADER_BYTES]
  if (first === X_NOTICE && length === X_NOTICE_BYTES) return { tag: 'foreign', reason: X_PROTOCOL }
  const end = HEADER_BYTES + length
  const isError = first === ERROR_PACKET
  if (bytes[3] !== 0 && !(isError && bytes[3] === 1)) return foreign(bytes)
  if (first !== PROTOCOL_VERSION && !isError) {
    return bytes.length < end && isVersion(bytes, HEADER_BYTES + 1) ? { tag: 'incomplete' } : foreign(bytes)
  }
  if (bytes.length < end) return { tag: 'incomplete' }
  if (isError) return length >= ERROR_BYTES_MIN ? { tag: 'greeting', bytes: numbered(bytes) } : foreign(bytes)
  const readable = readableGreeting(bytes, end)
  return readable === null ? foreign(bytes) : { tag: 'greeting', bytes: readable }
}

/** The greeting with a collation that the driver knows; null when its fields do not fit into it. */
function readableGreeting(bytes: Buffer, end: number): Buffer | null {
  if (!isVersion(bytes, HEADER_BYTES + 1)) return null
  const afterVersion = bytes.indexOf(0, HEADER_BYTES) + 1
  const flagsAt = afterVersion + 13
  const restAt = flagsAt + 18
  if (afterVersion === 0 || restAt + 13 > end) return null
  const flags = bytes.readUInt16LE(flagsAt) | (bytes.readUInt16LE(flagsAt + 5) << 16)
  if ((flags & NEEDED) !== NEEDED) return null
  const scrambleEnd = restAt + Math.max(13, (bytes[flagsAt + 7] as number) - 8)
  if (scrambleEnd > end) return null
  const copy = Buffer.from(bytes)
  // MariaDB 11 has collations that the driver cannot decode by; the login needs none.
  copy[flagsAt + 2] = UTF8MB4
  // MariaDB has capabilities in the last reserved bytes: the driver would request more about columns, which nobody reads.
  copy.fill(0, restAt - 4, restAt)
  return copy
}

/** A version begins with a digit and has no control characters. */
function isVersion(bytes: Buffer, at: number): boolean {
  const end = bytes.indexOf(0, at)
  return /^\d[\x20-\x7e]{0,199}$/.test(bytes.latin1Slice(at, end < 0 ? bytes.length : end))
}

/** An error instead of a greeting has the number 0, or 1 of some proxies, which the driver reports on the console. */
function numbered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[3] = 0
  return copy
}

function foreign(bytes: Buffer): FirstPacket {
  const version = bytes[HEADER_BYTES]
  const isOther = bytes.length > HEADER_BYTES + 1 && bytes[3] === 0 && version !== PROTOCOL_VERSION
  if (isOther && isVersion(bytes, HEADER_BYTES + 1)) {
    return { tag: 'foreign', reason: `it speaks version ${version} of the protocol, not version ${PROTOCOL_VERSION}` }
  }
  return { tag: 'foreign', reason: `it sent ${quotedBytes(bytes)}` }
}

const HEADER_BYTES = 4
const PROTOCOL_VERSION = 10
const ERROR_PACKET = 0xff
const ERROR_BYTES_MIN = 3
/** Greetings have about 100 bytes, error packets at most 530. */
const GREETING_BYTES_MAX = 1_024
/** PROTOCOL_41 and SECURE_CONNECTION, which servers have since MySQL 4.1. */
const NEEDED = 0x02_00 | 0x80_00
const UTF8MB4 = 45
/** X Protocol: int<4> length · int<1> type · content; its server begins with a NOTICE. */
const X_NOTICE = 11
const X_NOTICE_BYTES = 5
const X_PROTOCOL = 'it speaks X Protocol, whose port is 33060 by default'
