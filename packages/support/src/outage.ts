import type { Clock } from './clock.ts'
import { describeError } from './errors.ts'
import type { Logger } from './logger.ts'

/**
 * Something that is waited for, told to the log when it begins, every minute that it lasts, and when it is over, however many tries
 * lie between.
 */
export class Outage {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #what: string
  #since: number | null = null
  #toldAt = 0

  /** `what`: the subject of the log lines, as in "broker 2 (host:9092)". */
  constructor(logger: Logger, clock: Clock, what: string) {
    this.#logger = logger
    this.#clock = clock
    this.#what = what
  }

  /** A try has failed and another will be made. */
  begin(reason: Error): void {
    const nowMs = this.#clock.now()
    if (this.#since === null) {
      this.#since = this.#toldAt = nowMs
      this.#logger.warn(`${this.#what}: ${sentence(describeError(reason))} Waiting.`)
    } else if (nowMs - this.#toldAt >= REMINDED_EVERY_MS) {
      this.#toldAt = nowMs
      const seconds = ((nowMs - this.#since) / 1000).toFixed(0)
      this.#logger.warn(`${this.#what}: ${sentence(describeError(reason))} Waiting for ${seconds} s now.`)
    } else {
      this.#logger.debug(`${this.#what}: still waiting, ${describeError(reason)}`)
    }
  }

  /** It works. */
  end(): void {
    if (this.#since === null) return
    const seconds = ((this.#clock.now() - this.#since) / 1000).toFixed(1)
    this.#since = null
    this.#logger.info(`${this.#what}: works again after ${seconds} s`)
  }
}

/** Who looks at a log looks at its end. */
const REMINDED_EVERY_MS = 60_000

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
