import { nativeZstd, type Zstd } from '../compression/zstd.ts'
import { readServerError } from '../commands/server-error.ts'
import { clearRangeError, PlainReason } from '../error-texts.ts'
import { mysqlErrors } from '../errors.ts'
import type { EventPackets } from '../spool/spool-feed.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { ChecksumRun } from './checksum-run.ts'
import { eventChecksum } from './event-checksum.ts'
import { BodyInflater } from './body-inflater.ts'
import { EventBlocks } from './event-blocks.ts'
import { EventType } from './event-type.ts'
import { parseAnonymousGtid, parseGtid, parseMariaDbGtid, parseMariaDbGtidList, UuidReader } from './gtid-events.ts'
import { parseGtidTagged } from './gtid-tagged-event.ts'
import { PayloadEvents } from './payload-events.ts'
import { parseLoadQuery, parseQuery, type StatementDecoder } from './query-event.ts'
import { RowsEvent, type RowsBody, type RowsKind } from './rows-event.ts'
import { parseXaPrepare } from './xa-events.ts'
import { TableMapCache } from './table-map-cache.ts'
import { parseTransactionPayload } from './transaction-payload.ts'
import { uint32 } from './uint32.ts'

export interface BinlogReaderOptions {
  readonly packets: EventPackets
  /** Whether the server adds checksums (binlog_checksum). The format description of each file replaces the value. */
  readonly hasChecksums: boolean
  readonly decodeStatement: StatementDecoder
  /** Default: that of this Node; without one, a compressed transaction is an error. */
  readonly zstd?: Zstd | undefined
}

/**
 * Reads the events of a binlog dump, one after the other. The fields below describe the event that `next` returned
 * last.
 *
 * A transaction may be one event, which contains its events compressed (`PayloadEvents`). `next` returns those inside: all
 * of them have the place of the event that they are in, and differ in their `order`.
 *
 * Event (protocol page "Binlog Event"): int<4> seconds · int<1> type · int<4> server id · int<4> size · int<4> position
 * of its end · int<2> flags · body · int<4> checksum if the file has checksums.
 */
export class BinlogReader {
  /** When the server logged the event, in seconds since 1970; 0 for an artificial event, which is in no file. */
  timestampSeconds = 0
  serverId = 0
  /** Name of the current file. */
  file = ''
  /** Where the event begins in the file. */
  position = 0
  /** Where the next event begins. */
  nextPosition = 0
  /** Bytes of the event, decompressed. */
  size = 0
  /** The number of the table of the last rows event. A table has another one after each statement that alters it. */
  tableId = 0

  readonly #packets: EventPackets
  readonly #decodeStatement: StatementDecoder
  readonly #uuids = new UuidReader()
  readonly #tables = new TableMapCache()
  readonly #checksums = new ChecksumRun()
  readonly #blocks = new EventBlocks()
  readonly #inflater = new BodyInflater(this.#blocks)
  /** Null until the first compressed transaction. */
  #payload: PayloadEvents | null = null
  readonly #zstd: Zstd | undefined
  /** Decompressed bytes before the current event in its compressed transaction; 0 outside of one. */
  #offset = 0
  #rowsEvent: RowsEvent | null = null
  #hasChecksums: boolean

  constructor({ packets, hasChecksums, decodeStatement, zstd }: BinlogReaderOptions) {
    this.#packets = packets
    this.#hasChecksums = hasChecksums
    this.#decodeStatement = decodeStatement
    this.#zstd = zstd
  }

  /** Position of the event for messages: `binlog.000003:1234`. */
  get place(): string {
    return this.file === '' ? 'the start of the dump' : `${this.file}:${this.position}`
  }

  /** True: more events of the current compressed transaction follow, at the same position. */
  get isInsidePayload(): boolean {
    return this.#payload?.isOver === false
  }

  /**
   * Grows from event to event of a transaction, unlike the position, which the events of a compressed transaction share.
   */
  get order(): number {
    return this.position + this.#offset
  }

