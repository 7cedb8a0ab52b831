import {
  type BinlogStreamOptions,
  type EventStream,
  type FeedStart,
  isSamePlace,
  offsetText,
  SpoolDamagedError,
  SpoolStream,
} from '@tributary/mysql'
import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'
import type { SpoolNumbers } from '@tributary/connector-kit'
import { CodedError, describeError, present, toError, type Timer } from '@tributary/support'
import { StreamPosition } from '../../offset/stream-position.ts'
import type { SpooledEvents } from '../binlog-ahead.ts'
import { comparePlaces, type LogPlace } from '../log-place.ts'
import type { DumpTurn } from './dump-turn.ts'
import { OUTAGE_MS, OutageWatch, type OutageWatchOptions } from './outage-watch.ts'
import { SpoolAhead, SpoolShortError } from './spool-ahead.ts'
import { type DumpedPackets, SpoolPump, type SpoolPumpOptions } from './spool-pump.ts'
import { SpooledStream, SpoolEndedError, SpoolUnfitError } from './spooled-stream.ts'

/** Opens the connections that fill a spool. */
export interface SpoolDumps {
  /**
   * Requests the binlog after the stored offset, on the server that the offset names.
   *
   * @throws when another server answers, or the server has purged that position
   */
  begin(stored: StreamPosition, signal: AbortSignal): Promise<DumpedPackets>
  /** Requests the binlog of the same server from the end of the spool on. */
  readonly continue: SpoolPumpOptions['reopen']
  /** Taken while a pump begins or ends, and by the stream while it opens a connection. */
  readonly turn: DumpTurn
}

export interface OutageSpoolOptions extends Omit<SpoolPumpOptions, 'reopen'>, OutageWatchOptions {
  /** The offset with which the task was started. */
  readonly stored: OffsetDocument | null
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
}

/** What the stream reads next: the spool; nothing, until the spool has the place (`later`); or a connection. */
export type SpoolChoice =
  | { readonly tag: 'spool'; readonly stream: EventStream; readonly identity: string }
  | { readonly tag: 'later' }
  | { readonly tag: 'connection' }

const LOOK_MS = 1_000
/** The pause after a failed attempt to read the binlog into the spool. */
const RETRY_MS = 60_000

/**
 * The spool of a task. The task fills it only while the brokers are unreachable, and reads it to its end afterwards:
 *
 * ```
 *            no acknowledgement for 5 s              everything read, and the brokers answer;
 *            ─────────────────────────▶              the spool is of no use any more
 *  connection                          pump and spool ───────────────────────────────────────▶ connection
 *            ─────────────────────────▶
 *            the server has purged the place
 * ```
 *
 * The pump requests the binlog from the stored offset on, with the connector's server id. The server therefore ends the
 * connection of the stream, and the stream continues from the spool. After the outage the stream opens a connection of
 * its own, with all its checks. While there is a pump, the stream opens none (`DumpTurn`). Files remain until the stored
 * offset is after their end.
 *
 * The spool belongs to one stored offset of one server. It uses the files of an earlier process only if the stored
 * offset is identical to the one that the files belong to, or to one that was sent to be stored since: its
 * acknowledgement was possibly lost when the outage began.
 */
export class OutageSpool implements SpooledEvents, AsyncDisposable {
  readonly #options: OutageSpoolOptions
  readonly #watch: OutageWatch
  readonly #stop = new AbortController()
  #dumps: SpoolDumps | null = null
  #pump: SpoolPump | null = null
  #opening: Promise<void> | null = null
  #timer: Timer | null = null
  /** No attempt before this time; null: none until another offset is stored. */
  #barredUntilMs: number | null = 0
  #stored: { readonly text: string; readonly position: StreamPosition } | null
  /** The files belong to the stored offset. */
  #isTrusted: boolean
  /** The position at which the stream stopped reading the spool. */
  #readUpTo: string | null = null
  /** The spool lacks a part of the events to be read ahead from this place, so the server was asked for them. */
  #short: LogPlace | null = null
  /** The stream reads the spool. */
  #isRead = false
  /** The last pump has ended for good: another one could not continue where it ended. */
  #hasEnded = false
  #leaving: Promise<void> | null = null

