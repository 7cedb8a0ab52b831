import type { Clock } from './clock.ts'
import { describeError } from './errors.ts'
import type { Logger } from './logger.ts'

/**
 * Logs an activity that is retried until it succeeds: its first failure, a reminder every minute, and the success after
 * it, however many attempts there are in between.
 */
export class Outage {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #activity: string
  readonly #retrying: string
  #sinceMs: number | null = null
  #loggedAtMs = 0

  /**
   * `activity`: the subject of the log lines, as in "writing to broker 2 (host:9092)". `pauseMaxMs`: between retries.
   */
  constructor(logger: Logger, clock: Clock, activity: string, pauseMaxMs: number | null = null) {
    this.#logger = logger
    this.#clock = clock
    this.#activity = activity
    const pause = pauseMaxMs === null ? '' : `, after pauses of at most ${pauseMaxMs / 1000} s`
    this.#retrying = `Retrying until it succeeds${pause}`
  }

  /** An attempt has failed, and the caller will retry. */
  reportFailure(reason: Error): void {
    this.#logger.outages?.failed(this.#activity, reason)
    const nowMs = this.#clock.now()
    if (this.#sinceMs === null) {
      this.#sinceMs = this.#loggedAtMs = nowMs
      this.#logger.warn(`${this.#activity}: ${sentence(describeError(reason))} ${this.#retrying}.`)
    } else if (nowMs - this.#loggedAtMs >= REMINDER_INTERVAL_MS) {
      this.#loggedAtMs = nowMs
      const seconds = ((nowMs - this.#sinceMs) / 1000).toFixed(0)
      this.#logger.warn(
        `${this.#activity}: ${sentence(describeError(reason))} ${this.#retrying}; failing for ${seconds} s now.`,
      )
    } else {
      this.#logger.debug(`${this.#activity}: failed again: ${describeError(reason)}`)
    }
  }

  /** An attempt has succeeded. */
  reportSuccess(): void {
    if (this.#sinceMs === null) return
    this.#logger.outages?.ended(this.#activity)
    const seconds = ((this.#clock.now() - this.#sinceMs) / 1000).toFixed(1)
    this.#sinceMs = null
    this.#logger.info(`${this.#activity}: works again after ${seconds} s`)
  }

  /** The activity is not retried any more, whatever the reason. */
  giveUp(): void {
    if (this.#sinceMs !== null) this.#logger.outages?.ended(this.#activity)
    this.#sinceMs = null
  }
}

/** Operators read the end of a log: an outage that lasts must appear there. */
const REMINDER_INTERVAL_MS = 60_000

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