  /**
   * Returns the next event, or null if it has not arrived yet. Throws the server's error, or BINLOG_CORRUPT for bytes
   * that are not an event.
   */
  next(): BinlogEvent | null {
    if (this.#payload !== null) {
      if (!this.#payload.isOver) return this.#nextInside(this.#payload)
      this.#offset = 0
    }
    const packets = this.#packets
    if (!packets.next()) return null
    const { bytes, start, end } = packets
    if (bytes[start] !== EVENT_PACKET || end === start) throw packetError(bytes, start, end)
    try {
      return this.#read(bytes, start + 1, end)
    } catch (thrown) {
      throw this.#corrupt(thrown)
    }
  }

  #nextInside(payload: PayloadEvents): BinlogEvent {
    try {
      return this.#readInside(payload)
    } catch (thrown) {
      throw this.#corrupt(thrown)
    }
  }

  /** Parsers throw RangeError, as Buffer does for a read past its end; only the reader knows the event's position. */
  #corrupt(thrown: unknown): unknown {
    if (!(thrown instanceof RangeError)) return thrown
    const cause = clearRangeError(thrown)
    return mysqlErrors.BINLOG_CORRUPT({ position: this.place, reason: cause.message }, cause)
  }

  /** Waits until `next` may return an event. */
  wait(signal?: AbortSignal): Promise<void> {
    return this.#packets.wait(signal)
  }

  /** Reuses the memory of earlier events. The caller must not read values that refer to their bytes any more. */
  recycle(): void {
    this.#packets.recycle()
    this.#blocks.recycle()
  }

  #read(bytes: Buffer, start: number, end: number): BinlogEvent {
    // Until the header has been validated, assume that the event begins where the previous one ended.
    this.position = this.nextPosition
    if (end - start < HEADER_BYTES) throw new RangeError(`it has ${end - start} bytes, fewer than a header`)
    const type = bytes[start + 4] as number
    const flags = (bytes[start + 17] as number) | ((bytes[start + 18] as number) << 8)
    const bodyEnd = this.#checkedEnd(bytes, { start, end, type, flags })
    const size = uint32(bytes, start + 9)
    if (size !== end - start)
      throw new RangeError(`its header specifies ${size} bytes, but ${end - start} have arrived`)
    this.timestampSeconds = uint32(bytes, start)
    this.serverId = uint32(bytes, start + 5)
    this.size = size
    this.#advance(uint32(bytes, start + 13), type, flags)
    if (bodyEnd - start - HEADER_BYTES < bodyBytesMin(type)) throw new RangeError('it is shorter than its type allows')
    return this.#parse(type, bytes, start + HEADER_BYTES, bodyEnd) ?? this.#skip(type, flags)
  }

  /**
   * The header has 32 bits for the position of the event's end. A file may be larger than 4 GiB, since a transaction is
   * never split, so this method carries the upper bits from event to event. Artificial events are in no file: a rotate
   * has position 0, a heartbeat the position of the next event.
   */
  #advance(low: number, type: number, flags: number): void {
    const isHeartbeat = type === EventType.heartbeat || type === EventType.heartbeatV2
    if (low !== 0 && (isHeartbeat || (flags & FLAG_ARTIFICIAL) === 0)) {
      let next = low + Math.floor(this.nextPosition / SPAN_32) * SPAN_32
      if (next < this.nextPosition - SPAN_32 / 2) next += SPAN_32
      if (next < this.nextPosition) throw new RangeError(`it ends at ${next}, before it begins`)
      this.nextPosition = next
      this.position = isHeartbeat ? next : next - this.size
      return
    }
    this.position = this.nextPosition
  }

  /** Verifies the checksum and returns where the body ends. */
  #checkedEnd(bytes: Buffer, { start, end, type, flags }: EventRange): number {
    const isRight = this.#hasChecksums && this.#checksums.covers(bytes, start, end)
    if (type === EventType.formatDescription) {
      this.#hasChecksums = formatHasChecksums(bytes, start + HEADER_BYTES, end)
      // The server computed the checksum while the flag "in use" was not set.
      if ((flags & FLAG_IN_USE) !== 0) return this.#hasChecksums ? end - 4 : end
    }
    if (!this.#hasChecksums) return end
    if (isRight) return end - 4
    const expected = uint32(bytes, end - 4)
    const actual = eventChecksum(bytes, start, end - 4)
    if (actual === expected) return end - 4
    // Whether an artificial rotate carries a checksum depends on the versions of the server and of its source.
    if (type === EventType.rotate && (flags & FLAG_ARTIFICIAL) !== 0) return end
    throw mysqlErrors.BINLOG_CHECKSUM({ position: this.place, actual, expected })
  }

  #parse(type: number, bytes: Buffer, at: number, end: number): BinlogEvent | null {
    switch (type) {
      case EventType.writeRows:
        return this.#rows('write', bytes, at, end)
      case EventType.updateRows:
        return this.#rows('update', bytes, at, end)
      case EventType.deleteRows:
        return this.#rows('delete', bytes, at, end)
      case EventType.writeRowsV1:
        return this.#rowsV1('write', bytes, at, end)
      case EventType.updateRowsV1:
        return this.#rowsV1('update', bytes, at, end)
      case EventType.deleteRowsV1:
        return this.#rowsV1('delete', bytes, at, end)
      case EventType.tableMap:
        return this.#tables.read(bytes, at, end)
      case EventType.query:
        return parseQuery(bytes, at, end, this.#decodeStatement)
      case EventType.gtid:
        return parseGtid(bytes, at, end, this.#uuids)
      case EventType.xid:
        return XID
      case EventType.mariadbGtid:
        return parseMariaDbGtid(bytes, at, end, this.serverId)
      case EventType.rotate:
        return this.#rotate(bytes, at, end)
      default:
        return this.#parseRare(type, bytes, at, end)
    }
  }

  #parseRare(type: number, bytes: Buffer, at: number, end: number): BinlogEvent | null {
    switch (type) {
      case EventType.partialUpdateRows:
        return this.#partialUpdate(bytes, at, end)
      case EventType.formatDescription:
        this.#tables.forgetNumbers()
        return {
          tag: 'formatDescription',
          serverVersion: bytes.latin1Slice(at + 2, at + 52).replace(/\0.*/s, ''),
          // The time of the start; 0 in other files, and where a dump begins in the middle of a file.
          isServerStart: bytes.readUInt32LE(at + 52) !== 0,
        }
      case EventType.anonymousGtid:
        return parseAnonymousGtid(bytes, at, end)
      case EventType.previousGtids:
        return { tag: 'previousGtids' }
      case EventType.mariadbGtidList:
        return { tag: 'mariadbGtidList', gtids: parseMariaDbGtidList(bytes, at, end) }
      case EventType.rowsQuery:
        // The one length byte is too small for most statements, so it is ignored: the text extends to the end.
        return { tag: 'statement', sql: bytes.utf8Slice(at + 1, end) }
      case EventType.mariadbAnnotateRows:
        return { tag: 'statement', sql: bytes.utf8Slice(at, end) }
      case EventType.heartbeat:
      case EventType.heartbeatV2:
        return { tag: 'heartbeat' }
      case EventType.stop:
        return { tag: 'stop' }
      case EventType.xaPrepare:
        return parseXaPrepare(bytes, at, end)
      case EventType.incident:
        return { tag: 'incident', message: bytes.utf8Slice(at + 3, end) }
      case EventType.executeLoadQuery:
        return parseLoadQuery(bytes, at, end, this.#decodeStatement)
      case EventType.gtidTagged:
        return parseGtidTagged(bytes, at, end, this.#uuids)
      case EventType.transactionPayload:
        this.#payload ??= new PayloadEvents(this.#blocks, () => this.#requireZstd())
        this.#payload.open(parseTransactionPayload(bytes, at, end))
        return this.#readInside(this.#payload)
      default:
        return this.#parseCompressed(type, bytes, at, end)
    }
  }

  /** MariaDB with `log_bin_compress`: the end of the body is compressed. */
  #parseCompressed(type: number, bytes: Buffer, at: number, end: number): BinlogEvent | null {
    const plainType = PLAIN_TYPES.get(type)
    if (plainType === undefined) return null
    const length = this.#inflater.inflate(plainType, bytes, at, end)
    this.size += length - (end - at)
    const { bytes: body, start } = this.#blocks
    return this.#parse(plainType, body, start, start + length)
  }

  /** The next event of a compressed transaction. Its header has no valid position. */
  #readInside(payload: PayloadEvents): BinlogEvent {
    payload.next()
    const { bytes, start, end, offset } = payload
    const type = bytes[start + 4] as number
    this.#offset = offset
    this.timestampSeconds = uint32(bytes, start)
    this.serverId = uint32(bytes, start + 5)
    this.size = end - start
    if (OUTSIDE_TYPES.has(type)) throw new RangeError(`a compressed transaction contains an event of type ${type}`)
    if (end - start - HEADER_BYTES < bodyBytesMin(type)) throw new RangeError('it is shorter than its type allows')
    const flags = (bytes[start + 17] as number) | ((bytes[start + 18] as number) << 8)
    return this.#parse(type, bytes, start + HEADER_BYTES, end) ?? this.#skip(type, flags)
  }

  #requireZstd(): Zstd {
    const zstd = this.#zstd ?? nativeZstd()
    if (zstd === null) throw new RangeError('it is compressed with zstd, which Node has from version 22.15 on')
    return zstd
  }

  /** Body of ROTATE_EVENT: int<8> position · name of the next file, up to the end of the event. */
  #rotate(bytes: Buffer, at: number, end: number): BinlogEvent {
    const position = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * SPAN_32
    const file = bytes.utf8Slice(at + 8, end)
    // Names are in messages and offsets, and a new dump is requested by them.
    if (!FILE_NAME.test(file)) throw new RangeError('it names a file as no server does')
    if (position < BEGIN || !Number.isSafeInteger(position)) throw new RangeError(`it continues at ${position}`)
    this.file = file
    this.nextPosition = position
    this.#tables.forgetNumbers()
    return { tag: 'rotate', file: this.file, position }
  }

  /** int<6> table id · int<2> flags · int<2> length of extra data with itself · extra data · body. */
  #rows(kind: RowsKind, bytes: Buffer, at: number, end: number): BinlogEvent {
    return this.#rowsOf(kind, bytes.readUIntLE(at, 6), { bytes, at: at + 8 + bytes.readUInt16LE(at + 8), end })
  }

  /** The same, with changes of JSON documents. */
  #partialUpdate(bytes: Buffer, at: number, end: number): BinlogEvent {
    const body = { bytes, at: at + 8 + bytes.readUInt16LE(at + 8), end, hasDiffs: true }
    return this.#rowsOf('update', bytes.readUIntLE(at, 6), body)
  }

  /** A rows event without extra data (MySQL 5.1 to 5.5, MariaDB): int<6> table id · int<2> flags · body. */
  #rowsV1(kind: RowsKind, bytes: Buffer, at: number, end: number): BinlogEvent {
    return this.#rowsOf(kind, bytes.readUIntLE(at, 6), { bytes, at: at + 8, end })
  }

  #rowsOf(kind: RowsKind, tableId: number, body: RowsBody): BinlogEvent {
    const table = this.#tables.get(tableId)?.table
    this.tableId = tableId
    if (table !== undefined) {
      this.#rowsEvent ??= new RowsEvent(table, () => this.place)
      return this.#rowsEvent.reset(kind, table, body)
    }
    // This table id means "no table": the event ends a statement whose rows were all filtered.
    if (tableId === NO_TABLE) return { tag: 'ignored', type: EventType.writeRows }
    throw mysqlErrors.BINLOG_TABLE_UNKNOWN({ position: this.place, tableId })
  }

  /** An event of an unknown type may be skipped only if its header has the flag "ignorable". */
  #skip(type: number, flags: number): BinlogEvent {
    if ((flags & FLAG_IGNORABLE) !== 0 || SKIPPED_TYPES.has(type)) return { tag: 'ignored', type }
    throw mysqlErrors.BINLOG_EVENT_UNKNOWN({ position: this.place, type })
  }
}

