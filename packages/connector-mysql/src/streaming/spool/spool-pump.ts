import type { StreamingNumbers } from '@tributary/connector-kit'
import {
  checkEventSum,
  type EventFacts,
  eventFacts,
  type EventPackets,
  isHeartbeat,
  mysqlErrors,
  packetError,
  type Spool,
  type SpoolEnd,
  type SpoolFeed,
  SpoolLockedError,
} from '@tributary/mysql'
import {
  BackOff,
  type Clock,
  CodedError,
  describeError,
  isRecoverable,
  isRetriable,
  type Logger,
  Outage,
  StoppedError,
  type Timer,
  toError,
  withTimeout,
} from '@tributary/support'
import { continuesSpool, DiscontinuedError } from './continuation.ts'
import { SpoolRoom } from './spool-room.ts'

/** A dump as packets: a `BinlogDump`. */
export interface DumpedPackets {
  readonly packets: EventPackets
  /** The error of the connection. */
  wrap(thrown: unknown, doing: string): Error
  close(): Promise<void>
}

export interface SpoolPumpOptions {
  readonly spool: Spool
  /** The folder of the spool, for messages. */
  readonly folder: string
  /** Whether to keep MariaDB's ANNOTATE_ROWS events. Dumps always have them: without them a dump has gaps. */
  readonly keepsStatements: boolean
  /** Requests the binlog from the end of the spool on. */
  readonly reopen: (end: SpoolEnd, signal: AbortSignal) => Promise<DumpedPackets>
  /** A connection counts as lost after this time without a packet. */
  readonly silenceMsMax: number
  /** `host:port` */
  readonly address: string
  readonly numbers: StreamingNumbers
  readonly clock: Clock
  readonly logger: Logger
}

/** How long after its arrival an event is on the disk and in the status, at most. */
const SYNC_MS = 2_000
const BACK_OFF = { initialMs: 250, maxMs: 30_000 }
/** For errors that somebody has to correct, such as a changed password: servers count failed logins. */
const REFUSED_BACK_OFF = { initialMs: 1_000, maxMs: 300_000 }
/** ANNOTATE_ROWS of MariaDB. Offsets count events, so the spool keeps this one only if the stream requests it. */
const ANNOTATE_ROWS = 160
const DOING = 'reading the binlog into the spool'

/**
 * Reads the packets of a dump as they arrive, without waiting for a reader, and adds them to the spool. It opens a lost
 * connection again from the end of the spool, also after errors that somebody has to correct. The pump ends for good
 * when the binlog cannot be continued there: on another server, in another file of the same name, at a purged position,
 * or when another program takes over the dump.
 *
 *     connection ─▶ SpoolPump ─▶ Spool ─▶ SpoolFeed ─▶ BinlogReader of the task
 */
export class SpoolPump implements AsyncDisposable {
  readonly #options: SpoolPumpOptions
  readonly #stop = new AbortController()
  readonly #room: SpoolRoom
  readonly #feeds = new Set<SpoolFeed>()
  #ended: Error | null = null
  #isConnected = false
  #isUnsynced = false
  #nextSyncMs = 0
  #syncTimer: Timer | null = null
  #syncing: Promise<void> | null = null
  readonly #done: Promise<void>

  /** @param first the dump with which the spool begins; null: the pump requests one from the end of the spool */
  constructor(options: SpoolPumpOptions, first: DumpedPackets | null) {
    this.#options = options
    this.#room = new SpoolRoom({ ...options, onChange: () => this.#notify() })
    this.#done = this.#run(first, this.#stop.signal).catch((error: unknown) => this.#endWith(toError(error)))
  }

  /** Whether reading is suspended, because the spool is full or cannot be written. */
  get isBlocked(): boolean {
    return this.#room.isBlocked
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** The error that ended the pump; null: the pump reads, or tries to. */
  get ended(): Error | null {
    return this.#ended
  }

  /** A reader is notified of events until `unwatch`. */
  watch(feed: SpoolFeed): void {
    this.#feeds.add(feed)
  }

  unwatch(feed: SpoolFeed): void {
    this.#feeds.delete(feed)
  }

  async #run(first: DumpedPackets | null, signal: AbortSignal): Promise<void> {
    const { clock, logger, address } = this.#options
    const [backOff, refused] = [new BackOff(BACK_OFF), new BackOff(REFUSED_BACK_OFF)]
    const outage = new Outage(logger, clock, `Reading the binlog of ${address} into the spool`)
    const onHeard = (): void => {
      backOff.reset()
      refused.reset()
    }
    let dump = first
    let continued: SpoolEnd | null = null
    while (!signal.aborted) {
      try {
        if (dump === null) {
          continued = this.#end
          dump = await this.#options.reopen(continued, signal)
        }
        outage.reportSuccess()
        this.#setConnected(true)
        await this.#pump(dump, continued, onHeard, signal)
      } catch (thrown) {
        this.#setConnected(false)
        await dump?.close()
        dump = null
        if (signal.aborted) break
        const error = toError(thrown)
        if (this.#isFinal(error)) return this.#endWith(error)
        outage.reportFailure(error)
        const pauseMs = (isRetriable(error) ? backOff : refused).next()
        await clock.sleep(pauseMs, signal).catch(() => undefined)
      }
    }
    await dump?.close()
  }

  get #end(): SpoolEnd {
    const { end } = this.#options.spool
    if (end === null) throw new DiscontinuedError('nothing was read yet')
    return end
  }

