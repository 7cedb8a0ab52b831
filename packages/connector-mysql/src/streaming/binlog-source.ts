import type { ChangeSource, LogPosition, Poll, SourceState, StreamingNumbers } from '@tributary/connector-kit'
import { type EventStream, mysqlErrors } from '@tributary/mysql'
import { BackOff, CodedError, isRetriable, StoppedError, toError, withTimeout } from '@tributary/support'
import type { StreamPosition } from '../offset/stream-position.ts'
import {
  type BinlogConnection,
  type BinlogConnectionOptions,
  explainDumpError,
  openBinlog,
  type ServerReports,
} from './binlog-connection.ts'
import { DumpTurn } from './spool/dump-turn.ts'
import type { TaskSpool } from './spool/late-spool.ts'
import type { SpoolChoice } from './spool/outage-spool.ts'
import { spoolDumps } from './spool/spool-dumps.ts'
import { ResetWatch } from './reset-watch.ts'
import { BinlogTranslator, type BinlogTranslatorOptions } from './binlog-translator.ts'
import { WrongServer } from './wrong-server.ts'
import type { BesideStream } from './beside-stream.ts'

export interface BinlogSourceOptions extends BinlogConnectionOptions {
  /** Buffers the binlog while the brokers are unreachable; null: the task has no spool. */
  readonly spool: TaskSpool | null
  readonly translator: BinlogTranslatorOptions
  readonly start: StreamPosition
  /** Whether this worker still has the task. Otherwise another one may read the binlog as the same replica. */
  readonly mayRead: () => boolean
  readonly numbers: StreamingNumbers
  /** A poll ends where a transaction ends, unless the transaction is too large. Default: false. */
  readonly endsWithTransactions?: boolean
  /** Called when a new connection begins with the begin of the transaction that was being read: its events are repeated. */
  readonly onRepeat: () => void
}

/** An open event stream, and whether it reads the spool. */
interface Opened extends BinlogConnection {
  readonly isOfSpool: boolean
}

/** A connection with the translator of its events. */
interface Connected {
  readonly stream: EventStream
  /** The stream reads the spool, not a connection. */
  readonly isSpooled: boolean
  readonly translator: BinlogTranslator
  readonly resets: ResetWatch
}

/**
 * The stream of changes: reads the binlog from a position on, for ever. When a connection is lost, or nothing arrives
 * on it any more, it opens another after a growing pause, from the last handled event on; no event is handed over
 * twice.
 *
 * Records that were made before an error are returned before the error is handled.
 */
export class BinlogSource implements ChangeSource {
  readonly #options: BinlogSourceOptions
  readonly #backOff = new BackOff({ initialMs: 250, maxMs: 30_000 })
  readonly #wrongServer: WrongServer
  readonly #turn = new DumpTurn()
  #connected: Connected | null = null
  /** Where a new connection starts. */
  #resume: StreamPosition
  #failure: Error | null = null
  #lastHeardMs: number
  readonly #beside: BesideStream | null

