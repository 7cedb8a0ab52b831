import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'
import type { EventStream } from '@tributary/mysql'
import { type Clock, describeError, type Logger, StoppedError, type Timer, toError } from '@tributary/support'
import type { StreamPosition } from '../../offset/stream-position.ts'
import type { LogPlace } from '../log-place.ts'
import type { OutageSpool, SpoolChoice, SpoolDumps } from './outage-spool.ts'

/** The part of the spool that a task and its stream use. */
export type TaskSpool = Pick<
  OutageSpool,
  | 'isActive'
  | 'isConnected'
  | 'first'
  | 'start'
  | 'choose'
  | 'has'
  | 'afterPurged'
  | 'open'
  | 'report'
  | 'onStoring'
  | 'onStored'
  | typeof Symbol.asyncDispose
>

export interface LateSpoolOptions {
  /** The error of the first attempt. */
  readonly failure: Error
  /** @param stored the offset that was stored since; null: none */
  readonly open: (stored: OffsetDocument | null, signal: AbortSignal) => Promise<OutageSpool>
  readonly clock: Clock
  readonly logger: Logger
}

const RETRY_MS = 60_000
/** As an operator reads it in the health of the task. */
const OPENING = 'opening the spool of the binlog'

/**
 * A spool whose folder could not be opened at the start of the task. It tries to open the folder each minute, and until
 * then the connector runs without a spool, because a safety net must not stop a connector. If the server has purged the
 * stored offset, the unusable folder is an error: its files may have the missing events.
 */
export class LateSpool implements TaskSpool {
  readonly #options: LateSpoolOptions
  readonly #stop = new AbortController()
  #spool: OutageSpool | null = null
  #failure: Error
  #dumps: SpoolDumps | null = null
  #stored: OffsetDocument | null = null
  #timer: Timer | null = null
  #opening: Promise<void> | null = null

  constructor(options: LateSpoolOptions) {
    this.#options = options
    this.#failure = options.failure
    this.#tryLater()
  }

  #tryLater(): void {
    const { clock, logger } = this.#options
    logger.outages?.failed(OPENING, this.#failure, RETRY_MS)
    this.#timer = clock.after(RETRY_MS, () => {
      this.#opening = this.#try().finally(() => (this.#opening = null))
    })
  }

  async #try(): Promise<void> {
    const { open, logger } = this.#options
    try {
      const spool = await open(this.#stored, this.#stop.signal)
      logger.outages?.ended(OPENING)
      logger.info('The spool of the binlog can be used now')
      this.#spool = spool
      if (this.#dumps !== null) spool.start(this.#dumps)
    } catch (error) {
      if (error instanceof StoppedError || this.#stop.signal.aborted) return
      this.#failure = toError(error)
      this.#tryLater()
    }
  }

  get isActive(): boolean {
    return this.#spool?.isActive === true
  }

  get isConnected(): boolean {
    return this.#spool?.isConnected === true
  }

  get first(): LogPlace | null {
    return this.#spool?.first ?? null
  }

  start(dumps: SpoolDumps): void {
    this.#dumps = dumps
    if (this.#spool !== null) return this.#spool.start(dumps)
    this.#options.logger.error(
      `The connector runs without its spool, and tries to open it each minute: ${describeError(this.#failure)} Until then, events that the server purges in an outage of the brokers are lost.`,
    )
  }

  choose(resume: StreamPosition): Promise<SpoolChoice> {
    return this.#spool?.choose(resume) ?? Promise.resolve({ tag: 'connection' })
  }

  /** @throws the error with which the folder could not be opened */
  has(position: StreamPosition, identity: string): Promise<boolean> {
    return this.#spool?.has(position, identity) ?? Promise.reject(this.#failure)
  }

  /** @throws the error with which the folder could not be opened */
  afterPurged(position: StreamPosition, identity: string): Promise<SpoolChoice | null> {
    return this.#spool?.afterPurged(position, identity) ?? Promise.reject(this.#failure)
  }

  open(from: LogPlace): Promise<EventStream | null> {
    return this.#spool?.open(from) ?? Promise.resolve(null)
  }

  report(error: Error, isSpooled: boolean): Promise<boolean> {
    return this.#spool?.report(error, isSpooled) ?? Promise.resolve(false)
  }

  onStoring(offset: SourceOffset): void {
    this.#spool?.onStoring(offset)
  }

  onStored(offset: SourceOffset): void {
    this.#stored = offset.toDocument()
    this.#spool?.onStored(offset)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#timer?.cancel()
    this.#options.logger.outages?.ended(OPENING)
    await this.#opening
    await this.#spool?.[Symbol.asyncDispose]()
  }
}