  #setConnected(isConnected: boolean): void {
    const { numbers } = this.#options
    if (this.#isConnected && !isConnected && !this.#stop.signal.aborted) numbers.disconnects += 1
    this.#isConnected = numbers.isConnected = isConnected
  }

  /** Whether a retry cannot help, or would disturb another program. */
  #isFinal(error: Error): boolean {
    if (error instanceof DiscontinuedError || error instanceof SpoolLockedError) return true
    if (error instanceof CodedError && FINAL_CODES.has(error.code)) return true
    // Before its first transaction the spool has no place to continue from.
    return !(isRetriable(error) || isRecoverable(error)) || !this.#options.spool.hasBegun
  }

  #endWith(error: Error): void {
    const { logger, folder, spool } = this.#options
    logger.warn(
      `The spool in ${folder} ends at ${spool.placeText}: ${describeError(error)}. The task reads the events after it when the brokers are reachable again.`,
    )
    this.#ended = error
    this.#notify()
  }

  #notify(): void {
    for (const feed of this.#feeds) feed.notify()
  }

  /** Never returns. `end`: where the dump continues; null: the spool begins with it. */
  async #pump(dump: DumpedPackets, end: SpoolEnd | null, onHeard: () => void, signal: AbortSignal): Promise<never> {
    const { packets } = dump
    const { keepsStatements } = this.#options
    let continued = end
    for (;;) {
      while (ofConnection(dump, () => packets.next())) {
        const packet = packets.bytes.subarray(packets.start, packets.end)
        const facts = eventFacts(packet)
        if (facts === null) throw dump.wrap(packetError(packets.bytes, packets.start, packets.end), DOING)
        // A heartbeat only shows that the connection works.
        if (isHeartbeat(facts)) continue
        if (continued !== null && !continuesSpool(packet, facts, continued)) continue
        continued = null
        if (facts.type === ANNOTATE_ROWS && !keepsStatements) continue
        const waiting = this.#add(packet, facts, signal)
        if (waiting !== null) await waiting
      }
      const waiting = this.#room.flush(signal)
      if (waiting !== null) await waiting
      packets.recycle()
      this.#syncLater()
      onHeard()
      this.#notify()
      await this.#wait(dump, signal)
    }
  }

  async #wait(dump: DumpedPackets, signal: AbortSignal): Promise<void> {
    const { clock, silenceMsMax } = this.#options
    try {
      await withTimeout(clock, silenceMsMax, (limit) => dump.packets.wait(limit), signal)
    } catch (thrown) {
      if (signal.aborted) throw new StoppedError()
      throw thrown instanceof StoppedError ? this.#silent() : dump.wrap(thrown, DOING)
    }
  }

  #add(packet: Buffer, facts: EventFacts, signal: AbortSignal): Promise<void> | null {
    const { spool } = this.#options
    checkEventSum(packet, facts, spool.description, spool.placeText)
    return this.#room.add(packet, facts, signal)
  }

  #syncLater(): void {
    this.#isUnsynced = true
    if (this.#syncing !== null || this.#syncTimer !== null || this.#stop.signal.aborted) return
    const { clock } = this.#options
    this.#syncTimer = clock.after(Math.max(0, this.#nextSyncMs - clock.monotonicMs()), () => {
      this.#syncTimer = null
      this.#syncing = this.#sync()
    })
  }

  /** Runs beside the reading, which does not depend on it: a failed sync is not an error of the spool. */
  async #sync(): Promise<void> {
    const { spool, clock, logger } = this.#options
    this.#isUnsynced = false
    try {
      await spool.sync()
    } catch (error) {
      logger.debug('The spool could not be synced to the disk', { error: toError(error) })
    }
    this.#nextSyncMs = clock.monotonicMs() + SYNC_MS
    this.#syncing = null
    if (this.#isUnsynced) this.#syncLater()
  }

  #silent(): Error {
    const { address, silenceMsMax } = this.#options
    const reason = `nothing arrived for ${silenceMsMax} ms, not even a heartbeat`
    return mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: DOING, reason })
  }

  /** Ends the reading. What is in the spool remains. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#syncTimer?.cancel()
    await this.#done
    await this.#syncing
  }
}

/** Errors for another server, another program with this server id, and a place at which no dump can begin. */
const FINAL_CODES: ReadonlySet<string> = new Set(['SERVER_OTHER', 'BINLOG_SERVER_ID_TAKEN', 'BINLOG_REFUSED'])

/** Only errors of the connection get its address. */
function ofConnection(dump: DumpedPackets, run: () => boolean): boolean {
  try {
    return run()
  } catch (error) {
    throw dump.wrap(error, DOING)
  }
}
