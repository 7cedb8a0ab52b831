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
} from '@tributary/mysql'
import {
  BackOff,
  type Clock,
  CodedError,
  describeError,
  isRetriable,
  type Logger,
  Outage,
  StoppedError,
  type Timer,
  toError,
  withTimeout,
} from '@tributary/support'
import { continuesSpool } from './continuation.ts'
import { SpoolRoom } from './spool-room.ts'

/** A dump as packets: a `BinlogDump`. */
export interface DumpedPackets {
  readonly packets: EventPackets
  wrap(thrown: unknown, doing: string): Error
  close(): Promise<void>
}

export interface SpoolPumpOptions {
  readonly spool: Spool
  /** Of the spool, for messages. */
  readonly folder: string
  /** Requests the binlog from the end of the spool on. */
  readonly reopen: (end: SpoolEnd, signal: AbortSignal) => Promise<DumpedPackets>
  /** A connection that is silent for so long is lost. */
  readonly silenceMsMax: number
  /** `host:port` */
  readonly address: string
  readonly numbers: StreamingNumbers
  readonly clock: Clock
  readonly logger: Logger
}

/** No connection of the pump continues the spool; the reader has taken all of it, and finds another way. */
export class HandOverError extends Error {
  override readonly name: string = 'HandOverError'
}

/** So soon after an event the files say for other readers what is in them. */
const STATUS_MS = 2_000
const BACK_OFF = { initialMs: 100, maxMs: 30_000 }

/**
 * Reads the packets of a dump as they arrive, whether anyone asks for them or not, and adds them to the spool. A lost
 * connection is opened again from the end of the spool, also while the task waits for the brokers.
 *
 *     connection ─▶ SpoolPump ─▶ Spool ─▶ SpoolFeed ─▶ BinlogReader of the task
 *
 * When trying again does not help (another server, a position that is purged), a reader that has taken everything gets an
 * error: the task then opens a connection by its own means, which also finds another server by GTIDs, and explains what
 * is wrong.
 */
export class SpoolPump implements AsyncDisposable {
  readonly #options: SpoolPumpOptions
  readonly #stop = new AbortController()
  readonly #room: SpoolRoom
  readonly #feeds = new Set<SpoolFeed>()
  #failure: Error | null = null
  #statusTimer: Timer | null = null
  readonly #done: Promise<void>

  /** @param first the dump with which the spool begins; null: the pump requests one from its end */
  constructor(options: SpoolPumpOptions, first: DumpedPackets | null) {
    this.#options = options
    this.#room = new SpoolRoom({ ...options, onFlushed: () => this.#notify() })
    this.#done = this.#run(first, this.#stop.signal)
  }

  /** Whether the binlog is not read further, since the spool has no room or cannot be written. */
  get isFull(): boolean {
    return this.#room.isFull
  }

  /** Why the pump cannot continue; null: it reads, or trying again may help. */
  get failure(): Error | null {
    return this.#failure
  }

  /** The reader whose progress makes room. */
  set feed(feed: SpoolFeed) {
    this.#feeds.clear()
    this.#room.feed = feed
    this.watch(feed)
  }

  /** Another reader is notified until `unwatch`. */
  watch(feed: SpoolFeed): void {
    this.#feeds.add(feed)
    if (this.#failure !== null) feed.fail(this.#failure)
  }

  unwatch(feed: SpoolFeed): void {
    this.#feeds.delete(feed)
  }

  async #run(first: DumpedPackets | null, signal: AbortSignal): Promise<void> {
    const { clock, logger, address } = this.#options
    const backOff = new BackOff(BACK_OFF)
    const outage = new Outage(logger, clock, `Reading the binlog of ${address} into the spool`, BACK_OFF.maxMs)
    let dump = first
    let isFirst = dump !== null
    while (!signal.aborted) {
      try {
        dump ??= await this.#reopen(signal)
        outage.reportSuccess()
        await this.#pump(dump, isFirst ? null : this.#end, () => backOff.reset(), signal)
      } catch (thrown) {
        await dump?.close()
        dump = null
        if (signal.aborted) break
        const error = toError(thrown)
        outage.reportFailure(error)
        this.#reportLoss()
        // The task has opened the first one by its own means.
        if (this.#isHopeless(error)) {
          this.#fail(isFirst ? error : new HandOverError(describeError(error), { cause: error }))
        }
        isFirst = false
        const isAtOnce = backOff.failures === 0
        const pauseMs = backOff.next()
        if (!isAtOnce) await clock.sleep(pauseMs, signal).catch(() => undefined)
      }
    }
    await dump?.close()
    this.#options.numbers.isConnected = false
  }