  constructor(options: BinlogSourceOptions) {
    this.#options = options
    this.#wrongServer = new WrongServer(options)
    this.#beside = options.translator.beside ?? null
    this.#resume = options.start
    this.#lastHeardMs = options.clock.now()
    options.numbers.position = () => this.#place
    options.spool?.start(spoolDumps(options, this.#turn))
  }

  /** Where the last handled event ends. */
  get #place(): LogPosition {
    const { file, position, gtids } = this.#connected?.translator.position ?? this.#resume
    return { file, position, hasGtids: gtids !== null }
  }

  async poll(poll: Poll): Promise<SourceState> {
    poll.isInTransaction = this.#resume.isInTransaction
    for (;;) {
      if (this.#failure !== null) await this.#recover(this.#failure, poll.signal)
      if (this.#options.spool?.isActive === true) await this.#leaveConnection()
      // A connection would make the server end that of the worker that has the task now. The loop of the task waits.
      if (this.#connected === null && !this.#options.mayRead()) return 'idle'
      try {
        if (this.#beside !== null) this.#takeProgress(this.#beside)
        this.#connected ??= await this.#connect(poll.signal)
        if (this.#connected === null) return await this.#later(poll.signal)
        this.#begin(this.#connected, poll)
        const hasMore = await this.#collect(this.#connected, poll)
        await this.#connected.translator.endPoll(poll)
        // Reset only now: every new connection would meet an unreadable event again.
        this.#hasRecovered()
        this.#wrongServer.reset()
        // A producer that accepts nothing keeps this loop from reading, for hours: that is not silence of the server.
        if (poll.records.length > 0) this.#measure(poll)
        this.#resume = this.#connected.translator.position
        // A signal of this poll may have changed it, and what is stored from here on is after that signal.
        if (this.#beside !== null) this.#takeProgress(this.#beside)
        poll.isInTransaction = this.#resume.isInTransaction
        this.#beside?.reached(this.#resume, poll)
        await this.#reportProgress(poll)
        return hasMore ? 'more' : 'idle'
      } catch (thrown) {
        if (thrown instanceof StoppedError) throw thrown
        this.#failure = toError(thrown)
        if (this.#connected !== null) this.#resume = await this.#connected.translator.endFailedPoll(poll)
        poll.isInTransaction = this.#resume.isInTransaction
        this.#beside?.reached(this.#resume, poll)
        if (poll.records.length === 0) continue
        this.#hasRecovered()
        return 'idle'
      }
    }
  }

  /** Positions from here on have the progress of the work beside the stream. */
  #takeProgress({ progress }: BesideStream): void {
    this.#resume = this.#resume.withIncremental(progress)
    this.#connected?.translator.takeProgress(progress)
  }

  #hasRecovered(): void {
    if (this.#backOff.failures > 0) this.#options.logger.outages?.ended(READING)
    this.#backOff.reset()
  }

  #measure({ records }: Poll): void {
    const { clock, numbers } = this.#options
    const nowMs = clock.now()
    this.#lastHeardMs = nowMs
    numbers.lastEventMs = nowMs
    const changedAtMs = records.at(-1)?.sourceOffset.changedAtMs ?? null
    // The clocks of the machines may differ.
    if (changedAtMs !== null) numbers.behindMs.add(Math.max(0, nowMs - changedAtMs))
  }

  /** The records of the poll are complete by now: an error keeps them, and is handled in the next poll. */
  async #reportProgress(poll: Poll): Promise<void> {
    try {
      await poll.handle({ tag: 'progress', position: this.#resume, isMilestone: false })
    } catch (thrown) {
      if (thrown instanceof StoppedError) throw thrown
      this.#failure = toError(thrown)
    }
  }

  /** Null: the spool begins or ends, or does not have the place yet. */
  async #connect(signal: AbortSignal): Promise<Connected | null> {
    const { config, translator, onRepeat, numbers, spool } = this.#options
    using turn = this.#turn.take()
    if (turn === null) return null
    const choice: SpoolChoice = spool === null ? { tag: 'connection' } : await spool.choose(this.#resume)
    if (choice.tag === 'later') return null
    const isSpooled = choice.tag === 'spool'
    const { stream, start, isOfSpool } = isSpooled ? this.#spooled(choice) : await this.#open(spool, signal)
    if (!isOfSpool) numbers.isConnected = true
    if (this.#resume.isInTransaction && !start.isInTransaction) onRepeat()
    this.#lastHeardMs = this.#options.clock.now()
    const resets = new ResetWatch({
      ...this.#options,
      intervalMs: Math.min(config.keepAliveIntervalMs, RESET_CHECK_MS),
    })
    return {
      stream,
      translator: new BinlogTranslator(translator, stream.reader, start),
      resets,
      isSpooled: isOfSpool,
    }
  }

  /** Opens a connection; if the server has purged the position, opens the spool instead. */
  async #open(spool: TaskSpool | null, signal: AbortSignal): Promise<Opened> {
    let purgedOn = ''
    const reports: ServerReports = {
      onLacking: (lacking) => this.#wrongServer.setLacking(lacking),
      onPurged: (identity) => (purgedOn = identity),
    }
    try {
      const opened = await openBinlog(this.#options, this.#resume, reports, signal)
      if (spool !== null) await this.#untilAnswered(opened.stream, signal)
      return { ...opened, isOfSpool: false }
    } catch (error) {
      if (spool === null || !(error instanceof CodedError) || error.code !== 'POSITION_PURGED') throw error
      const choice = await spool.afterPurged(this.#resume, purgedOn)
      if (choice?.tag !== 'spool') throw error
      return this.#spooled(choice)
    }
  }

  /** Before its first packet, a server ends the older connection of the same replica: the next one is newer for certain. */
  async #untilAnswered(stream: EventStream, signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options
    try {
      await withTimeout(clock, config.keepAliveIntervalMs, (limit) => stream.wait(limit), signal)
    } catch (error) {
      await stream.close()
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw this.#silent(config.keepAliveIntervalMs)
    }
  }

  #silent(silentMs: number): Error {
    const { config } = this.#options
    return mysqlErrors.MYSQL_CONNECTION_LOST({
      address: `${config.host}:${config.port}`,
      doing: 'reading the binlog',
      reason: `nothing arrived for ${silentMs} ms, not even a heartbeat`,
    })
  }

  #spooled({ stream, identity }: SpoolChoice & { readonly tag: 'spool' }): Opened {
    const { gtids } = this.#resume
    const executed = gtids === null ? null : this.#options.flavor.parseGtids(gtids)
    return { stream, start: this.#resume.onServer(executed, identity), isOfSpool: true }
  }

  /** The spool has the dump now: the server has ended this connection, or is about to. */
  async #leaveConnection(): Promise<void> {
    if (this.#connected?.isSpooled === false) await this.close()
  }

  async #later(signal: AbortSignal): Promise<SourceState> {
    const { clock, config } = this.#options
    await clock.sleep(config.pollIntervalMs, signal)
    return 'idle'
  }

  /** Values of the poll's records are in the memory of the connection and of the row places. */
  #begin({ stream }: Connected, poll: Poll): void {
    poll.uses(stream.reader)
    poll.uses(this.#options.translator.places)
    poll.afterWait()
  }

  /**
   * Handles what has arrived, up to a batch; waits a while when nothing has. True: the batch is full, so there is more.
   */
  async #collect(connected: Connected, poll: Poll): Promise<boolean> {
    const { stream, translator, resets } = connected
    const { config, clock } = this.#options
    const { reader } = stream
    const { records } = poll
    const startMs = clock.now()
    let bytes = 0
    const isFull = (share: number): boolean =>
      records.length >= config.batchRowsMax * share || bytes >= BATCH_BYTES_MAX * share
    while (!isFull(1) || (this.#isCutting(translator) && !isFull(WHOLE_TRANSACTION_SHARE))) {
      if (translator.isReplaying) {
        bytes += await translator.continueReplay(poll)
        poll.afterWait()
        continue
      }
      const event = stream.next()
      if (event === null) {
        // The server writes a transaction into its binlog as a whole: the rest of it follows at once.
        if (records.length > 0 && !translator.isUnsettled(poll)) return false
        if (this.#beside?.isDue(translator.position) === true) return false
        resets.idle({ file: reader.file, position: reader.nextPosition })
        if (!(await this.#hears(connected, poll.signal))) return false
        if (clock.now() - startMs > COLLECT_MS_MAX) return false
        poll.afterWait()
        continue
      }
      bytes += reader.size
      const waiting = translator.handle(event, poll)
      if (waiting !== null) {
        await waiting
        // What arrived meanwhile was not read: that is not silence of the server.
        this.#lastHeardMs = clock.now()
        poll.afterWait()
      }
    }
    return true
  }

  /** Whether the poll has to read on: ending it here would split a transaction, and polls should end with one. */
  #isCutting(translator: BinlogTranslator): boolean {
    return this.#options.endsWithTransactions === true && translator.position.isInTransaction
  }

  /**
   * True when something has arrived within the poll interval. Throws when the connection has been silent for too long.
   */
  async #hears({ stream, isSpooled }: Connected, signal: AbortSignal): Promise<boolean> {
    const { clock, config } = this.#options
    try {
      await withTimeout(clock, config.pollIntervalMs, (limit) => this.#idle(stream, limit), signal)
      this.#lastHeardMs = clock.now()
      return true
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      const silentMs = clock.now() - this.#lastHeardMs
      // The pump of the spool notices a silent connection itself.
      if (isSpooled || silentMs <= config.keepAliveIntervalMs) return false
      throw this.#silent(silentMs)
    }
  }

  #idle(stream: EventStream, limit: AbortSignal): Promise<void> {
    const beside = this.#beside
    return beside === null ? stream.wait(limit) : beside.whileIdle((woken) => stream.wait(woken), limit)
  }

  /** After an error: throws it unless waiting may help, else waits. */
  async #recover(error: Error, signal: AbortSignal): Promise<void> {
    const { logger, clock, numbers, spool } = this.#options
    const isSpooled = this.#connected?.isSpooled === true
    const isConnected = this.#connected !== null && !isSpooled
    await this.close()
    if (spool !== null && (await spool.report(error, isSpooled))) {
      logger.info(`The stream continues from ${this.#resume.describe()}: ${error.message}`)
      this.#failure = null
      return
    }
    if (isConnected) numbers.disconnects += 1
    if (!isRetriable(error)) throw await explainDumpError(this.#options, this.#resume, error, signal)
    this.#wrongServer.check(error)
    const pauseMs = this.#backOff.next()
    logger.outages?.failed(READING, error, pauseMs)
    logger.warn(`The binlog connection is opened again in ${pauseMs} ms from ${this.#resume.describe()}`, { error })
    this.#failure = null
    await clock.sleep(pauseMs, signal)
  }

  async close(): Promise<void> {
    const connected = this.#connected
    const { numbers, spool } = this.#options
    this.#connected = null
    numbers.isConnected = spool?.isConnected === true
    connected?.resets.close()
    await connected?.translator.close()
    await connected?.stream.close()
  }
}

/** As an operator reads it in the health of the task. */
const READING = 'reading the binlog'
/** A few milliseconds of work: long enough to be efficient, short enough that stop and commits get their turn. */
const BATCH_BYTES_MAX = 1 << 20
/** How many times larger a poll may be so that it ends with a transaction. */
const WHOLE_TRANSACTION_SHARE = 2
/** Events that are not captured may arrive without end: progress and stop get their turn all the same. */
const COLLECT_MS_MAX = 1_000
/** An idle stream asks the server so often whether its binlog was reset. */
const RESET_CHECK_MS = 20_000
