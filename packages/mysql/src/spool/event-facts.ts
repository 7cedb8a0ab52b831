import { crc32 } from '@node-rs/crc32'

/** A place in the binlog of one server. */
export interface SpoolPlace {
  readonly file: string
  readonly position: number
}

/** The header fields of an event that a spool needs. */
export interface EventFacts {
  readonly type: number
  /** The event is artificial: the server made it up for the dump, and no file contains it. */
  readonly isArtificial: boolean
  readonly size: number
  /** The lower 32 bits of the position of its end; 0 in an event that is in no file. */
  readonly endLow: number
}

const EVENT_PACKET = 0x00
const EVENT_HEADER_BYTES = 19
const FLAG_ARTIFICIAL = 0x20

export const ROTATE = 4
export const FORMAT_DESCRIPTION = 15
const HEARTBEATS: ReadonlySet<number> = new Set([27, 41])
/** GTID, anonymous GTID and tagged GTID of MySQL, GTID of MariaDB. */
const TRANSACTION_STARTS: ReadonlySet<number> = new Set([33, 34, 42, 162])

/** Returns null for a packet without an event: an error of the server, or the end of the dump. */
export function eventFacts(packet: Buffer): EventFacts | null {
  if (packet.length < 1 + EVENT_HEADER_BYTES || packet[0] !== EVENT_PACKET) return null
  const flags = packet.readUInt16LE(18)
  return {
    type: packet[5] as number,
    isArtificial: (flags & FLAG_ARTIFICIAL) !== 0,
    size: packet.length - 1,
    endLow: packet.readUInt32LE(14),
  }
}

export function isHeartbeat({ type }: EventFacts): boolean {
  return HEARTBEATS.has(type)
}

export function startsTransaction({ type }: EventFacts): boolean {
  return TRANSACTION_STARTS.has(type)
}

/** Follows the file and the position of events, as the reader of the dump does. */
export class PlaceTracker {
  /** The file of the next event. */
  file = ''
  /** Where the next event begins. */
  next = 0
  /** Where the last event began. */
  #position = 0
  /** The file of the last event. */
  #fileOfEvent = ''
  /** The last format description; null before the first one. */
  description: Buffer | null = null
  /** When the server created `file`, in seconds since 1970 by its clock; null until it has described the file. */
  createdSeconds: number | null = null

  constructor(start: SpoolPlace | null = null, description: Buffer | null = null) {
    if (start === null) return
    this.file = this.#fileOfEvent = start.file
    this.next = this.#position = start.position
    if (description === null) return
    this.description = description
    this.createdSeconds = createdSecondsOf(description)
  }

  /** Where the last event ended. */
  get end(): SpoolPlace {
    return { file: this.file, position: this.next }
  }

  /** Where the last event began. */
  get place(): SpoolPlace {
    return { file: this.#fileOfEvent, position: this.#position }
  }

  take(packet: Buffer, facts: EventFacts): void {
    this.#fileOfEvent = this.file
    this.#position = this.next
    if (isInFile(facts)) {
      let next = facts.endLow + Math.floor(this.next / SPAN_32) * SPAN_32
      if (next < this.next - SPAN_32 / 2) next += SPAN_32
      this.next = next
      this.#position = next - facts.size
    }
    if (facts.type === FORMAT_DESCRIPTION) {
      this.description = Buffer.from(packet)
      this.createdSeconds = createdSecondsOf(packet)
    }
    if (facts.type === ROTATE) this.#enter(rotateTarget(packet))
  }

  #enter({ file, position }: SpoolPlace): void {
    if (file !== this.file) this.createdSeconds = null
    this.file = file
    this.next = position
  }
}

/** Whether a binlog file contains the event; false for an artificial event. */
export function isInFile({ endLow, isArtificial }: EventFacts): boolean {
  return endLow !== 0 && !isArtificial
}

/** The header of a format description has the time at which the server created the file. */
export function createdSecondsOf(description: Buffer): number {
  return description.readUInt32LE(1)
}

/** Body of ROTATE_EVENT: int<8> position · name of the file · int<4> checksum, if there is one. */
export function rotateTarget(packet: Buffer): SpoolPlace {
  const at = 1 + EVENT_HEADER_BYTES
  if (packet.length < at + 8) throw new RangeError('a rotate event is shorter than its type allows')
  // Whether an artificial one has a checksum depends on the server's version, and no earlier event states it.
  const end = hasChecksum(packet) ? packet.length - 4 : packet.length
  const position = packet.readUInt32LE(at) + packet.readUInt32LE(at + 4) * SPAN_32
  return { file: packet.toString('utf8', at + 8, end), position }
}

function hasChecksum(packet: Buffer): boolean {
  return crc32(packet.subarray(1, packet.length - 4)) === packet.readUInt32LE(packet.length - 4)
}

const SPAN_32 = 2 ** 32

/** An artificial rotate event to a place, as a server sends it at the start of a dump. */
export function rotatePacket({ file, position }: SpoolPlace, hasChecksums: boolean): Buffer {
  const name = Buffer.from(file)
  const size = EVENT_HEADER_BYTES + 8 + name.length + (hasChecksums ? 4 : 0)
  const packet = Buffer.alloc(1 + size)
  packet[5] = ROTATE
  packet.writeUInt32LE(size, 10)
  packet.writeUInt16LE(FLAG_ARTIFICIAL, 18)
  packet.writeUInt32LE(position % SPAN_32, 20)
  packet.writeUInt32LE(Math.floor(position / SPAN_32), 24)
  name.copy(packet, 28)
  if (hasChecksums) sign(packet)
  return packet
}

/** The format description of a file, as a server sends it where a dump begins in the middle of the file. */
export function descriptionInFile(description: Buffer): Buffer {
  const packet = Buffer.from(description)
  const flags = packet.readUInt16LE(18)
  packet.writeUInt16LE(flags & ~FLAG_IN_USE, 18)
  // The position of its end, and the time of the start of the server.
  packet.writeUInt32LE(0, 14)
  packet.writeUInt32LE(0, 20 + 52)
  sign(packet)
  return packet
}

const FLAG_IN_USE = 0x01

function sign(packet: Buffer): void {
  packet.writeUInt32LE(crc32(packet.subarray(1, packet.length - 4)), packet.length - 4)
}

/** Whether the events of a file have checksums, by its format description: the byte before the checksum. */
export function describesChecksums(description: Buffer): boolean {
  return description[description.length - 5] === 1
}

export function isSamePlace(a: SpoolPlace, b: SpoolPlace): boolean {
  return a.file === b.file && a.position === b.position
}

/** Negative when `a` is before `b`. Both belong to one server, which numbers its files. */
export function comparePlaces(a: SpoolPlace, b: SpoolPlace): number {
  const number = (file: string): number => Number(file.slice(file.lastIndexOf('.') + 1))
  return number(a.file) - number(b.file) || a.position - b.position
}
