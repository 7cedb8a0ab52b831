import {
  type BinlogStreamOptions,
  type EventStream,
  type FeedStart,
  SpoolDamagedError,
  type SpoolEnd,
  SpoolStream,
} from '@tributary/mysql'
import type { SourceOffset } from '@tributary/connect-api'
import type { SpoolNumbers } from '@tributary/connector-kit'
import { CodedError, describeError, toError } from '@tributary/support'
import type { StreamPosition } from '../../offset/stream-position.ts'
import type { SpooledEvents } from '../binlog-ahead.ts'
import { comparePlaces, type LogPlace } from '../log-place.ts'
import { SpoolAhead } from './spool-ahead.ts'
import { SpoolBrokenError } from './spool-room.ts'
import { type DumpedPackets, HandOverError, SpoolPump, type SpoolPumpOptions } from './spool-pump.ts'

export interface KeptBinlogOptions extends Omit<SpoolPumpOptions, 'reopen'> {
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
}

/** The events of a spool after a position. */
export interface KeptStart {
  readonly stream: SpoolStream
  /** The server whose events they are. */
  readonly identity: string
}

/** How long the task reads past a spool that cannot be written, before it tries the spool again. */
const PASS_MS = 60_000

/**
 * The spool of a task, and what fills it. The task reads everything from the spool, from its stored offset on, so that
 * it needs of the server only what is not in the spool yet.
 */
export class KeptBinlog implements SpooledEvents, AsyncDisposable {
  readonly #options: KeptBinlogOptions
  #reopen: SpoolPumpOptions['reopen'] = () => Promise.reject(new Error('the stream has not begun'))
  #pump: SpoolPump | null = null
  #passesUntilMs = 0
  /** The last stored offset. */
  #stored: { readonly place: LogPlace; readonly changedAtMs: number | null } | null = null

  constructor(options: KeptBinlogOptions) {
    this.#options = options
    options.numbers.spool = () => this.#numbers
  }

  get #numbers(): SpoolNumbers {
    const { spool, clock } = this.#options
    const { bytes, bytesMax, files, end } = spool
    const stored = this.#stored
    const isSent = stored !== null && end !== null && comparePlaces(stored.place, end.place) >= 0
    const changedAtMs = stored?.changedAtMs ?? null
    const unsentMs = isSent || end === null ? 0 : changedAtMs === null ? null : Math.max(0, clock.now() - changedAtMs)
    return { bytes, bytesMax, files, unsentMs, isFull: this.#pump?.isFull === true, isPassed: !this.isUsable }
  }

  /** How a lost connection is opened again: known when the stream begins. */
  set reopen(reopen: SpoolPumpOptions['reopen']) {
    this.#reopen = reopen
  }

  /** False after a write has failed: the task reads past the spool for a while. */
  get isUsable(): boolean {
    return this.#options.clock.now() >= this.#passesUntilMs
  }

  /**
   * What the spool has after a stored position: events, which the server then need not have; nothing, when it ends there;
   * or null, when it is of no use.
   *
   * @throws the error of the file system
   */
  async after(stored: StreamPosition): Promise<'events' | 'nothing' | null> {
    const found = stored.isSnapshotUnfinished ? null : await this.#find(stored)
    if (found === null) return null
    const { segment, offset } = found.cursor
    const { spool } = this.#options
    return offset < segment.bytes || spool.after(segment) !== null ? 'events' : 'nothing'
  }

  /** Removes what an earlier process has left: it does not have what follows the stored position. Null: there is none. */
  discard(stored: StreamPosition | null): void {
    const { spool, logger, folder } = this.#options
    const { end } = spool
    if (end !== null && stored !== null) {
      logger.warn(
        `The spool in ${folder} is discarded: it does not have what follows the stored offset, ${stored.describe()} of server ${stored.serverIdentity ?? 'unknown'}. It ends at ${spool.placeText} of server ${end.identity}. The binlog is read from the server instead.`,
      )
    }
    spool.clear()
  }