  get #end(): SpoolEnd {
    const { end } = this.#options.spool
    if (end === null) throw new Error('the connection was lost before anything was read')
    return end
  }

  async #reopen(signal: AbortSignal): Promise<DumpedPackets> {
    const dump = await this.#options.reopen(this.#end, signal)
    this.#options.numbers.isConnected = true
    return dump
  }

  #reportLoss(): void {
    const { numbers } = this.#options
    if (numbers.isConnected) numbers.disconnects += 1
    numbers.isConnected = false
  }

  /** The pump cannot continue here, however often it tries; the task may. */
  #isHopeless(error: Error): boolean {
    const isOther = error instanceof CodedError && error.code === 'SERVER_OTHER'
    return isOther || !isRetriable(error) || this.#options.spool.end === null
  }

  #fail(error: Error): void {
    this.#failure = error
    for (const feed of this.#feeds) feed.fail(error)
  }

  #notify(): void {
    this.#failure = null
    for (const feed of this.#feeds) feed.notify()
  }

  /** Never returns. `end`: where the dump continues; null: the spool begins with it. */
  async #pump(dump: DumpedPackets, end: SpoolEnd | null, onHeard: () => void, signal: AbortSignal): Promise<never> {
    const { clock, silenceMsMax } = this.#options
    const { packets } = dump
    let continued = end
    try {
      for (;;) {
        while (packets.next()) {
          const packet = packets.bytes.subarray(packets.start, packets.end)
          const facts = eventFacts(packet)
          if (facts === null) throw packetError(packets.bytes, packets.start, packets.end)
          // That something has arrived is all that a heartbeat means.
          if (isHeartbeat(facts)) continue
          if (continued !== null && !continuesSpool(packet, facts, continued)) continue
          continued = null
          const waiting = this.#add(packet, facts, signal)
          if (waiting !== null) await waiting
        }
        const waiting = this.#room.flush(signal)
        if (waiting !== null) await waiting
        packets.recycle()
        this.#statusTimer ??= clock.after(STATUS_MS, () => this.#writeStatus())
        onHeard()
        this.#notify()
        await withTimeout(clock, silenceMsMax, (limit) => packets.wait(limit), signal)
      }
    } catch (thrown) {
      if (signal.aborted) throw new StoppedError()
      throw thrown instanceof StoppedError ? this.#silent() : dump.wrap(thrown, 'reading the binlog into the spool')
    }
  }

  #add(packet: Buffer, facts: EventFacts, signal: AbortSignal): Promise<void> | null {
    const { spool } = this.#options
    checkEventSum(packet, facts, spool.description, spool.placeText)
    return this.#room.add(packet, facts, signal)
  }

  /** The measurement of the time to loss reads it. Nothing depends on it, so an error is not one of the spool. */
  #writeStatus(): void {
    this.#statusTimer = null
    try {
      this.#options.spool.writeStatus()
    } catch (error) {
      this.#options.logger.debug('The status of the spool could not be written', { error: toError(error) })
    }
  }

  #silent(): Error {
    const { address, silenceMsMax } = this.#options
    const reason = `nothing arrived for ${silenceMsMax} ms, not even a heartbeat`
    return mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: 'reading the binlog into the spool', reason })
  }

  /** Ends the reading. What is in the spool remains. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#statusTimer?.cancel()
    await this.#done
  }
}
