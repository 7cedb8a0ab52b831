import type { PollResult, SourcePartition, SourceRecord } from '@tributary/connect-api'
import type { ChangeEventSource } from '@tributary/connector-kit'
import {
  answeredWithin,
  BinlogStream,
  type BinlogStreamOptions,
  type MySqlConnection,
  mysqlErrors,
} from '@tributary/mysql'
import {
  BackOff,
  CodedError,
  isRetriable,
  StoppedError,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import { connectorErrors } from '../errors.ts'
import { BinlogEventHandler, type BinlogEventHandlerOptions } from './binlog-event-handler.ts'
import { BinlogCursor } from './binlog-cursor.ts'
import { ResumeSkip } from './resume-skip.ts'

export interface BinlogSourceOptions {
  readonly connectorName: string
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: BinlogStreamOptions['connection']
  readonly replicaUuid: string
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  readonly handler: BinlogEventHandlerOptions
  readonly partition: SourcePartition
  /** Where to start. */
  readonly start: StreamPosition
  readonly clock: Clock
  readonly logger: Logger
}

/** A connection with the handler of its events. */
interface Connected {
  readonly stream: BinlogStream
  readonly handler: BinlogEventHandler
}

/**
 * The stream of changes: reads the binlog from a position on, for ever. A connection that is lost, or on which nothing comes any
 * more, is opened again after growing pauses, from the last event that was handled; nothing is given twice.
 *
 * Records that were made before an error are given before the error is.
 */
export class BinlogSource implements ChangeEventSource {
  readonly #options: BinlogSourceOptions
  readonly #backOff = new BackOff({ initialMs: 250, maxMs: 30_000 })
  #connected: Connected | null = null
  /** Where a new connection begins. */
  #resume: StreamPosition
  #failure: Error | null = null
  /** Why the server that answers will not do, and since when it is just that. */
  #wrong: { readonly reason: string; readonly sinceMs: number } | null = null
  /** What the server that was looked at last had still to get. */
  #lacking = ''
  #lastHeardMs: number
  #lastRecordMs: number
  /** The last position given, in records or as progress. */
  #given: StreamPosition | null = null

  constructor(options: BinlogSourceOptions) {
    this.#options = options
    this.#resume = options.start
    this.#lastHeardMs = options.clock.now()
    this.#lastRecordMs = this.#lastHeardMs
  }

  async poll(signal: AbortSignal): Promise<PollResult> {
    for (;;) {
      if (this.#failure !== null) await this.#recover(this.#failure, signal)
      const records: SourceRecord[] = []
      try {
        this.#connected ??= await this.#connect(signal)
        this.#beginRecords(this.#connected)
        const hasMore = await this.#collect(this.#connected, records, signal)
        // Not sooner: an event that cannot be read is met again by every new connection.
        this.#backOff.reset()
        this.#wrong = null
        // A producer that stands still keeps us from reading, for hours: that is no silence of the server's.
        if (records.length > 0) this.#lastHeardMs = this.#options.clock.now()
        this.#remember(this.#connected)
        return this.#result(records, hasMore)
      } catch (thrown) {
        if (thrown instanceof StoppedError) throw thrown
        this.#failure = toError(thrown)
        if (this.#connected !== null) this.#remember(this.#connected)
        if (records.length === 0) continue
        this.#backOff.reset()
        return this.#result(records, false)
      }
    }
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    const { config, flavor, serverInfo, connection, replicaUuid, decodeStatement, handler, logger, clock } =
      this.#options
    const resume = this.#resume
    let identity = resume.serverIdentity
    const options: BinlogStreamOptions = {
      connection,
      decodeStatement,
      inspect: async (opened) => {
        identity = await this.#requireServer(opened)
      },
      dump: {
        flavor: flavor.name,
        start: flavor.dumpStart(resume, serverInfo),
        serverId: config.serverId,
        replicaUuid,
        heartbeatMs: Math.max(1000, Math.floor(config.keepAliveIntervalMs * HEARTBEAT_SHARE)),
        wantsStatements: false,
      },
    }
    const stream = await answeredWithin(
      {
        clock,
        limitMs: config.connectTimeoutMs + INSPECTION_MS_MAX,
        address: `${config.host}:${config.port}`,
        doing: () => 'asking for the binlog',
      },
      (limit) => BinlogStream.open(options, limit),
      signal,
    )
    logger.info(
      `Connected to binlog at ${config.host}:${config.port}, starting at ${resume.describe()} (server thread ${stream.threadId})`,
    )
    this.#lastHeardMs = clock.now()
    const start = this.#startOn(identity)
    return { stream, handler: new BinlogEventHandler(handler, new BinlogCursor(start), new ResumeSkip(start)) }
  }

  /** Is it the server that was read from, or one that has all of that too? Gives its identity. */
  async #requireServer(connection: MySqlConnection): Promise<string> {
    const { flavor } = this.#options
    const resume = this.#resume
    const { address } = connection
    const info = await flavor.readServerInfo(connection)
    const before = resume.serverIdentity
    if (resume.gtids === null && before !== null && before !== info.identity) {
      throw connectorErrors.SERVER_OTHER({
        address,
        now: info.identity,
        before,
        position: `${resume.file}:${resume.position}`,
        minutes: WRONG_SERVER_MINUTES,
      })
    }
    const missing = await flavor.findMissing(connection, resume, info)
    if (missing === null) return info.identity
    if (missing.lacking !== null) {
      this.#lacking = missing.lacking
      throw connectorErrors.SERVER_BEHIND({ ...missing, address, minutes: WRONG_SERVER_MINUTES })
    }
    const connector = this.#options.connectorName
    throw connectorErrors.POSITION_PURGED({ ...missing, address, position: resume.describe(), connector })
  }

  /** A replica cuts the rows of a transaction into events of its own: what was counted on another server is read again. */
  #startOn(identity: string | null): StreamPosition {
    const resume = this.#resume
    const { gtids } = resume
    const start = resume.onServer(gtids === null ? null : this.#options.flavor.parseGtids(gtids), identity)
    const isHere = resume.serverIdentity === null || resume.serverIdentity === identity
    if (isHere || (resume.event === 0 && resume.row === 0)) return start
    this.#options.logger.warn(
      `The connection was lost in a transaction, and this is another server (${identity}, before ${resume.serverIdentity}): the transaction is read again from its begin, and up to ${resume.event} of its events are repeated`,
    )
    return start.atRestart()
  }

  /** Records that were given before are of the past: what their values stand in is used again. */
  #beginRecords({ stream }: Connected): void {
    this.#options.handler.rows.begin()
    stream.reader.recycle()
  }

  /** Handles what has arrived, up to a batch; waits a while when nothing has. True: it was a whole batch, so there is more. */
  async #collect(connected: Connected, records: SourceRecord[], signal: AbortSignal): Promise<boolean> {
    const { config, clock } = this.#options
    const { stream, handler } = connected
    const { reader } = stream
    const begunMs = clock.now()
    let bytes = 0
    while (records.length < config.batchRowsMax && bytes < BATCH_BYTES_MAX) {
      const event = stream.next()
      if (event === null) {
        if (records.length > 0 || !(await this.#hears(stream, signal))) return false
        if (clock.now() - begunMs > COLLECT_MS_MAX) return false
        this.#beginRecords(connected)
        continue
      }
      bytes += reader.size
      const waiting = handler.handle(event, reader, records, signal)
      if (waiting !== null) {
        await waiting
        this.#options.handler.rows.readClock()
      }
    }
    return true
  }

  /** True when something has arrived within the poll interval. Throws when the connection has been silent for too long. */
  async #hears(stream: BinlogStream, signal: AbortSignal): Promise<boolean> {
    const { clock, config } = this.#options
    try {
      await withTimeout(clock, config.pollIntervalMs, (limit) => stream.wait(limit), signal)
      this.#lastHeardMs = clock.now()
      return true
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      const silentMs = clock.now() - this.#lastHeardMs
      if (silentMs <= config.keepAliveIntervalMs) return false
      throw mysqlErrors.MYSQL_CONNECTION_LOST({
        address: `${config.host}:${config.port}`,
        doing: 'reading the binlog',
        reason: `nothing came for ${silentMs} ms, not even a heartbeat`,
      })
    }
  }

  /** After an error: throws it unless waiting may help, else waits. */
  async #recover(error: Error, signal: AbortSignal): Promise<void> {
    const { logger, clock } = this.#options
    await this.#disconnect()
    if (!isRetriable(error)) throw error
    this.#limitWrongServer(error)
    const pause = this.#backOff.next()
    logger.warn(`The binlog connection is opened again in ${pause} ms from ${this.#resume.describe()}`, { error })
    this.#failure = null
    await clock.sleep(pause, signal)
  }

  /**
   * A server that lacks what was read is waited for as long as it catches up; one that does not, or the wrong one, not for ever
   * without a word that is heard. While none answers nothing is known of it.
   */
  #limitWrongServer(error: Error): void {
    if (!(error instanceof CodedError) || !WRONG_SERVER_CODES.has(error.code)) {
      this.#wrong = null
      return
    }
    const { clock, config, connectorName } = this.#options
    const reason = error.code === 'SERVER_BEHIND' ? this.#lacking : error.code
    if (this.#wrong?.reason !== reason) this.#wrong = { reason, sinceMs: clock.now() }
    if (clock.now() - this.#wrong.sinceMs < WRONG_SERVER_MINUTES * 60_000) return
    throw connectorErrors.SERVER_WRONG(
      {
        address: `${config.host}:${config.port}`,
        minutes: WRONG_SERVER_MINUTES,
        reason: error.message,
        connector: connectorName,
      },
      error,
    )
  }

  /** A new connection starts after the last handled event. */
  #remember({ handler }: Connected): void {
    this.#resume = handler.position
  }

  /**
   * Progress is told when nothing captured has changed for a while: then the stored offset moves all the same, and the server
   * may purge what it has left behind. Between records it would say nothing that they do not.
   */
  #result(records: readonly SourceRecord[], hasMore: boolean): PollResult {
    const { clock, partition, handler } = this.#options
    const now = clock.now()
    const announced = handler.ddl.takeAnnounced()
    if (records.length > 0) {
      this.#lastRecordMs = now
      return { records, progress: null, announced, hasMore }
    }
    const connected = this.#connected
    if (connected === null || now - this.#lastRecordMs < PROGRESS_INTERVAL_MS)
      return { records, progress: null, announced, hasMore }
    this.#lastRecordMs = now
    const { position: offset } = connected.handler
    if (this.#given !== null && this.#given.isSamePlace(offset)) return { records, progress: null, announced, hasMore }
    this.#given = offset
    return { records, progress: { partition, offset }, announced, hasMore }
  }

  async #disconnect(): Promise<void> {
    const connected = this.#connected
    this.#connected = null
    await connected?.stream.close()
  }

  close(): Promise<void> {
    return this.#disconnect()
  }
}

/** A server with thousands of binlog files takes seconds to list them. */
const INSPECTION_MS_MAX = 60_000
/** As long as a failover of many replicas takes; after that somebody should look. */
const WRONG_SERVER_MINUTES = 10
const WRONG_SERVER_CODES: ReadonlySet<string> = new Set(['SERVER_BEHIND', 'SERVER_OTHER', 'BINLOG_GTID_AHEAD'])
/** Of the keep-alive interval: the server’s heartbeats come a little more often than they are missed. */
const HEARTBEAT_SHARE = 0.8
/** A few milliseconds of work: long enough to be efficient, short enough that stop and commits get their turn. */
const BATCH_BYTES_MAX = 1 << 20
/** Events that are not captured come and come: progress and stop get their turn all the same. */
const COLLECT_MS_MAX = 1_000
/** How long captured tables must be quiet before the position is told without a record. */
const PROGRESS_INTERVAL_MS = 5_000