  constructor(options: OutageSpoolOptions) {
    const { spool, numbers, stored } = options
    this.#options = options
    this.#watch = new OutageWatch(options)
    const position = stored === null ? null : StreamPosition.parse(stored)
    this.#stored = stored === null || position === null ? null : { text: offsetText(stored), position }
    numbers.spool = () => this.#numbers
    this.#isTrusted = spool.end !== null && this.#stored !== null && spool.belongsTo(this.#stored.text)
    // The files must not become those of an offset that this process stores.
    if (this.#isTrusted) return
    spool.disown()
    spool.clearInDoubt()
  }

  get #numbers(): SpoolNumbers {
    const { bytes, bytesMax, files } = this.#options.spool
    return { bytes, bytesMax, files, isActive: this.isActive, isFull: this.#pump?.isBlocked === true }
  }

  /** The spool gets the binlog, instead of the stream. */
  get isActive(): boolean {
    return this.#pump !== null
  }

  get isConnected(): boolean {
    return this.#pump?.isConnected === true
  }

  /** Called when the stream begins. */
  start(dumps: SpoolDumps): void {
    this.#dumps = dumps
    this.#lookLater()
  }

  #lookLater(): void {
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      this.#watch.look()
      if (this.#opening === null) this.#opening = this.#act().finally(() => (this.#opening = null))
      this.#lookLater()
    })
  }

  async #act(): Promise<void> {
    using turn = this.#dumps?.turn.take() ?? null
    if (turn === null) return
    const pump = this.#pump
    if (pump === null) {
      if (this.#watch.isOutage && this.#mayTry) await this.#enter()
      return
    }
    // The spool has no transaction yet, so another attempt loses nothing.
    if (pump.ended !== null && !this.#options.spool.hasBegun) await this.#leave()
  }

  get #mayTry(): boolean {
    return this.#barredUntilMs !== null && this.#options.clock.monotonicMs() >= this.#barredUntilMs
  }

  async #enter(): Promise<void> {
    const { spool, logger, folder, clock } = this.#options
    const stored = this.#stored
    const dumps = this.#dumps
    if (stored === null || dumps === null) return
    try {
      await this.#leaving
      const place = requirePlace(stored.position)
      const mayContinue = this.#isTrusted && spool.hasBegun && !this.#hasEnded
      const found = mayContinue ? await spool.find(place) : null
      const dump = found === null ? await dumps.begin(stored.position, this.#stop.signal) : null
      if (dump !== null) await this.#begin(dump, place)
      else this.#pump = this.#newPump(null)
      this.#short = null
      const from = dump === null ? spool.placeText : `${place.file}:${place.position}`
      logger.warn(
        `The brokers have acknowledged nothing for ${OUTAGE_MS / 1000} s: the binlog is read into the spool in ${folder}, from ${from} on`,
      )
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#barredUntilMs = clock.monotonicMs() + RETRY_MS
      logger.warn(
        `The binlog is not read into the spool in ${folder}: ${describeError(toError(error))}. The next attempt is in ${RETRY_MS / 1000} s.`,
      )
    }
  }

  async #begin(dump: DumpedPackets, place: LogPlace & { readonly identity: string }): Promise<void> {
    const { spool } = this.#options
    try {
      // The task may have stored another offset since the request.
      const { text: stored } = present(this.#stored, 'a stored offset')
      spool.begin(place.identity, { file: place.file, position: place.position }, stored)
      this.#isTrusted = true
      this.#readUpTo = null
      this.#hasEnded = false
    } catch (error) {
      await dump.close()
      throw error
    }
    this.#pump = this.#newPump(dump)
  }

  #newPump(first: DumpedPackets | null): SpoolPump {
    const reopen: SpoolPumpOptions['reopen'] = (end, signal) => {
      if (this.#dumps === null) throw new Error('the stream has not begun')
      return this.#dumps.continue(end, signal)
    }
    return new SpoolPump({ ...this.#options, reopen }, first)
  }

  async #leave(): Promise<void> {
    const pump = this.#pump
    this.#pump = null
    if (pump === null) return
    this.#leaving = pump[Symbol.asyncDispose]()
    await this.#leaving
    const { ended } = pump
    this.#hasEnded ||= ended !== null
    // Another program has this server id, or the disk is full: do not retry at once.
    const isTaken = ended instanceof CodedError && ended.code === 'BINLOG_SERVER_ID_TAKEN'
    const isLater = ended !== null || pump.isBlocked
    if (isTaken) this.#barredUntilMs = null
    else if (isLater) this.#barredUntilMs = this.#options.clock.monotonicMs() + RETRY_MS
    this.#options.logger.info(`The binlog is no longer read into the spool in ${this.#options.folder}`)
  }

  /** What the stream, which has the turn, reads next at a position. */
  async choose(resume: StreamPosition): Promise<SpoolChoice> {
    await this.#leaving
    const pump = this.#pump
    if (pump === null) return CONNECTION
    const found = await this.#find(resume)
    if (found !== null) return this.#read(found, resume, pump)
    if (this.#isNeeded) return LATER
    await this.#leave()
    return CONNECTION
  }

  /** The brokers are unreachable, and the pump reads, or tries to. */
  get #isNeeded(): boolean {
    const pump = this.#pump
    return pump !== null && pump.ended === null && !pump.isBlocked && this.#watch.isOutage
  }

  async #find({ serverIdentity: identity, file, position, restart }: StreamPosition): Promise<FeedStart | null> {
    const { createdSeconds } = restart.file
    if (identity === null || createdSeconds === null || !this.#isTrusted) return null
    return this.#options.spool.find({ file, position, createdSeconds, identity })
  }

  async #read(found: FeedStart, { gtids, serverIdentity }: StreamPosition, pump: SpoolPump): Promise<SpoolChoice> {
    const { spool, decodeStatement } = this.#options
    const stream = await SpoolStream.open(spool, found, decodeStatement)
    pump.watch(stream.feed)
    this.#isRead = true
    const isOver = (): boolean => this.#pump !== pump || !this.#isNeeded
    const onClose = (): void => {
      this.#isRead = false
      pump.unwatch(stream.feed)
    }
    return {
      tag: 'spool',
      stream: new SpooledStream({ stream, gtids, isOver, onClose }),
      identity: serverIdentity ?? '',
    }
  }

  /**
   * Whether the spool has what follows a stored position that the server has purged.
   *
   * @param identity of the server that has answered
   */
  async has(position: StreamPosition, identity: string): Promise<boolean> {
    return position.serverIdentity === identity && (await this.#findEvents(position)) !== null
  }

  async #findEvents(position: StreamPosition): Promise<FeedStart | null> {
    const { spool } = this.#options
    if (position.isSnapshotUnfinished || spool.placeText === this.#readUpTo) return null
    const found = await this.#find(position)
    if (found === null) return null
    const { segment, offset } = found.cursor
    return offset < segment.bytes || spool.after(segment) !== null ? found : null
  }

  /**
   * The events after a position that the server has purged; null: the spool does not have them.
   *
   * @param identity of the server that has answered
   */
  async afterPurged(position: StreamPosition, identity: string): Promise<SpoolChoice | null> {
    const { logger, folder, spool } = this.#options
    const found = position.serverIdentity === identity ? await this.#findEvents(position) : null
    if (found === null) return null
    logger.warn(
      `The server has purged the events after ${position.describe()}: the task reads them from the spool in ${folder}, which has the binlog up to ${spool.placeText}`,
    )
    this.#pump ??= this.#newPump(null)
    return this.#read(found, position, this.#pump)
  }

  /** `SpooledEvents`: the first place from which events can be read ahead of the stream. */
  get first(): LogPlace | null {
    return this.isActive && this.#isRead ? this.#options.spool.first : null
  }

  /** `SpooledEvents`: events to read ahead. Null: the stream reads a connection, or the spool lacks the place. */
  async open(from: LogPlace): Promise<EventStream | null> {
    const { spool, decodeStatement } = this.#options
    const pump = this.#pump
    if (pump === null || !this.#isRead) return null
    const found = await spool.findInRun(from)
    if (found === null) return null
    const stream = await SpoolStream.open(spool, found, decodeStatement)
    return new SpoolAhead({ stream, pump, from, isPurged: this.#short !== null && isSamePlace(this.#short, from) })
  }

  /**
   * Called with each error of the stream. True: the stream continues at once. Otherwise it handles the error first. An
   * error that is not one of the spool, such as a database that does not answer to a question, does not end the pump
   * while that is needed: the stream then continues from the spool.
   */
  async report(error: Error, isSpooled: boolean): Promise<boolean> {
    const { spool, logger, folder, clock } = this.#options
    const isOfSpool = error instanceof SpoolUnfitError || error instanceof SpoolDamagedError || isOfFiles(error)
    // The server ends the connection of the stream when that of the pump begins: both have one server id.
    if (!isSpooled && !isOfSpool) return (this.isActive || this.#opening !== null) && isOfConnection(error)
    const isShort = error instanceof SpoolShortError || error instanceof SpoolEndedError
    if (!isOfSpool && !isShort && this.#isNeeded) return false
    await this.#leave()
    // Returning true makes the stream ask the server first, as at a start.
    if (error instanceof SpoolShortError) {
      this.#short = error.from
      return true
    }
    if (error instanceof SpoolEndedError) {
      this.#readUpTo = spool.placeText
      return true
    }
    if (isOfSpool) {
      logger.error(
        `The spool in ${folder} is not read further: ${error.message}. The task reads the binlog from the server instead.`,
      )
      this.#isTrusted = false
      spool.disown()
      // The next spool would have the same events.
      if (this.#barredUntilMs !== null) this.#barredUntilMs = clock.monotonicMs() + RETRY_MS
      return true
    }
    return false
  }

  /** Called before an offset is sent to be stored. It is sent also if the disk of the spool is full. */
  onStoring(offset: SourceOffset): void {
    const { spool, logger, folder } = this.#options
    try {
      spool.addInDoubt(offsetText(offset.toDocument()))
    } catch (error) {
      logger.debug(`The status of the spool in ${folder} could not be written`, { error: toError(error) })
    }
  }

  /** Called when an offset was stored: removes the files before it. */
  onStored(offset: SourceOffset): void {
    const document = offset.toDocument()
    const position = StreamPosition.parse(document)
    if (position === null) return
    this.#stored = { text: offsetText(document), position }
    this.#barredUntilMs ??= 0
    const { spool } = this.#options
    spool.clearInDoubt()
    const { end } = spool
    if (end === null) return
    const { serverIdentity: identity } = position
    const isAfter = identity !== end.identity || comparePlaces(position, end.place) >= 0
    if (isAfter && !this.isActive && this.#opening === null) return this.#discard()
    if (identity === end.identity) spool.trim(position, identity)
    if (this.#isTrusted) spool.setStored(this.#stored.text)
  }

  #discard(): void {
    const { spool, logger, folder } = this.#options
    logger.info(`The spool in ${folder} is no longer needed: its files are removed`)
    spool.clear()
    this.#isTrusted = false
  }

  /** Ends the reading. What is in the spool remains. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    await this.#opening
    const pump = this.#pump
    this.#pump = null
    await pump?.[Symbol.asyncDispose]()
    await this.#options.spool[Symbol.asyncDispose]()
  }
}

const LATER: SpoolChoice = { tag: 'later' }
const CONNECTION: SpoolChoice = { tag: 'connection' }

/** Requires an offset with which the next start can compare the files. */
function requirePlace(position: StreamPosition): LogPlace & {
  readonly identity: string
  readonly createdSeconds: number
} {
  const { serverIdentity: identity, isSnapshotUnfinished, file, restart } = position
  const { createdSeconds } = restart.file
  if (isSnapshotUnfinished) throw new Error('the stored offset is that of a snapshot that has not ended')
  if (identity === null || createdSeconds === null)
    throw new Error('the stored offset does not state its server and when its file was created')
  return { file, position: position.position, identity, createdSeconds }
}

function isOfConnection(error: Error): boolean {
  return error instanceof CodedError && CONNECTION_CODES.has(error.code)
}

const CONNECTION_CODES: ReadonlySet<string> = new Set(['MYSQL_CONNECTION_LOST', 'BINLOG_SERVER_ID_TAKEN'])

/** Whether the operating system reported the error for a file. Errors of connections are `CodedError`s. */
function isOfFiles(error: Error): boolean {
  return !(error instanceof CodedError) && 'syscall' in error
}