interface EventRange {
  readonly start: number
  readonly end: number
  readonly type: number
  readonly flags: number
}

/**
 * Body of FORMAT_DESCRIPTION_EVENT: int<2> binlog version · string<50> server version · int<4> time · int<1> length of
 * event headers · a byte for each type · int<1> checksum algorithm of the file · int<4> checksum, which is always
 * present. The event itself specifies how to verify it, so an event with a damaged type must not be taken for a format
 * description.
 */
function formatHasChecksums(bytes: Buffer, start: number, end: number): boolean {
  const version = bytes.readUInt16LE(start)
  const algorithm = bytes[end - 5] as number
  const types = end - start - FORMAT_BYTES
  // For its own type, it lists the length of its body up to the algorithm: another one proves that bytes are missing.
  const isComplete = bytes[start + 57 + EventType.formatDescription - 1] === ((types + 57) & 0xff)
  const isKnown = version === BINLOG_VERSION && bytes[start + 56] === HEADER_BYTES && algorithm <= CHECKSUM_CRC32
  if (!isComplete || !isKnown) {
    throw new RangeError(`it describes a format of version ${version} with checksum algorithm ${algorithm}`)
  }
  return algorithm === CHECKSUM_CRC32
}

/** The error of a packet that is not an event: the server's error, the end of the dump, or unknown bytes. */
export function packetError(bytes: Buffer, start: number, end: number): Error {
  const first = end === start ? -1 : bytes[start]
  if (first === ERR_PACKET && end - start >= 3) return readServerError(bytes, start, end)
  if (first === EOF_PACKET) return new PlainReason('the server ended the dump')
  return new RangeError(`a packet of ${end - start} bytes that is not an event`)
}

