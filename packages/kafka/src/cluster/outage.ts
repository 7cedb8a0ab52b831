import { describeError, type Clock, type Logger } from '@tributary/support'

/**
 * Something that is waited for, told to the log once when it begins and once when it is over, however many tries lie
 * between.
 */
export class Outage {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #what: string
  #since: number | null = null

  /** `what`: the subject of the log lines, as in "broker 2 (host:9092)". */
  constructor(logger: Logger, clock: Clock, what: string) {
    this.#logger = logger
    this.#clock = clock
    this.#what = what
  }

  /** A try has failed and another will be made. */
  begin(reason: Error): void {
    if (this.#since === null) {
      this.#since = this.#clock.now()
      this.#logger.warn(`${this.#what}: ${sentence(describeError(reason))} Waiting.`)
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

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