  async #find(position: StreamPosition): Promise<FeedStart | null> {
    const { serverIdentity: identity, file, restart } = position
    if (identity === null) return null
    const { createdSeconds } = restart.file
    return this.#options.spool.find({ file, position: position.position, createdSeconds, identity })
  }

  /**
   * The events after a position, from the spool; null when they are not there, or when they are all read and the pump
   * cannot continue: then the caller opens a connection, and calls `begin`.
   *
   * @throws StoppedError
   */
  async resume(position: StreamPosition): Promise<KeptStart | null> {
    const { spool, logger, folder, decodeStatement } = this.#options
    const found = await this.#findSafely(position)
    const identity = position.serverIdentity
    if (found === null || identity === null) {
      await this.#stopPump()
      return null
    }
    const stream = await SpoolStream.open(spool, found, decodeStatement)
    if (stream.feed.isAtEnd && this.#pump !== null && this.#pump.failure instanceof HandOverError) {
      await this.#stopPump()
      return null
    }
    if (this.#pump === null)
      logger.info(`Continuing from the spool in ${folder}, which has ${spool.bytes} bytes, at ${position.describe()}`)
    this.#pump ??= this.#newPump(null)
    this.#pump.feed = stream.feed
    return { stream, identity }
  }

  async #findSafely(position: StreamPosition): Promise<FeedStart | null> {
    try {
      return await this.#find(position)
    } catch (thrown) {
      await this.report(toError(thrown))
      return null
    }
  }

  /** For what is read ahead of the stream. Null: the spool does not have it, or is not what the stream reads. */
  async open(from: LogPlace): Promise<EventStream | null> {
    const { spool, decodeStatement } = this.#options
    const [pump, identity] = [this.#pump, spool.end?.identity]
    if (pump === null || identity === undefined) return null
    const found = await spool.find({ ...from, identity, createdSeconds: null })
    return found === null ? null : new SpoolAhead(await SpoolStream.open(spool, found, decodeStatement), pump, from)
  }

  /**
   * The spool begins with a dump, which it closes. What was in it is removed.
   *
   * @param identity of the server
   * @param from the place from which the dump was requested
   * @throws SpoolBrokenError
   */
  async begin(dump: DumpedPackets, identity: string, from: LogPlace): Promise<SpoolStream> {
    const { spool, decodeStatement } = this.#options
    await this.#stopPump()
    try {
      const { file, position } = from
      const stream = await SpoolStream.open(spool, spool.begin(identity, { file, position }), decodeStatement)
      this.#pump = this.#newPump(dump)
      this.#pump.feed = stream.feed
      this.#options.numbers.isConnected = true
      return stream
    } catch (error) {
      await dump.close()
      throw new SpoolBrokenError(describeError(toError(error)), { cause: error })
    }
  }

  #newPump(first: DumpedPackets | null): SpoolPump {
    return new SpoolPump({ ...this.#options, reopen: (end: SpoolEnd, signal) => this.#reopen(end, signal) }, first)
  }

  async #stopPump(): Promise<void> {
    const pump = this.#pump
    this.#pump = null
    await pump?.[Symbol.asyncDispose]()
  }

  /**
   * Called with each error of the stream. True: the next connection does without what has failed.
   */
  async report(error: Error): Promise<boolean> {
    const { spool, logger, folder, clock } = this.#options
    if (error instanceof HandOverError) return true
    if (error instanceof SpoolDamagedError) {
      logger.error(`The spool in ${folder} is discarded: ${error.message}. The binlog is read from the server instead.`)
      await this.#stopPump()
      spool.clear()
      return true
    }
    if (!(error instanceof SpoolBrokenError) && !isOfFiles(error)) return false
    logger.error(
      `The task reads past the spool in ${folder} for ${PASS_MS / 1000} s, since that cannot be used: ${error.message}. Meanwhile the server must keep what was not sent. Make room there, or correct its permissions.`,
    )
    this.#passesUntilMs = clock.now() + PASS_MS
    await this.#stopPump()
    return true
  }

  /** An offset was stored: what precedes it is not needed any more. */
  onStored(stored: SourceOffset): void {
    const offset = stored.toDocument()
    const { file, pos, server_identity: identity } = offset
    if (typeof file !== 'string' || typeof pos !== 'number' || typeof identity !== 'string') return
    const place = { file, position: pos }
    this.#stored = { place, changedAtMs: stored.changedAtMs ?? null }
    this.#options.spool.trim(place, identity)
  }

  /** Ends the reading. What is in the spool remains. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopPump()
    this.#options.spool[Symbol.dispose]()
  }
}

/** An error of the operating system about a file. Those of connections are coded. */
function isOfFiles(error: Error): boolean {
  return !(error instanceof CodedError) && 'syscall' in error
}
