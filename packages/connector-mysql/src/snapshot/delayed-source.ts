import type { ChangeSource, Poll, SourceState } from '@tributary/connector-kit'
import type { Clock, Logger } from '@tributary/support'

export interface DelayedSourceOptions {
  readonly delayMs: number
  /** The source after the delay. */
  readonly open: () => ChangeSource
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Waits between a snapshot and the stream (`streaming.delay.ms`). The offset at the end of the snapshot is stored
 * meanwhile, so a failure at the begin of the stream does not repeat the snapshot.
 */
export class DelayedSource implements ChangeSource {
  readonly #options: DelayedSourceOptions
  /** When the delay is over; null before the first poll. */
  #untilMs: number | null = null
  #source: ChangeSource | null = null

  constructor(options: DelayedSourceOptions) {
    this.#options = options
  }

  /** During the delay it returns now and then, since offsets are committed between polls. */
  async poll(poll: Poll): Promise<SourceState> {
    if (this.#source !== null) return this.#source.poll(poll)
    const { clock, delayMs, logger, open } = this.#options
    if (this.#untilMs === null) logger.info(`The stream begins in ${delayMs} ms (streaming.delay.ms)`)
    this.#untilMs ??= clock.monotonicMs() + delayMs
    const restMs = this.#untilMs - clock.monotonicMs()
    if (restMs > 0) {
      await clock.sleep(Math.min(restMs, DELAY_STEP_MS), poll.signal)
      return 'idle'
    }
    this.#source = open()
    return this.#source.poll(poll)
  }

  async close(): Promise<void> {
    await this.#source?.close()
  }
}

const DELAY_STEP_MS = 1_000