/** Bytes of the body that the parser reads without a check of its length. */
function bodyBytesMin(type: number): number {
  return BODY_BYTES_MIN[type] as number
}

const BODY_BYTES_MIN = Uint8Array.from({ length: 256 }, (_, type) => {
  switch (type) {
    case EventType.query:
    case EventType.mariadbQueryCompressed:
      return 14
    case EventType.executeLoadQuery:
      return 27
    case EventType.rotate:
    case EventType.xid:
    case EventType.tableMap:
    case EventType.writeRowsV1:
    case EventType.updateRowsV1:
    case EventType.deleteRowsV1:
    case EventType.mariadbWriteRowsCompressedV1:
    case EventType.mariadbUpdateRowsCompressedV1:
    case EventType.mariadbDeleteRowsCompressedV1:
      return 8
    case EventType.writeRows:
    case EventType.updateRows:
    case EventType.deleteRows:
    case EventType.mariadbWriteRowsCompressed:
    case EventType.mariadbUpdateRowsCompressed:
    case EventType.mariadbDeleteRowsCompressed:
    case EventType.partialUpdateRows:
      return 10
    case EventType.gtid:
      return 42
    case EventType.mariadbGtid:
      return 19
    case EventType.mariadbGtidList:
      return 4
    case EventType.incident:
      return 3
    case EventType.xaPrepare:
      return 13
    case EventType.formatDescription:
      return 57
    default:
      return 0
  }
})

