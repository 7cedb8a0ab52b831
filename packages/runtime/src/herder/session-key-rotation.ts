import { describeError, StoppedError, type Clock, type Logger, type Timer } from '@tributary/support'
import type { SessionKeySettings } from '../config/session-key-settings.ts'
import type { GroupView } from '../group/group-view.ts'
import { generateSessionKey, rotationDelayMs } from '../session-key/session-key.ts'
import type { ConfigStore } from '../storage/config-store.ts'

export interface SessionKeyRotationOptions {
  readonly configs: ConfigStore
  readonly settings: SessionKeySettings
  readonly group: GroupView
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal
}

/**
 * The pause after a failed write; also the longest wait, so that a clock that is set back cannot delay a key for long.
 */
const RETRY_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000

/** Stores a new session key while this worker leads the group, whenever one is due. */
export class SessionKeyRotation {
  readonly #options: SessionKeyRotationOptions
  #timer: Timer | null = null
  #isWriting = false

  constructor(options: SessionKeyRotationOptions) {
    this.#options = options
    options.stop.addEventListener('abort', () => this.#timer?.cancel(), { once: true })
  }

  /** Call it after each rebalance: the role of this worker may have changed. */
  check(): void {
    const { configs, settings, group, clock, stop } = this.#options
    this.#timer?.cancel()
    if (stop.aborted || this.#isWriting || !group.isLeader || !group.isSigned) return
    const delayMs = rotationDelayMs(configs.sessionKey, settings, clock.now())
    if (delayMs > 0) this.#timer = clock.after(Math.min(delayMs, LONGEST_WAIT_MS), () => this.check())
    else void this.#rotate()
  }

  async #rotate(): Promise<void> {
    const { configs, settings, clock, logger, stop } = this.#options
    this.#isWriting = true
    try {
      await configs.putSessionKey(generateSessionKey(settings, clock.now()), stop)
      logger.debug('Stored a new session key for the requests between workers')
    } catch (error) {
      if (!(error instanceof StoppedError)) {
        logger.warn(
          `The session key of the group could not be replaced; the next attempt follows: ${describeError(error)}`,
        )
      }
    } finally {
      this.#isWriting = false
    }
    if (!stop.aborted) this.#timer = clock.after(RETRY_MS, () => this.check())
  }
}
