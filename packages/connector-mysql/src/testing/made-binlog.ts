import { type EventPackets, mysqlErrors } from '@tributary/mysql'
import { doneOr } from '@tributary/support'
import { eventOf, rotateTo } from '@tributary/testkit'
import type { DumpedPackets } from '../streaming/spool/spool-pump.ts'

export const FIRST_FILE = 'binlog.000001'
export const GTID = 33
export const XID = 16
/** The event with the statement of rows, which MariaDB sends only on request. */
export const ANNOTATE_ROWS = 160
export const CREATED = 1_700_000_000
const FORMAT = 15
const STOP = 3

/**
 * The body of a format description without its checksum: int<2> version · string<50> · int<4> · int<1> length of event
 * headers · a byte for each of 26 types, of which a reader wants its own (15): the length of this · int<1> CRC-32.
 */
const DESCRIPTION = Buffer.alloc(84)
DESCRIPTION[0] = 4
DESCRIPTION[56] = 19
DESCRIPTION[57 + FORMAT - 1] = 57 + 26
DESCRIPTION[83] = 1

/** A generated binlog file: transactions of two events each. */
export class MadeBinlog {
  readonly file: string
  readonly created: number
  readonly events: { readonly begin: number; readonly packet: Buffer }[] = []
  /** The file that follows, without a rotate event in this one: the server crashed. */
  next: MadeBinlog | null = null
  end = 4

  constructor(created: number = CREATED, file: string = FIRST_FILE) {
    this.created = created
    this.file = file
    this.add(FORMAT, DESCRIPTION, created)
  }

  transaction(bytes: number, number = 1): void {
    this.add(GTID, gtidBody(number))
    this.add(XID, Buffer.alloc(bytes))
  }

  stop(): void {
    this.add(STOP, Buffer.alloc(0))
  }

  add(type: number, body: Buffer, seconds = 1): void {
    const begin = this.end
    this.end += 19 + body.length + 4
    this.events.push({ begin, packet: packetOf(eventOf({ type, seconds, end: this.end, body })) })
  }

  /** Where each transaction begins. */
  get begins(): readonly number[] {
    return this.events.filter(({ packet }) => packet[5] === GTID).map(({ begin }) => begin)
  }

  get packets(): readonly Buffer[] {
    return this.events.map(({ packet }) => packet)
  }

  /** The packets that a server sends for a dump from there: two artificial events, and the rest. */
  dump(from: number): MadeDump {
    const dump = new MadeDump()
    this.#send(dump, from)
    return dump
  }

  #send(dump: MadeDump, from: number): void {
    dump.push(packetOf(rotateTo(this.file, from)))
    if (from > 4) dump.push(packetOf(eventOf({ type: FORMAT, seconds: this.created, body: DESCRIPTION })))
    for (const { begin, packet } of this.events) if (begin >= from) dump.push(packet)
    if (this.next !== null) this.next.#send(dump, 4)
  }
}

/** int<1> flags · 16 bytes UUID · int<8> number · … */
function gtidBody(number: number): Buffer {
  const body = Buffer.alloc(42)
  body.writeBigUInt64LE(BigInt(number), 17)
  return body
}

/** The source of the GTIDs. */
export const SOURCE = '00000000-0000-0000-0000-000000000000'

export function packetOf(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), event])
}

/** A connection whose packets a test adds. Like a real one, it adds its address to every error. */
export class MadeDump implements DumpedPackets, EventPackets {
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  end = 0
  isClosed = false
  readonly packets: EventPackets = this
  readonly #queue: Buffer[] = []
  #failure: Error | null = null
  #wake: () => void = () => undefined

  push(packet: Buffer): void {
    this.#queue.push(packet)
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#wake()
  }

  get left(): number {
    return this.#queue.length
  }

  next(): boolean {
    const packet = this.#queue.shift()
    if (packet === undefined) return false
    this.bytes = packet
    this.end = packet.length
    return true
  }

  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    if (this.#queue.length > 0) return
    await doneOr(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
  }

  recycle(): void {
    // A test does not reuse the memory of its packets.
  }

  wrap(thrown: unknown): Error {
    return mysqlErrors.MYSQL_CONNECTION_LOST({ address: 'db:3306', doing: 'reading', reason: String(thrown) })
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}
