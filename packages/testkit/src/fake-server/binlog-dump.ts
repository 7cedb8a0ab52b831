import { crc32 } from 'node:zlib'
import type { Flavor } from '../database/database-programs.ts'
import { packetsOf } from './packets.ts'

/** A binlog file in memory. */
export interface ServedBinlog {
  readonly flavor: Flavor
  readonly file: string
  /** Each with its header and its checksum, from the start of the file on; the first one is the format description. */
  readonly events: readonly Buffer[]
}

/** Where a dump starts. */
export type ServedStart =
  | { readonly tag: 'position'; readonly position: number }
  /** Transactions up to this number of each source are not sent. */
  | { readonly tag: 'after'; readonly transaction: number }

/**
 * The events that a server sends: an artificial rotate event, the format description, then those from the start on.
 */
export function dumpedEvents({ flavor, file, events }: ServedBinlog, start: ServedStart): readonly Buffer[] {
  const [description = Buffer.alloc(0), ...others] = events
  const from =
    start.tag === 'position'
      ? others.findIndex((event) => beginOf(event) >= start.position)
      : firstAfter(flavor, others, start.transaction)
  const isAtBegin = start.tag === 'position' && start.position <= 4
  // A description that is not read at its place has the position 0, so that it does not move the reader.
  const first = isAtBegin ? description : summed(withEnd(description.subarray(0, -4), 0))
  return [rotateTo(file, start.tag === 'position' ? start.position : 4), first, ...(from < 0 ? [] : others.slice(from))]
}

/** The bytes of a dump: a packet of 0x00 and the event each. */
export function dumpBytes(events: readonly Buffer[], firstSequence = 1): Buffer {
  return packetsOf(
    events.map((event) => Buffer.concat([EVENT, event])),
    firstSequence,
  )
}

/** Index of the first event of the transaction after the one with that number. */
function firstAfter(flavor: Flavor, events: readonly Buffer[], transaction: number): number {
  return events.findIndex((event) => (transactionOf(flavor, event) ?? 0) > transaction)
}

/** GTID_EVENT: int<1> flags · 16 bytes UUID · int<8> number. MariaDB's: int<8> number · … */
function transactionOf(flavor: Flavor, event: Buffer): number | null {
  if (flavor === 'mysql' && event[4] === GTID_EVENT) return Number(event.readBigUInt64LE(19 + 17))
  if (flavor === 'mariadb' && event[4] === MARIADB_GTID_EVENT) return Number(event.readBigUInt64LE(19))
  return null
}

/** int<4> at offset 13 of each event is where it ends, at offset 9 its size. */
function beginOf(event: Buffer): number {
  return event.readUInt32LE(13) - event.readUInt32LE(9)
}

function withEnd(event: Buffer, position: number): Buffer {
  const copy = Buffer.from(event)
  copy.writeUInt32LE(position, 13)
  return copy
}

/** An artificial rotate event: time and position are 0, flag 0x20; body: int<8> position · name. */
export function rotateTo(file: string | Buffer, position: number): Buffer {
  const body = Buffer.alloc(8)
  body.writeBigUInt64LE(BigInt(position))
  return eventOf({ type: ROTATE_EVENT, flags: 0x20, body: Buffer.concat([body, Buffer.from(file)]) })
}

export interface MadeEvent {
  readonly type: number
  readonly flags?: number
  readonly seconds?: number
  /** Where the event ends in the file; 0 for an artificial one. */
  readonly end?: number
  readonly body: Buffer
}

/** An event with a correct size and checksum: int<4> seconds · int<1> type · int<4> server · int<4> size · int<4> end · int<2> flags · body. */
export function eventOf({ type, flags = 0, seconds = 0, end = 0, body }: MadeEvent): Buffer {
  const event = Buffer.concat([Buffer.alloc(19), body])
  event.writeUInt32LE(seconds, 0)
  event[4] = type
  event.writeUInt32LE(1, 5)
  event.writeUInt32LE(event.length + 4, 9)
  event.writeUInt32LE(end, 13)
  event.writeUInt16LE(flags, 17)
  return summed(event)
}

/** The bytes followed by their CRC-32. */
export function summed(event: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(event))
  return Buffer.concat([event, sum])
}

const EVENT = Buffer.from([0])
const ROTATE_EVENT = 4
const GTID_EVENT = 33
const MARIADB_GTID_EVENT = 162
