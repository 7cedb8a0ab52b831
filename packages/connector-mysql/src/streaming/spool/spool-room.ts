import type { EventFacts, Spool, SpoolFeed } from '@tributary/mysql'
import { type Clock, describeError, type Logger, toError } from '@tributary/support'

export interface SpoolRoomOptions {
  readonly spool: Spool
  /** For messages. */
  readonly folder: string
  readonly clock: Clock
  readonly logger: Logger
  /** Events can be read. */
  readonly onFlushed: () => void
}

/** The spool cannot be written, and everything in it was read: the task must not wait for a disk. */
export class SpoolBrokenError extends Error {
  override readonly name: string = 'SpoolBrokenError'
}

/** How often a full spool, or one that cannot be written, is tried again. */
const TRY_MS = 250
/** A full spool is read into again when this part of it is free. */
const FREE_SHARE = 0.2

/**
 * Adds events to a spool, and waits while that has no room, or cannot be written. Each is logged once, with what to do.
 *
 * A safety net must not stop a connector whose brokers answer. So an event is not waited for that nothing can make room
 * for: when the reader has taken everything and the spool has only one transaction, which is larger than it, the spool
 * begins again in the middle of that; and when it cannot be written, the task reads past it (`SpoolBrokenError`).
 */
export class SpoolRoom {
  /** The reader of the task; null: none yet. */
  feed: SpoolFeed | null = null
  #isFull = false
  readonly #options: SpoolRoomOptions

  constructor(options: SpoolRoomOptions) {
    this.#options = options
  }

  /** Whether an event waits. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Adds an event. A promise when it has to wait; then the bytes are copied. */
  add(packet: Buffer, facts: EventFacts, signal: AbortSignal): Promise<void> | null {
    const { spool } = this.#options
    if (!spool.hasRoomFor(packet.length)) return this.#addLater(Buffer.from(packet), facts, signal)
    try {
      spool.add(packet, facts)
      return null
    } catch (error) {
      const kept = Buffer.from(packet)
      return this.#retry(toError(error), () => spool.add(kept, facts), signal)
    }
  }

  /** Writes what was added. A promise when that has to wait. */
  flush(signal: AbortSignal): Promise<void> | null {
    const { spool } = this.#options
    try {
      spool.flush()
      return null
    } catch (error) {
      return this.#retry(toError(error), () => spool.flush(), signal)
    }
  }

  async #addLater(packet: Buffer, facts: EventFacts, signal: AbortSignal): Promise<void> {
    const { spool, clock, logger, folder, onFlushed } = this.#options
    await this.flush(signal)
    onFlushed()
    logger.warn(
      `The spool in ${folder} is full (${spool.bytes} of ${spool.bytesMax} bytes, binlog.spool.max.bytes): the binlog is not read further until the brokers have acknowledged a part of it. What the server purges meanwhile is lost. Make the brokers reachable, or let the server keep its binlog longer.`,
    )
    this.#isFull = true
    // Not for each file that is freed.
    while (!spool.hasRoomFor(packet.length + spool.bytesMax * FREE_SHARE)) {
      if (spool.isOneSegment && this.feed?.isDrained === true) {
        this.#beginAgain(this.feed)
        break
      }
      await clock.sleep(TRY_MS, signal)
    }
    this.#isFull = false
    logger.info(`The spool in ${folder} has room again: the binlog is read further`)
    // Also an event that is larger than the spool, which is empty then.
    const waiting = this.#tryAdd(packet, facts, signal)
    if (waiting !== null) await waiting
  }

  #tryAdd(packet: Buffer, facts: EventFacts, signal: AbortSignal): Promise<void> | null {
    const { spool } = this.#options
    try {
      spool.add(packet, facts)
      return null
    } catch (error) {
      return this.#retry(toError(error), () => spool.add(packet, facts), signal)
    }
  }

  #beginAgain(feed: SpoolFeed): void {
    const { spool, logger, folder } = this.#options
    logger.warn(
      `The spool in ${folder} is smaller than a transaction: it does not keep the begin of that. If the task ends before the brokers have acknowledged the transaction, the server must still have it. Increase binlog.spool.max.bytes.`,
    )
    feed.moveTo(spool.restart())
  }

  async #retry(failed: Error, run: () => void, signal: AbortSignal): Promise<void> {
    const { clock, logger, folder } = this.#options
    logger.error(
      `The spool in ${folder} cannot be written, so the binlog is not read further: ${describeError(failed)}. Make room there, or correct its permissions; the task tries again by itself.`,
    )
    this.#isFull = true
    for (let error = failed; ;) {
      if (this.feed?.isDrained === true) throw new SpoolBrokenError(describeError(error), { cause: error })
      await clock.sleep(TRY_MS, signal)
      try {
        run()
        this.#isFull = false
        logger.info(`The spool in ${folder} can be written again: the binlog is read further`)
        return
      } catch (thrown) {
        error = toError(thrown)
      }
    }
  }
}
