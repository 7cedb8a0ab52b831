import { type EventFacts, type Spool, SpoolLockedError } from '@tributary/mysql'
import { type Clock, describeError, type Logger, toError } from '@tributary/support'

export interface SpoolRoomOptions {
  readonly spool: Spool
  /** The folder of the spool, for messages. */
  readonly folder: string
  readonly clock: Clock
  readonly logger: Logger
  /** Notifies readers: events were written, or writing is blocked. */
  readonly onChange: () => void
}

/** The pause between attempts to write to a spool that is full or cannot be written. */
const TRY_MS = 250
/** A spool that was full accepts events again when this part of it is free. */
const FREE_SHARE = 0.2

/** Adds events to a spool; waits while it is full or cannot be written, and logs either once, with what to do. */
export class SpoolRoom {
  #isBlocked = false
  readonly #options: SpoolRoomOptions

  constructor(options: SpoolRoomOptions) {
    this.#options = options
  }

  /** Whether an event waits. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /**
   * Adds an event. Returns a promise if it has to wait, and copies the bytes then.
   *
   * @throws SpoolLockedError
   */
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

  /** Writes the added events. Returns a promise if it has to wait. */
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
    const { spool, clock, logger, folder } = this.#options
    await this.flush(signal)
    logger.warn(
      `The spool in ${folder} is full (${spool.bytes} of ${spool.bytesMax} bytes, binlog.spool.max.bytes): the task does not read the binlog further until the brokers have acknowledged a part of the spool. Events that the server purges meanwhile are lost. Make the brokers reachable, or let the server keep its binlog longer.`,
    )
    this.#block()
    // Not as soon as one file is free: reading would stop again at once.
    while (!spool.hasRoomFor(packet.length + spool.bytesMax * FREE_SHARE)) await clock.sleep(TRY_MS, signal)
    this.#isBlocked = false
    logger.info(`The spool in ${folder} has room again: the task reads the binlog further`)
    const waiting = this.add(packet, facts, signal)
    if (waiting !== null) await waiting
  }

  #block(): void {
    this.#isBlocked = true
    this.#options.onChange()
  }

  async #retry(failed: Error, run: () => void, signal: AbortSignal): Promise<void> {
    const { clock, logger, folder } = this.#options
    if (failed instanceof SpoolLockedError) throw failed
    logger.error(
      `The spool in ${folder} cannot be written, so the task does not read the binlog further: ${describeError(failed)}. Make room there, or correct its permissions; the task tries again by itself.`,
    )
    this.#block()
    for (;;) {
      await clock.sleep(TRY_MS, signal)
      try {
        run()
        this.#isBlocked = false
        logger.info(`The spool in ${folder} can be written again: the task reads the binlog further`)
        return
      } catch (error) {
        if (error instanceof SpoolLockedError) throw error
      }
    }
  }
}
