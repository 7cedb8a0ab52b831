import type { PollResult, SourcePartition, SourceRecord } from '@tributary/connect-api'
import type { ChangeEventSource } from '@tributary/connector-kit'
import { BinlogStream, type BinlogStreamOptions, mysqlErrors } from '@tributary/mysql'
import { BackOff, isRetriable, StoppedError, toError, withTimeout, type Clock, type Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { MySqlOffset, StoredPosition } from '../offset/mysql-offset.ts'
import { BinlogEventHandler, type BinlogEventHandlerOptions } from './binlog-event-handler.ts'
import { BinlogPosition } from './binlog-position.ts'
import { ResumeSkip } from './resume-skip.ts'

export interface BinlogSourceOptions {
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: BinlogStreamOptions['connection']
  readonly replicaUuid: string
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  readonly handler: BinlogEventHandlerOptions
  readonly partition: SourcePartition
  /** Where to start. */
  readonly start: StoredPosition
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
  #resume: StoredPosition
  #failure: Error | null = null
  #lastHeardMs: number
  #lastRecordMs: number
  /** The last position given, in records or as progress. */
  #given: MySqlOffset | null = null

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
        await this.#collect(this.#connected, records, signal)
        // Not sooner: an event that cannot be read is met again by every new connection.
        this.#backOff.reset()
        this.#remember(this.#connected)
        return this.#result(records)
      } catch (thrown) {
        if (thrown instanceof StoppedError) throw thrown
        this.#failure = toError(thrown)
        if (this.#connected !== null) this.#remember(this.#connected)
        if (records.length === 0) continue
        this.#backOff.reset()
        return this.#result(records)
      }
    }
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    const { config, flavor, serverInfo, connection, replicaUuid, decodeStatement, handler, logger, clock } =
      this.#options
    const resume = this.#resume
    const stream = await BinlogStream.open(
      {
        connection,
        decodeStatement,
        dump: {
          flavor: flavor.name,
          start: flavor.dumpStart(resume, serverInfo),
          serverId: config.serverId,
          replicaUuid,
          heartbeatMs: Math.max(1000, Math.floor(config.keepAliveIntervalMs * HEARTBEAT_SHARE)),
          wantsStatements: false,
        },
      },
      signal,
    )
    logger.info(
      `Connected to binlog at ${config.host}:${config.port}, starting at ${describe(resume)} (server thread ${stream.threadId})`,
    )
    this.#lastHeardMs = clock.now()
    const executed = resume.gtids === null ? null : flavor.parseGtids(resume.gtids)
    const position = new BinlogPosition(resume, executed)
    return { stream, handler: new BinlogEventHandler(handler, position, new ResumeSkip(resume.event, resume.row)) }
  }

  /** Handles what has arrived, up to a batch; waits a while when nothing has. */
  async #collect({ stream, handler }: Connected, records: SourceRecord[], signal: AbortSignal): Promise<void> {
    const { config, clock } = this.#options
    const { reader } = stream
    const begunMs = clock.now()
    let bytes = 0
    while (records.length < config.batchRowsMax && bytes < BATCH_BYTES_MAX) {
      const event = stream.next()
      if (event === null) {
        if (records.length > 0 || !(await this.#hears(stream, signal))) return
        if (clock.now() - begunMs > COLLECT_MS_MAX) return
        continue
      }
      bytes += reader.size
      const waiting = handler.handle(event, reader, records, signal)
      if (waiting !== null) await waiting
    }
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
    const pause = this.#backOff.next()
    logger.warn(`The binlog connection is opened again in ${pause} ms from ${describe(this.#resume)}`, { error })
    this.#failure = null
    await clock.sleep(pause, signal)
  }

  /** The place behind the last handled event becomes the one that a new connection begins at. */
  #remember({ handler }: Connected): void {
    const { offset } = handler
    const { file, position, gtids } = offset.restart
    this.#resume = {
      file,
      position,
      gtids: gtids === null ? null : gtids.toString(),
      event: offset.event,
      row: offset.row,
      timestampSeconds: offset.origin.timestampSeconds,
      serverId: offset.origin.serverId,
      isSnapshotUnfinished: false,
      recordFormat: offset.origin.recordFormat,
    }
  }

  /**
   * Progress is told when nothing captured has changed for a while: then the stored offset moves all the same, and the server
   * may purge what it has left behind. Between records it would say nothing that they do not.
   */
  #result(records: readonly SourceRecord[]): PollResult {
    const { clock, partition } = this.#options
    const now = clock.now()
    if (records.length > 0) {
      this.#lastRecordMs = now
      return { records, progress: null }
    }
    const connected = this.#connected
    if (connected === null || now - this.#lastRecordMs < PROGRESS_INTERVAL_MS) return { records, progress: null }
    this.#lastRecordMs = now
    const { offset } = connected.handler
    if (this.#given !== null && isSamePlace(this.#given, offset)) return { records, progress: null }
    this.#given = offset
    return { records, progress: { partition, offset } }
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

/** Of the keep-alive interval: the server’s heartbeats come a little more often than they are missed. */
const HEARTBEAT_SHARE = 0.8
/** A few milliseconds of work: long enough to be efficient, short enough that stop and commits get their turn. */
const BATCH_BYTES_MAX = 4 << 20
/** Events that are not captured come and come: progress and stop get their turn all the same. */
const COLLECT_MS_MAX = 1_000
/** How long captured tables must be quiet before the position is told without a record. */
const PROGRESS_INTERVAL_MS = 5_000

function isSamePlace(a: MySqlOffset, b: MySqlOffset): boolean {
  return a.restart.file === b.restart.file && a.restart.position === b.restart.position && a.event === b.event
}

function describe({ file, position, gtids, event, row }: StoredPosition): string {
  const skipped = event > 0 || row > 0 ? `, skipping ${event} events plus ${row} rows` : ''
  return `${file}:${position}${gtids === null ? '' : ` (GTIDs ${gtids})`}${skipped}`
}