/** MariaDB's compressed events, and what they are once they are inflated. */
const PLAIN_TYPES: ReadonlyMap<number, number> = new Map([
  [EventType.mariadbQueryCompressed, EventType.query],
  [EventType.mariadbWriteRowsCompressedV1, EventType.writeRowsV1],
  [EventType.mariadbUpdateRowsCompressedV1, EventType.updateRowsV1],
  [EventType.mariadbDeleteRowsCompressedV1, EventType.deleteRowsV1],
  [EventType.mariadbWriteRowsCompressed, EventType.writeRows],
  [EventType.mariadbUpdateRowsCompressed, EventType.updateRows],
  [EventType.mariadbDeleteRowsCompressed, EventType.deleteRows],
])

/** Events that belong to a file or precede a transaction. */
const OUTSIDE_TYPES: ReadonlySet<number> = new Set([
  EventType.formatDescription,
  EventType.rotate,
  EventType.stop,
  EventType.previousGtids,
  EventType.gtid,
  EventType.gtidTagged,
  EventType.anonymousGtid,
  EventType.heartbeat,
  EventType.heartbeatV2,
  EventType.transactionPayload,
])

const XID: BinlogEvent = { tag: 'xid' }
const HEADER_BYTES = 19
const EVENT_PACKET = 0x00
const ERR_PACKET = 0xff
const EOF_PACKET = 0xfe
const SPAN_32 = 2 ** 32
const BINLOG_VERSION = 4
const CHECKSUM_CRC32 = 1
/** Of a format description, apart from the byte for each type. */
const FORMAT_BYTES = 57 + 1 + 4
const FLAG_IN_USE = 0x01
const FLAG_ARTIFICIAL = 0x20
const FLAG_IGNORABLE = 0x80
const NO_TABLE = 0xff_ff_ff
/** A base name and a number; servers limit a path to 512 bytes. */
const FILE_NAME = /^[^\p{Cc}\ufffd]{1,512}$/u
/** Of the first event of a file. */
const BEGIN = 4

/**
 * Known events that change no row but lack the flag "ignorable": context of a statement in statement format, such as the
 * file of a LOAD DATA (the statement itself is handled separately), events of group replication, and MariaDB's checkpoints.
 */
const SKIPPED_TYPES: ReadonlySet<number> = new Set([
  EventType.intvar,
  EventType.rand,
  EventType.userVar,
  EventType.beginLoadQuery,
  EventType.appendBlock,
  EventType.deleteFile,
  EventType.transactionContext,
  EventType.viewChange,
  EventType.mariadbBinlogCheckpoint,
])
