import {
  answeredWithin,
  type BinlogEvent,
  type BinlogReader,
  BinlogStream,
  type BinlogStreamOptions,
  type EventStream,
  type DumpOptions,
  type MySqlConnection,
  mysqlErrors,
} from '@tributary/mysql'
import { type Clock, StoppedError, withTimeout } from '@tributary/support'
import { comparePlaces, type LogPlace } from './log-place.ts'

export interface BinlogAheadOptions {
  readonly flavor: 'mysql' | 'mariadb'
  readonly connection: BinlogStreamOptions['connection']
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  /** A connection that is silent for so long is lost. */
  readonly silenceMsMax: number
  readonly clock: Clock
  /** The spool from which the stream reads; the server may have purged some of its events. Default: none. */
  readonly spooled?: SpooledEvents | null
  /** Statements of rows, too; default: not on MariaDB, which sends them only when asked. */
  readonly wantsStatements?: boolean
}

/** The events of the spool that the stream has not sent yet. */
export interface SpooledEvents {
  /** Where the first one begins; null when the stream does not read the spool. */
  readonly first: LogPlace | null
  /**
   * The events from a place on; null when the stream does not read the spool, or the spool lacks that place.
   *
   * @throws the error of the file system; errors of `SpoolAhead.wait` from `wait` of the stream
   */
  open(from: LogPlace): Promise<EventStream | null>
}

export interface AheadRange {
  /** Where an event begins. A dump may start there: outside a transaction, or at the start of one. */
  readonly from: LogPlace
  readonly until: LogPlace
  /** Inspects the server before the dump starts; throws when it is not the one that the places belong to. */
  readonly inspect: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
  /** After so long `readAhead` stops; default: it reads all. */
  readonly limitMs?: number | undefined
}

/**
 * Reads a part of the binlog ahead of the stream or after it, on a connection of its own. It asks as `mysqlbinlog`
 * does, with the server id 0: the server does not count it as a replica, and does not end the dump of the stream, which
 * has the connector's id.
 */
export class AheadReader implements AsyncDisposable {
  readonly #options: BinlogAheadOptions
  readonly #stream: EventStream
  readonly #until: LogPlace
  #isOver = false

  private constructor(options: BinlogAheadOptions, stream: EventStream, until: LogPlace) {
    this.#options = options
    this.#stream = stream
    this.#until = until
  }

  static async open(options: BinlogAheadOptions, range: AheadRange, signal: AbortSignal): Promise<AheadReader> {
    const spooled = (await options.spooled?.open(range.from)) ?? null
    return new AheadReader(options, spooled ?? (await openOnServer(options, range, signal)), range.until)
  }

  /** Its fields describe the event that `next` or `take` returned last. */
  get header(): BinlogReader {
    return this.#stream.reader
  }

  /** True when the last event of the range was returned. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The next event; null when it has not arrived yet. */
  take(): BinlogEvent | null {
    const event = this.#stream.next()
    const { file, nextPosition: position, isInsidePayload } = this.header
    if (event !== null) this.#isOver = !isInsidePayload && comparePlaces({ file, position }, this.#until) >= 0
    return event
  }

  /** The next event; null at the end of the range. The event before it is no longer valid. */
  async next(signal: AbortSignal): Promise<BinlogEvent | null> {
    while (!this.#isOver) {
      const event = this.take()
      if (event !== null) return event
      await this.wait(signal)
    }
    return null
  }

  /** Waits until `take` may return an event. Earlier events are no longer valid. */
  async wait(signal: AbortSignal): Promise<void> {
    const { connection, clock, silenceMsMax } = this.#options
    this.header.recycle()
    try {
      await withTimeout(clock, silenceMsMax, (limit) => this.#stream.wait(limit), signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw mysqlErrors.MYSQL_CONNECTION_LOST({
        address: `${connection.host}:${connection.port}`,
        doing: 'reading the binlog',
        reason: `nothing arrived for ${silenceMsMax} ms`,
      })
    }
  }

  close(): Promise<void> {
    return this.#stream.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Calls `onEvent` with each event of the range, until it returns false. Returns null; when there was no time for all of
 * it, the start of the last transaction, up to which it was read as a whole: a dump may continue there.
 */
export async function readAhead(
  options: BinlogAheadOptions,
  range: AheadRange,
  onEvent: (event: BinlogEvent, reader: BinlogReader) => boolean | void,
  signal: AbortSignal,
): Promise<LogPlace | null> {
  if (comparePlaces(range.from, range.until) >= 0) return null
  const { clock } = options
  await using reader = await AheadReader.open(options, range, signal)
  const endMs = clock.monotonicMs() + (range.limitMs ?? Number.POSITIVE_INFINITY)
  let start = range.from
  while (!reader.isOver) {
    const event = reader.take()
    if (event === null) await reader.wait(signal)
    else {
      const { header } = reader
      if (isStart(event)) start = { file: header.file, position: header.position }
      if (onEvent(event, header) === false) return null
    }
    if (!reader.isOver && clock.monotonicMs() > endMs) return start
    // Also lets a stop be noticed while events arrive faster than they are read.
    if (signal.aborted) throw new StoppedError()
  }
  return null
}

/** The event begins a transaction, or names the one that follows. */
function isStart({ tag }: BinlogEvent): boolean {
  return tag === 'gtid' || tag === 'anonymousGtid' || tag === 'mariadbGtid'
}

function openOnServer(options: BinlogAheadOptions, range: AheadRange, signal: AbortSignal): Promise<BinlogStream> {
  const { flavor, connection, decodeStatement, clock } = options
  const { from, inspect } = range
  const dump: DumpOptions = {
    flavor,
    start: { tag: 'position', file: from.file, position: from.position },
    serverId: 0,
    replicaUuid: '',
    heartbeatMs: HEARTBEAT_MS,
    wantsStatements: options.wantsStatements ?? false,
  }
  const address = `${connection.host}:${connection.port}`
  return answeredWithin(
    { clock, limitMs: OPENING_MS_MAX, address, doing: () => 'requesting the binlog' },
    (limit) => BinlogStream.open({ connection, decodeStatement, inspect, dump }, limit),
    signal,
  )
}

/** Login, and a server with thousands of binlog files. */
const OPENING_MS_MAX = 90_000
const HEARTBEAT_MS = 2_000
