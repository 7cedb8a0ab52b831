import { readFileSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { crc32, gunzipSync } from 'node:zlib'
import { BinlogReader } from '../binlog/binlog-reader.ts'
import { EventType } from '../binlog/event-type.ts'
import type { StatementDecoder } from '../binlog/query-event.ts'
import type { Zstd } from '../compression/zstd.ts'
import { PacketReader } from '../connection/packet-reader.ts'

/** Binlog files of real servers, captured by `fixtures/capture-binlogs.ts`. */
export type CapturedName = `mysql.0${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `mariadb.0${1 | 2 | 3 | 4}`

export interface CapturedBinlog {
  readonly name: CapturedName
  /** Each with its header and its checksum. */
  readonly events: readonly Buffer[]
  /** The output of mysqlbinlog for the file; one character per byte. */
  readonly printed: string
}

export function capturedBinlog(name: CapturedName): CapturedBinlog {
  const read = (kind: string): Buffer =>
    gunzipSync(readFileSync(new URL(`../../fixtures/binlogs/${name}.${kind}.gz`, import.meta.url)))
  return { name, events: splitEvents(read('binlog')), printed: read('txt').toString('latin1') }
}

/** A file is a four-byte magic number, then the events without gaps; int<4> at offset 9 of each is its size. */
function splitEvents(file: Buffer): Buffer[] {
  const events: Buffer[] = []
  for (let at = 4; at < file.length; at += file.readUInt32LE(at + 9)) {
    events.push(file.subarray(at, at + file.readUInt32LE(at + 9)))
  }
  return events
}

/** A socket without data; the test passes the bytes to the reader itself. */
export function silentSocket(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
}

/** A packet: int<3> length · int<1> sequence · payload; several for a payload of 2^24-1 bytes and more. */
export function packetOf(payload: Buffer, firstSequence = 0): Buffer {
  const parts: Buffer[] = []
  for (let at = 0, sequence = firstSequence; ; at += 0xff_ff_ff, sequence++) {
    const part = payload.subarray(at, at + 0xff_ff_ff)
    const header = Buffer.alloc(4)
    header.writeUIntLE(part.length, 0, 3)
    header[3] = sequence & 0xff
    parts.push(header, part)
    if (part.length < 0xff_ff_ff) return Buffer.concat(parts)
  }
}

/**
 * A reader that has received these events of a dump, as contiguous bytes of a socket: first the rotate event that
 * begins every dump, then each event after its 0x00.
 */
export function readerOf(events: readonly Buffer[], hasChecksums = true, zstd?: Zstd): BinlogReader {
  const packets = new PacketReader(silentSocket())
  const sent = [rotateTo('binlog.000001', 4, hasChecksums), ...events]
  packets.push(Buffer.concat(sent.map((event) => packetOf(Buffer.concat([EVENT, event])))))
  const decodeStatement: StatementDecoder = (bytes, from, to) => bytes.utf8Slice(from, to)
  return new BinlogReader({ packets, hasChecksums, decodeStatement, zstd })
}

const EVENT = Buffer.from([0])

/** An artificial rotate event: time, server and position are 0, flag 0x20; body: int<8> position · name. */
export function rotateTo(file: string, position: number, hasChecksums: boolean): Buffer {
  const event = Buffer.alloc(19 + 8 + file.length)
  event[4] = EventType.rotate
  event[17] = 0x20
  event.writeBigUInt64LE(BigInt(position), 19)
  event.write(file, 27, 'latin1')
  return withSize(event, hasChecksums)
}

/** The event with a corrected size and, with checksums, a correct checksum. */
function withSize(event: Buffer, hasChecksums: boolean): Buffer {
  event.writeUInt32LE(event.length + (hasChecksums ? 4 : 0), 9)
  return hasChecksums ? summed(event) : event
}

/** The bytes followed by their CRC-32. */
export function summed(event: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(event))
  return Buffer.concat([event, sum])
}

/** The events as a server without checksums would send them. */
export function withoutChecksums(events: readonly Buffer[]): Buffer[] {
  return events.map((event) => {
    if (event[4] === EventType.formatDescription) {
      const copy = Buffer.from(event)
      // The algorithm precedes the last four bytes; 0 means no checksum.
      copy[copy.length - 5] = 0
      return copy
    }
    const bare = Buffer.from(event.subarray(0, -4))
    bare.writeUInt32LE(bare.length, 9)
    return bare
  })
}
